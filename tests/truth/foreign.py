"""Files of particles in the formats of other programs, written with known content in the ways these
programs write them.
"""
import random

# Standard atomic weights, IUPAC 2021, abridged.
WEIGHTS = {
    "H": 1.008,
    "C": 12.011,
    "N": 14.007,
    "O": 15.999,
    "Na": 22.99,
    "S": 32.06,
    "Cl": 35.45,
    "Fe": 55.845,
    "Si": 28.085,
}


class Content:
    """What a file holds: the same for every format, except for what a format has no place for."""

    def __init__(self, chance, decimals):
        count = chance.randint(4, 8)
        place = lambda k: [
            round(1.1 * k + chance.uniform(-0.2, 0.2), decimals),
            round(chance.uniform(-0.6, 0.6), decimals),
            round((k % 2) * 0.7 + chance.uniform(-0.3, 0.3), decimals),
        ]
        self.position = [place(k) for k in range(count)]
        self.species = [chance.choice(list(WEIGHTS)) for _ in range(count)]
        self.mass = [WEIGHTS[name] for name in self.species]
        self.velocity = None
        self.box = None
        self.bonds = [(chance.randint(1, 2), [k, k + 1]) for k in range(count - 1) if chance.random() < 0.7]
        self.angles = [
            (chance.randint(1, 2), [k, k + 1, k + 2]) for k in range(count - 2) if chance.random() < 0.6
        ]
        self.dihedrals = [(1, [k, k + 1, k + 2, k + 3]) for k in range(count - 3) if chance.random() < 0.6]

    def data(self):
        return {
            "position": self.position,
            "species": self.species,
            "mass": self.mass,
            "velocity": self.velocity,
            "box": self.box,
            "bonds": self.bonds,
            "angles": self.angles,
            "dihedrals": self.dihedrals,
        }


def spaces(chance):
    return chance.choice([" ", "  ", "\t", "   "])


def random_velocity(chance, content):
    content.velocity = [[chance.uniform(-0.2, 0.2) for _ in range(3)] for _ in content.position]


def xyz(chance):
    """Plain XYZ of several frames, of which one is chosen."""
    content = Content(chance, chance.choice([2, 6, 15]))
    content.bonds = content.angles = content.dihedrals = []
    frames, chosen = chance.randint(1, 3), 0
    chosen = chance.randrange(frames)
    lines = []
    for frame in range(frames):
        shift = 0 if frame == chosen else 0.5 + frame
        lines += [
            chance.choice(["%d", " %d "]) % len(content.position),
            chance.choice(["", "a comment", "Energy 3 = x y"]),
        ]
        for name, place in zip(content.species, content.position):
            lines.append(name + spaces(chance) + spaces(chance).join(repr(c + shift) for c in place))
    keys = {"frame": chosen} if chosen or chance.random() < 0.3 else {}
    return content, "\n".join(lines) + chance.choice(["\n", "\n\n"]), "particles.xyz", keys


def extended_xyz(chance):
    content = Content(chance, 15)
    content.bonds = content.angles = content.dihedrals = []
    columns = {
        "species:S:1": lambda k: [content.species[k]],
        "pos:R:3": lambda k: [repr(c) for c in content.position[k]],
        "tag:I:1": lambda k: [str(k)],
        "forces:R:3": lambda k: ["0.5", "-1e-3", "7"],
    }
    if chance.random() < 0.7:
        random_velocity(chance, content)
        columns[chance.choice(["velo", "vel", "velocity", "velocities"]) + ":R:3"] = lambda k: [
            repr(c) for c in content.velocity[k]
        ]
    if chance.random() < 0.5:
        content.mass = [round(chance.uniform(0.5, 4), 3) for _ in content.mass]
        columns[chance.choice(["mass", "masses"]) + ":R:1"] = lambda k: [repr(content.mass[k])]
    order = chance.sample(list(columns), len(columns))
    comment = "Properties=" + ":".join(order)
    if chance.random() < 0.6:
        edges = [round(chance.uniform(20, 30), 3) for _ in range(3)]
        open_ = [chance.random() < 0.3 for _ in range(3)]
        comment = 'Lattice="%r 0.0 0 0 %r 0.0 0.0 0 %r" ' % tuple(edges) + comment
        content.box = edges
        if chance.random() < 0.7:
            comment += ' pbc="%s"' % " ".join("F" if o else "T" for o in open_)
            content.box = [0.0 if o else e for o, e in zip(open_, edges)]
    comment += chance.choice(["", " Time=3.5 note=\"two words\"", " config_type=dimer"])
    lines = [str(len(content.position)), comment]
    lines += [
        spaces(chance).join(word for name in order for word in columns[name](k))
        for k in range(len(content.position))
    ]
    return content, "\n".join(lines) + "\n", chance.choice(["p.extxyz", "p.xyz"]), {}


def pdb(chance):
    """Columns as the format fixes them: serial 7-11, name 13-16, x 31-38, y 39-46, z 47-54, element 77-78."""
    content = Content(chance, 3)
    content.angles = content.dihedrals = []
    content.bonds = [(0, pair) for _, pair in content.bonds]
    lines = ["HEADER    SOMETHING", "REMARK   1 ATOM  that is none"]
    if chance.random() < 0.5:
        content.box = [round(chance.uniform(20, 99), 3) for _ in range(3)]
        lines.append("CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1" % (*content.box, 90, 90, 90))
    with_elements = chance.random() < 0.6
    first = chance.randint(1, 50)
    serials = [first + 2 * k for k in range(len(content.position))]
    for serial, name, (x, y, z) in zip(serials, content.species, content.position):
        padded = name.upper().ljust(4) if len(name) == 2 else " " + name + "%-2d" % (serial % 10)
        line = "%-6s%5d %-4s %3s %s%4d    %8.3f%8.3f%8.3f%6.2f%6.2f" % (
            chance.choice(["ATOM", "HETATM"]),
            serial,
            padded,
            "UNK",
            "A",
            1,
            x,
            y,
            z,
            1,
            0,
        )
        lines.append(
            line
            + ("          %2s" % (name.upper() if chance.random() < 0.5 else name) if with_elements else "")
        )
    # Each bond may be listed from both ends.
    for _, (i, j) in content.bonds:
        lines.append("CONECT%5d%5d" % (serials[i], serials[j]))
        if chance.random() < 0.5:
            lines.append("CONECT%5d%5d" % (serials[j], serials[i]))
    lines.append("END")
    content.species = None  # the case of an element is not promised, so no table chooses by it
    return content, "\n".join(lines) + "\n", chance.choice(["p.pdb", "p.ent"]), {}


STYLES = {
    "atomic": "{id} {type}",
    "charge": "{id} {type} {charge}",
    "bond": "{id} 1 {type}",
    "angle": "{id} 2 {type}",
    "molecular": "{id} 3 {type}",
    "full": "{id} 1 {type} {charge}",
}


def lammps(chance):
    """Atoms in any order, wrapped into the box with image flags, and coefficients that do not matter."""
    content = Content(chance, chance.choice([3, 15]))
    low = [round(chance.uniform(-3, 3), 2) for _ in range(3)]
    content.box = [round(chance.uniform(16, 25), 2) for _ in range(3)]
    content.box = [(a + b) - a for a, b in zip(low, content.box)]
    weights = [round(chance.uniform(0.5, 5), 2) for _ in range(3)]
    types = [chance.randint(1, 3) for _ in content.position]
    content.mass = [weights[t - 1] for t in types]
    content.species = [str(t) for t in types]
    content.velocity = None
    count = len(content.position)
    ids = sorted(chance.sample(range(1, 100), count))
    style = chance.choice(list(STYLES))
    flags = chance.random() < 0.6
    lines = ["a data file # of nothing", "", "%d atoms" % count, "3 atom types"]
    for name in ("bonds", "angles", "dihedrals"):
        lines += ["%d %s" % (len(getattr(content, name)), name), "2 %s types" % name[:-1]]
    lines += ["%r %r %slo %shi" % (a, a + b, axis, axis) for a, b, axis in zip(low, content.box, "xyz")]
    lines += ["", "Masses", ""] + ["%d %r # name" % (k + 1, w) for k, w in enumerate(weights)]
    lines += ["", "Pair Coeffs", "", "1 0.1 3.0", "2 0.2 2.5", "3 0.2 2.5"]
    lines += ["", "Atoms" + (" # " + style if chance.random() < 0.5 else ""), ""]
    stated = "#" in lines[-2]
    atoms = []
    for k in range(count):
        image = [chance.randint(-2, 2) if flags else 0 for _ in range(3)]
        place = [c - f * edge for c, f, edge in zip(content.position[k], image, content.box)]
        content.position[k] = [p + f * edge for p, f, edge in zip(place, image, content.box)]
        atoms.append(
            STYLES[style].format(id=ids[k], type=types[k], charge=-0.5)
            + " "
            + " ".join(map(repr, place))
            + (" " + " ".join(map(str, image)) if flags else "")
        )
    lines += chance.sample(atoms, count)
    if chance.random() < 0.6:
        random_velocity(chance, content)
        rows = ["%d %r %r %r" % (ids[k], *content.velocity[k]) for k in range(count)]
        lines += ["", "Velocities", ""] + chance.sample(rows, count)
    for title, terms in (
        ("Bonds", content.bonds),
        ("Angles", content.angles),
        ("Dihedrals", content.dihedrals),
    ):
        if terms:
            lines += ["", title, ""] + [
                "%d %d %s" % (n + 1, t, " ".join(str(ids[k]) for k in members))
                for n, (t, members) in enumerate(terms)
            ]
    keys = {} if stated else {"style": style}
    name = chance.choice(["p.data", "p.lmp", "p.lammps", "p.txt"])
    if name == "p.txt":
        keys["format"] = "lammps"
    return content, "\n".join(lines) + "\n", name, keys


FORMATS = {"xyz": xyz, "extended xyz": extended_xyz, "pdb": pdb, "lammps": lammps}


def file_of(number):
    chance = random.Random(number)
    name = chance.choice(list(FORMATS))
    return (chance, name) + FORMATS[name](chance)
