"""Random models of particles, with every table of docs/guide/particles.md."""
import random

from arithmetic import Digits, Floats, NoValue
from generate import options_for
from linear import Singular
from newton import NoSolution, find
from particle_model import ParticleModel, Table
from particle_system import AXES, ParticleSystem
from particle_terms import Geometry
from system import along, times
from well_posed import Unfit, independent

PAIRS = [
    "0.4*((1/r)^12 - (1/r)^6)",
    "exp(-r)/r",
    "0.3*cos(r)",
    "-0.2/r",
    "0.1*(r - 2)^3",
    "log(r)",
    "0.05*atan2(r, 2)",
]
SPRINGS = ["0.5*(r - 1)^2", "r^4/20", "exp(-r)", "-log(1 - (r/9)^2)", "0.3*abs(r - 0.1)"]
BENDS = ["0.4*(1 + costheta)", "0.3*(theta - 1)^2", "sin(theta)/2", "costheta^3/4", "theta*costheta/5"]
TORSIONS = ["0.2*(1 + cos(3*phi))", "0.3*sin(phi)", "0.1*phi^2", "cos(phi - 1)/4", "0.05*(phi + 0.3)^3"]
FIELDS = {
    1: ["0.3*x", "x^2/4 + sin(x)*m", "m*x"],
    2: ["m*y", "x*y/5", "0.1*(x^2 + y^2)", "sin(x) - cos(y*m)/3"],
    3: ["m*z*9.81/10", "x*y*z/9", "0.05*(x^2 + y^2 + z^2)*m", "atan2(y, 3 + x^2) + z", "exp(-x^2 - z)"],
}
MASSES = ["1", "2.5", "0.5 + i/4", "1 + (i + 1)/3", "exp(-i/5)"]


def model(number):
    chance = random.Random(number)
    while True:
        try:
            return attempt(chance)
        except (Unfit, NoValue, NoSolution, Singular, OverflowError):
            continue


def attempt(chance):
    return gas(chance) if chance.random() < 0.1 else molecule(chance)


def gas(chance):
    """Many particles in a box, some of them in far images of it: pairs are found by cells."""
    d, side = chance.choice([2, 3]), chance.choice([3, 4])
    made = ParticleModel(dimension=d, count=side**d)
    edges = [side * chance.uniform(1.1, 1.4) for _ in range(d)]
    made.box = [repr(edge) if chance.random() < 0.8 else "0" for edge in edges]
    for k in range(made.count):
        cell = [k // side**a % side for a in range(d)]
        image = [chance.choice([0, 0, 1, -3, 1000]) if float(b) else 0 for b in made.box]
        made.position.append(
            [
                repr((c + chance.uniform(0.4, 0.6) + side * f) * edge / side)
                for c, f, edge in zip(cell, image, edges)
            ]
        )
    made.velocity = [[repr(chance.uniform(-1, 1)) for _ in range(d)] for _ in range(made.count)]
    made.tables = [
        Table(
            "pairs",
            {
                "potential": chance.choice(PAIRS[:4]),
                "cutoff": repr(0.3 * side),
                "truncation": chance.choice(["shift", "force-shift"]),
            },
        )
    ]
    made.step = "0.004"
    made.method = "rattle"
    made.options = chance.choice([[], ["--threads", "2"]])
    return made


def molecule(chance):
    d = chance.choice([1, 2, 2, 3, 3, 3])
    count = chance.randint(2, 7)
    made = ParticleModel(dimension=d, count=count)
    made.box = (
        [repr(chance.uniform(3.5, 6)) if chance.random() < 0.8 else "0" for _ in range(d)]
        if chance.random() < 0.35
        else None
    )
    masses = lambda: chance.choice(
        [None, chance.choice(MASSES), [repr(round(chance.uniform(0.3, 3), 2)) for _ in range(made.count)]]
    )
    made.position = positions(chance, d, count)
    if chance.random() < 0.2:
        on_lattice(made, chance)
        count = made.count
    made.mass = masses()
    add_constraints(made, chance)
    add_potentials(made, chance)
    made.velocity = [[repr(chance.uniform(-1, 1)) for _ in range(d)] for _ in range(count)]
    made.step = chance.choice(["0.01", "0.02", "-0.005", "1/128"])
    slow = any(table.keys.get("part") == "slow" for table in made.tables)
    made.method = chance.choice(
        ["rattle", "rattle", "shake", "symplectic-euler", "verlet", "yoshida4", "lobatto(2)", "suzuki4"]
        + (["impulse(1)", "impulse(3)", "mixed-midpoint"] * 2 if slow else [])
    )
    tangent(made)
    well_posed(made)
    made.options = options_for(made.method, chance)
    return made


def on_lattice(made, chance):
    """Positions as formulas of the indices of a `for`, or of the number of the particle."""
    if chance.random() < 0.5:
        last, wide = chance.randint(1, 2), chance.randint(1, 2)
        made.lattice = {"for": "a in 0..%d, bb in 0..%d" % (last, wide)}
        forms = ["1.1*a + 0.2*bb + 0.1*i", "bb*(1 + 0.1*a) - a/7", "sin(a + 2*bb)"]
        made.count = (last + 1) * (wide + 1)
    else:
        made.lattice = {"count": "%d" % made.count}
        forms = ["1.05*i", "0.4*cos(2*i)", "0.3*i^2/(1 + i)"]
    made.lattice["position"] = forms[: made.dimension]
    s = ParticleSystem(ParticleModel(dimension=made.dimension, lattice=made.lattice).text(), Digits)
    q = [repr(float(v)) for v in s.q0]
    made.position = [q[made.dimension * k : made.dimension * (k + 1)] for k in range(s.count)]


def positions(chance, d, count):
    """A chain that goes on by about 1 in random directions, without two particles close to each other."""
    at, chain = [0.0] * d, []
    for k in range(count):
        chain.append(at)
        for _ in range(50):
            step = [chance.uniform(-1.2, 1.2) for _ in range(d)]
            at = [round(a + b, chance.choice([2, 4, 15])) for a, b in zip(chain[-1], step)]
            if all(sum((a - b) ** 2 for a, b in zip(at, other)) > 0.49 for other in chain):
                break
        else:
            raise Unfit()
    return [[repr(c) for c in row] for row in chain]


def distance(made, i, j):
    return sum((float(a) - float(b)) ** 2 for a, b in zip(made.position[i], made.position[j])) ** 0.5


def refuse_far(made, particles):
    """A bonded term may not reach further than half of the box."""
    for i in particles:
        for j in particles:
            for a, edge in enumerate(made.box or []):
                if float(edge) and abs(
                    float(made.position[i][a]) - float(made.position[j][a])
                ) > 0.48 * float(edge):
                    raise Unfit()


def chosen(chance, made, size):
    """Some terms of so many particles each, in either way of writing, with their members."""
    if chance.random() < 0.4:
        last = chance.randint(0, made.count - size)
        between = ["k"] + ["k + %d" % j for j in range(1, size)]
        members = [[k + j for j in range(size)] for k in range(last + 1)]
        keys = {"between": between, "for": "k in 0..%d" % last}
    else:
        members = []
        for _ in range(chance.randint(1, 2)):
            candidate = chance.sample(range(made.count), size)
            if not any(set(candidate) == set(other) for other in members):
                members.append(candidate)
        keys = {"between": [[str(k) for k in term] for term in members]}
    for term in members:
        refuse_far(made, term)
    return keys, members


def add_constraints(made, chance):
    if chance.random() < 0.75:
        keys, members = chosen(chance, made, 2)
        if len(members) == 1 and chance.random() < 0.5:
            keys["length"] = repr(distance(made, *members[0]))
        made.tables.append(Table("rods", keys))
    if made.count >= 3 and made.dimension > 1 and chance.random() < 0.25:
        keys, members = chosen(chance, made, 3)
        angle = refuse_straight(made, members, 0.3)
        if len(members) == 1 and chance.random() < 0.5:
            keys["angle"] = repr(angle)
        made.tables.append(Table("angles", keys))
    if chance.random() < 0.25:
        k = chance.randrange(made.count)
        text = {
            1: "m*x",
            2: chance.choice(["x^2 + y^2", "y - x/3", "m*(x + 2)^2 + y"]),
            3: chance.choice(["x^2 + y^2 + z^2", "z - sin(x)*y", "(x - 2)^2/m + y^2 + z"]),
        }[made.dimension]
        value = surface_value(made, k, text)
        made.tables.append(Table("surface", {"formula": "%s - (%r)" % (text, value), "of": [str(k)]}))
    if made.count > 1 and chance.random() < 0.2:
        i, j = chance.sample(range(made.count), 2)
        a, b = chance.choice(AXES[: made.dimension]), chance.choice(AXES[: made.dimension])
        first, second = (float(made.position[k][AXES.index(axis)]) for k, axis in ((i, a), (j, b)))
        made.tables.append(
            Table(
                "constraint",
                {"between": [[str(i), str(j)]], "formula": "%s1 + 2*%s2 - (%r)" % (a, b, first + 2 * second)},
            )
        )


def refuse_straight(made, members, least):
    """Refuses angles near 0 and 180 degrees, where theta has no derivative; returns the last one."""
    space, q = Geometry(made.dimension, Floats, None), [float(c) for row in made.position for c in row]
    for i, j, k in members:
        angle = space.angle(space.between(q, j, i), space.between(q, j, k))
        if not least < angle < 3.14 - least:
            raise Unfit()
    return angle


def surface_value(made, k, text):
    alone = ParticleModel(dimension=made.dimension, count=made.count, mass=made.mass, position=made.position)
    alone.tables = [Table("field", {"potential": text, "of": [str(k)]})]
    s = ParticleSystem(alone.text(), Digits)
    return float(s.parts[0](s.start()[0]))


def part(chance):
    return chance.choice([{}, {}, {}, {"part": "fast"}, {"part": "slow"}])


def add_potentials(made, chance):
    if chance.random() < 0.6:
        keys, _ = chosen(chance, made, 2)
        more = chance.choice(
            [{"potential": chance.choice(SPRINGS)}, {"stiffness": "3.5", "length": "0.9"}, {"stiffness": "2"}]
        )
        made.tables.append(Table("springs", {**keys, **more, **part(chance)}))
    if made.count >= 3 and made.dimension > 1 and chance.random() < 0.5:
        keys, members = chosen(chance, made, 3)
        refuse_straight(made, members, 0.1)
        more = chance.choice(
            [{"potential": chance.choice(BENDS)}, {"stiffness": "1.5", "angle": "1.9"}, {"stiffness": "2"}]
        )
        made.tables.append(Table("bends", {**keys, **more, **part(chance)}))
    if made.count >= 4 and made.dimension == 3 and chance.random() < 0.6:
        keys, _ = chosen(chance, made, 4)
        made.tables.append(Table("torsions", {**keys, "potential": chance.choice(TORSIONS), **part(chance)}))
    if chance.random() < 0.5:
        which = chance.choice(
            [{}, {}, {"of": ["0"]}, {"of": "2*k", "for": "k in 0..%d" % ((made.count - 1) // 2)}]
        )
        made.tables.append(
            Table("field", {"potential": chance.choice(FIELDS[made.dimension]), **which, **part(chance)})
        )
    for _ in range(chance.choice([0, 1, 1, 2])):
        made.tables.append(Table("pairs", {**pair_table(made, chance), **part(chance)}))
    if not any(table.name in ("springs", "bends", "torsions", "field", "pairs") for table in made.tables):
        raise Unfit()


def pair_table(made, chance):
    edges = [float(edge) for edge in made.box or [] if float(edge)]
    cutoff = min([chance.uniform(1.2, 3.0)] + [0.4 * edge for edge in edges])
    keys = {"potential": chance.choice(PAIRS), "cutoff": repr(cutoff)}
    if chance.random() < 0.7:
        keys["truncation"] = chance.choice(["shift", "force-shift", "none"])
    if chance.random() < 0.4:
        keys["exclude_bonded"] = str(chance.randint(0, 3))
    if chance.random() < 0.3:
        keys["skin"] = repr(round(chance.uniform(0.01, min([0.5] + [0.09 * edge for edge in edges])), 3))
    roll = chance.random()
    if roll < 0.2:
        keys["of"] = [str(k) for k in sorted(chance.sample(range(made.count), chance.randint(2, made.count)))]
    elif roll < 0.4:
        keys["between"] = [
            {"of": ["0"]},
            chance.choice([{}, {"of": "k", "for": "k in 0..%d" % (made.count // 2)}]),
        ]
    return keys


def tangent(made):
    """Makes the velocities tangent to the constraints."""
    exact, rough = ParticleSystem(made.text(), Digits), ParticleSystem(made.text(), Floats)
    if not exact.m:
        return
    if exact.m >= exact.n:
        raise Unfit()
    q, p = exact.start()
    independent(rough.G([float(v) for v in q]))
    rough_x = [float(v) for v in q], [float(v) for v in p]

    def of(s):
        at = rough_x if s is rough else (q, p)
        G = s.G(at[0])
        return lambda nu: times(G, s.H_p(at[0], along(G, nu, at[1])))

    nu, _ = find(of, rough, exact, [0.0] * exact.m)
    v = exact.velocity(along(exact.G(q), nu, p))
    d = made.dimension
    made.velocity = [[repr(float(c)) for c in v[d * k : d * k + d]] for k in range(made.count)]


def well_posed(made):
    """Refuses large forces, and pairs at the cutoff, where a force may jump."""
    s = ParticleSystem(made.text(), Floats)
    q, p = s.start()
    if any(abs(v) > 60 for v in s.H_q(q, p) + s.H_p(q, p)):
        raise Unfit()
    little = 0.02
    for table in made.tables:
        if table.name == "pairs":
            refuse_edges(s, q, float(table.keys["cutoff"]), little)


def refuse_edges(s, q, cutoff, little):
    from particle_terms import dot, nearest

    for i in range(s.count):
        for j in range(i):
            v = [nearest(c, b) for c, b in zip(s.space.between(q, i, j), s.box)]
            r = dot(v, v) ** 0.5
            near_half = any(b and abs(abs(c) - b / 2) < little for c, b in zip(v, s.box))
            if abs(r - cutoff) < 0.1 or near_half or r < 0.6:
                raise Unfit()
