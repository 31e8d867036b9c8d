"""A run that is kept, in every format it can be kept in and exported to: all must hold the same numbers."""
import os
import random
import shutil
import struct

import particle_generate
import readers
from arithmetic import Digits, NoValue
from compare import Outcome
from newton import NoSolution
from particle_system import ParticleSystem
from quantities import QUANTITIES, compare_rows

METHODS = ["rattle", "shake", "verlet", "yoshida4", "lobatto(2)"]


def model(number):
    chance = random.Random(number)
    made = particle_generate.model(number)
    made.method = chance.choice(METHODS)
    made.steps = chance.randint(3, 7)
    wanted = [
        name
        for name in QUANTITIES
        if name != "pressure" or (made.box and all(float(edge) for edge in made.box))
    ]
    made.quantities = chance.sample(wanted, chance.randint(0, len(wanted)))
    return made, chance.choice(["csv", "binary", "compressed"]), chance.randint(1, 3)


class Wrong(Exception):
    """A file does not hold what it should."""


def demand(true, sentence):
    if not true:
        raise Wrong(sentence)


def kept(program, text, form, every):
    """Runs with --out, and returns the folder, the columns and the rows as they were written."""
    folder = os.path.join(program.folder, "kept")
    shutil.rmtree(folder, ignore_errors=True)
    status, _, said = program.run(
        text, "--out", folder, "--format", form, "--every", str(every), "--backend", "interpret"
    )
    if status:
        return None, said, None
    if form == "csv":
        with open(os.path.join(folder, "samples.csv"), encoding="utf-8") as file:
            return folder, *readers.csv(file.read())
    with open(os.path.join(folder, "trajectory.taut"), "rb") as file:
        return folder, *readers.trajectory(file.read())


def export(program, folder, form):
    path = os.path.join(program.folder, "export." + form)
    if os.path.exists(path):
        os.remove(path)
    status, _, said = program.call(["export", folder, "--" + form, "--out", path])
    demand(status == 0, "export --%s: exit %d, %s" % (form, status, said))
    with open(path, "rb") as file:
        return path, file.read()


def grouped(values, d):
    """Coordinates of one row as vectors of three, with zeros where the model has fewer dimensions."""
    return [values[k : k + d] + [0.0] * (3 - d) for k in range(0, len(values), d)]


class Kept:
    """The rows of a run, cut into what the formats hold."""

    def __init__(self, system, columns, rows):
        self.d, self.n, self.columns, self.rows = system.d, system.n, columns, rows
        self.mass = [float(m) for m in system.mass]
        self.box = [float(edge) for edge in system.box] + [0.0] * (3 - system.d)
        self.positions = [grouped(row[1 : 1 + self.n], self.d) for row in rows]
        self.velocities = [
            [[c / m for c in v] for v, m in zip(grouped(row[1 + self.n : 1 + 2 * self.n], self.d), self.mass)]
            for row in rows
        ]
        self.forces = None
        if "f_x0" in columns:
            first = columns.index("f_x0")
            self.forces = [grouped(row[first : first + self.n], self.d) for row in rows]
        self.periodic = any(self.box)

    def column(self, name):
        return [row[self.columns.index(name)] for row in self.rows]


def check_csv(program, folder, k):
    demand(readers.csv(export(program, folder, "csv")[1].decode()) == (k.columns, k.rows), "csv differs")


def check_npy(program, folder, k):
    demand(readers.npy(export(program, folder, "npy")[1]) == k.rows, "npy differs")


def check_xyz(program, folder, k):
    frames = readers.xyz(export(program, folder, "xyz")[1].decode())
    demand([f["pos"] for f in frames] == k.positions, "xyz: positions differ")
    demand([f["velo"] for f in frames] == k.velocities, "xyz: velocities differ")
    demand(all([m for m, in f["masses"]] == k.mass for f in frames), "xyz: masses differ")
    demand([float(f["keys"]["Time"]) for f in frames] == k.column("t"), "xyz: times differ")
    demand([float(f["keys"]["energy"]) for f in frames] == k.column("energy"), "xyz: energies differ")
    if k.forces:
        demand([f["constraint_force"] for f in frames] == k.forces, "xyz: forces differ")
    for frame in frames:
        demand(("Lattice" in frame["keys"]) == k.periodic, "xyz: the box differs")
        if k.periodic:
            edges = [float(word) for word in frame["keys"]["Lattice"].split()]
            here = ["T" if edge else "F" for edge in k.box]
            demand(frame["keys"]["pbc"].split() == here, "xyz: pbc differs")
            demand(all(e == b for e, b in zip(edges[::4], k.box) if b), "xyz: edges differ")


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def check_dcd(program, folder, k):
    head, frames = readers.dcd(export(program, folder, "dcd")[1])
    demand(head["frames"] == len(k.rows) == len(frames) and head["first"] == 0, "dcd: frames differ")
    want = [[tuple(single(c) for c in v) for v in vectors] for vectors in k.positions]
    demand([positions for _, positions in frames] == want, "dcd: positions differ")
    for cell, _ in frames:
        demand((cell is not None) == k.periodic, "dcd: the cell differs")
        demand(cell is None or [cell[0], cell[2], cell[5]] == k.box, "dcd: edges differ")


def check_h5md(program, folder, k):
    path, _ = export(program, folder, "h5md")
    flat = lambda frames: [c for vectors in frames for v in vectors for c in v[: k.d]]
    shape, values = readers.h5(path, "/particles/all/position/value")
    demand(shape == [len(k.rows), len(k.mass), k.d] and values == flat(k.positions), "h5md: positions differ")
    demand(
        readers.h5(path, "/particles/all/velocity/value")[1] == flat(k.velocities), "h5md: velocities differ"
    )
    demand(readers.h5(path, "/particles/all/position/time")[1] == k.column("t"), "h5md: times differ")
    demand(readers.h5(path, "/particles/all/mass")[1] == k.mass, "h5md: masses differ")
    demand(
        readers.h5(path, "/observables/total_energy/value")[1] == k.column("energy"), "h5md: energies differ"
    )
    if k.forces:
        demand(
            readers.h5(path, "/particles/all/constraint_force/value")[1] == flat(k.forces),
            "h5md: forces differ",
        )
    if k.periodic:
        demand(readers.h5(path, "/particles/all/box/edges")[1] == k.box[: k.d], "h5md: edges differ")
    measured = [name for name in k.columns[2 * k.n + 2 :] if not name.startswith(("f_", "lambda_"))]
    for name in random.Random(len(measured)).sample(measured, min(2, len(measured))):
        demand(
            readers.h5(path, "/observables/%s/value" % name)[1] == k.column(name), "h5md: %s differs" % name
        )


FORMATS = (check_csv, check_npy, check_xyz, check_dcd, check_h5md)


def check(number, program, backends):
    made, form, every = model(number)
    try:
        folder, columns, rows = kept(program, made.text(), form, every)
        if folder is None:
            return Outcome("refused", columns), {"model.toml": made.text()}
        system = ParticleSystem(made.text(), Digits)
        samples = Kept(system, columns, rows)
        steps = list(range(0, made.steps, every)) + [made.steps]
        demand(len(rows) == len(steps), "%d samples in place of %d" % (len(rows), len(steps)))
        compare_rows(system, columns, rows, demand)
        for one in FORMATS:
            one(program, folder, samples)
    except (Wrong, readers.Damaged) as error:
        return Outcome("differ", "%s, every %d: %s" % (form, every, error)), {"model.toml": made.text()}
    except (NoValue, NoSolution) as error:
        return Outcome("lost", str(error)), {}
    return Outcome("agree"), {}
