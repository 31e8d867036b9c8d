"""The tables of a particle model as the mechanics they describe."""
import itertools
import tomllib

from arithmetic import Digits
from evaluate import Sum
from particle_terms import (
    Geometry,
    formula_of,
    of_angle,
    of_coordinates,
    of_distance,
    nearest,
    of_torsion,
    pair,
    rigid_angle,
    rod,
)
from system import System, constant, constants_of

AXES = "xyz"
FAR = 0.7  # no particle moves so far in the few short steps of a test


class Terms(Sum):
    """A sum whose terms are given as functions, each with the entries of x on which it depends."""

    def __init__(self, kind):
        self.kind, self.parts = kind, []

    def add(self, f, d, particles):
        self.parts.append((1, f, sorted({d * k + a for k in particles for a in range(d)})))


class ParticleSystem(System):
    def __init__(self, text, kind=Digits, noise=None, files=None):
        self.kind, self.noise = kind, noise
        self.file = tomllib.loads(text)
        self.natural = True
        self.known = constants_of(self.file.get("parameters", {}), {}, kind)
        self.from_file = files
        self.read_particles(self.file["particles"])
        self.n = self.d * self.count
        self.space = Geometry(self.d, kind, noise)
        self.constraints, self.parts, self.tables = [], [Terms(kind), Terms(kind)], {}
        self.read_constraints()
        self.read_potentials()
        self.m = len(self.constraints)
        if not any(
            table.get("part") == "slow"
            for name in ("springs", "bends", "torsions", "field", "pairs")
            for table in self.file.get(name, [])
        ):
            self.parts = [self.parts[0]]
        self.names = [axis + str(k) for k in range(self.count) for axis in AXES[: self.d]]

    # Particles

    def read_particles(self, table):
        self.d = table.get("dimension", 3)
        if self.from_file:
            data = self.from_file
            self.count, self.species = len(data["position"]), data["species"]
            self.q0 = [self.kind.number(c) for row in data["position"] for c in row[: self.d]]
            self.indices = [{} for _ in range(self.count)]
        else:
            self.indices = list(self.ranges(table["for"])) if "for" in table else None
            self.count = len(self.indices) if self.indices else int(self.number(table["count"], {}))
            self.indices = self.indices or [{} for _ in range(self.count)]
            self.species = None
            self.q0 = self.vectors(table["position"], lambda k: {})
        self.box = self.box_of(table)
        self.mass = [self.mass_of_particle(table, k) for k in range(self.count)]
        self.W = None
        start = lambda k: {axis: self.q0[self.d * k + a] for a, axis in enumerate(AXES[: self.d])}
        self.v0 = self.velocities(table, start)

    def velocities(self, table, start):
        if "velocity" in table:
            return self.vectors(table["velocity"], start)
        if self.from_file and self.from_file.get("velocity"):
            return [self.kind.number(c) for row in self.from_file["velocity"] for c in row[: self.d]]
        return [self.kind.zero] * (self.d * self.count)

    def box_of(self, table):
        if "box" in table:
            return [self.number(edge, {}) for edge in table["box"]]
        if self.from_file and self.from_file.get("box"):
            return [self.kind.number(edge) for edge in self.from_file["box"]]
        return [0] * self.d

    def mass_of_particle(self, table, k):
        mass = table.get("mass", None)
        if mass is None and self.from_file:
            return self.kind.number(self.from_file["mass"][k])
        if isinstance(mass, list):
            return self.number(mass[k], {})
        return self.number(1 if mass is None else mass, dict(self.indices[k], i=k))

    def number(self, value, indices):
        known = dict(self.known)
        known.update((name, self.kind.number(v)) for name, v in indices.items())
        return constant(value, known, self.kind)

    def vectors(self, given, more):
        """A list of vectors, or one formula of the indices for each axis."""
        if isinstance(given[0], list):
            return [self.number(c, {}) for row in given for c in row]
        return [
            self.number(given[a], {**self.indices[k], "i": k, **more(k)})
            for k in range(self.count)
            for a in range(self.d)
        ]

    def ranges(self, text):
        """All combinations of the indices of a `for`; the last one runs fastest, and both ends belong to a
        range.
        """
        names, values = [], []
        for part in text.split(","):
            name, _, ends = part.partition(" in ")
            first, _, last = ends.partition("..")
            names.append(name.strip())
            values.append(range(int(self.number(first, {})), int(self.number(last, {})) + 1))
        for chosen in itertools.product(*values):
            yield dict(zip(names, chosen))

    # Terms

    def members(self, table):
        """The particles of each term, with the indices of its `for`."""
        if "from" in table:
            for kind_of_term, particles in self.from_file[table["from"]]:
                wanted = table.get("type")
                if wanted is None or kind_of_term in (wanted if isinstance(wanted, list) else [wanted]):
                    two_ends = table["from"] == "angles" and table["__name"] in ("rods", "springs")
                    yield ([particles[0], particles[2]] if two_ends else particles), {}
        elif isinstance(table["between"][0], list):
            for term in table["between"]:
                yield [int(self.number(k, {})) for k in term], {}
        else:
            for indices in self.ranges(table["for"]) if "for" in table else [{}]:
                yield [int(self.number(k, indices)) for k in table["between"]], indices

    def tables_called(self, name):
        for table in self.file.get(name, []):
            yield dict(table, __name=name)

    def chosen(self, table):
        """The particles that `of` or `species` picks; all of them without."""
        if "species" in table:
            wanted = table["species"] if isinstance(table["species"], list) else [table["species"]]
            return [k for k in range(self.count) if self.species[k] in map(str, wanted)]
        if "of" not in table:
            return list(range(self.count))
        if isinstance(table["of"], list):
            return [int(self.number(k, {})) for k in table["of"]]
        return [
            int(self.number(table["of"], indices))
            for indices in (self.ranges(table["for"]) if "for" in table else [{}])
        ]

    def formula(self, text, inputs, indices=None):
        known = dict(self.known)
        known.update((name, self.kind.number(v)) for name, v in (indices or {}).items())
        return formula_of(text, inputs, known, self.kind, self.noise)

    def constrain(self, f, particles):
        made = Terms(self.kind)
        made.add(f, self.d, particles)
        self.constraints.append(made)

    def read_constraints(self):
        exact = Geometry(self.d, self.kind, None)
        for table in self.tables_called("rods"):
            for (i, j), indices in self.members(table):
                length = (
                    self.number(table["length"], indices)
                    if "length" in table
                    else exact.length(exact.between(self.q0, i, j))
                )
                self.constrain(rod(self.space, i, j, length), [i, j])
        for table in self.tables_called("angles"):
            for (i, j, k), indices in self.members(table):
                angle = (
                    self.number(table["angle"], indices)
                    if "angle" in table
                    else exact.angle(exact.between(self.q0, j, i), exact.between(self.q0, j, k))
                )
                self.constrain(rigid_angle(self.space, i, j, k, angle), [i, j, k])
        for table in self.tables_called("surface"):
            formula = self.formula(table["formula"], list(AXES[: self.d]) + ["m"])
            for k in self.chosen(table):
                self.constrain(of_coordinates(self.space, [k], formula, [self.mass[k]]), [k])
        for table in self.tables_called("constraint"):
            for particles, indices in self.members(table):
                inputs = [axis + str(k + 1) for k in range(len(particles)) for axis in AXES[: self.d]]
                self.constrain(
                    of_coordinates(self.space, particles, self.formula(table["formula"], inputs, indices)),
                    particles,
                )

    def read_potentials(self):
        self.bonded = self.graph()
        for name, read in (
            ("springs", self.springs),
            ("bends", self.bends),
            ("torsions", self.torsions),
            ("field", self.fields),
            ("pairs", self.pairs),
        ):
            for number, table in enumerate(self.tables_called(name), 1):
                part = self.parts[1 if table.get("part") == "slow" else 0]
                own = Terms(self.kind)
                for f, particles in read(table):
                    part.add(f, self.d, particles)
                    own.add(f, self.d, particles)
                self.tables["V_%s_%d" % (name.rstrip("s"), number)] = own

    def springs(self, table):
        exact = Geometry(self.d, self.kind, None)
        for (i, j), indices in self.members(table):
            if "potential" in table:
                u = self.formula(table["potential"], ["r"], indices)
            else:
                rest = (
                    self.number(table["length"], indices)
                    if "length" in table
                    else exact.length(exact.between(self.q0, i, j))
                )
                u = harmonic(self.number(table["stiffness"], indices), rest)
            yield of_distance(self.space, i, j, u), [i, j]

    def bends(self, table):
        exact = Geometry(self.d, self.kind, None)
        for (i, j, k), indices in self.members(table):
            if "potential" in table:
                u = self.formula(table["potential"], ["theta", "costheta"], indices)
            else:
                rest = (
                    self.number(table["angle"], indices)
                    if "angle" in table
                    else exact.angle(exact.between(self.q0, j, i), exact.between(self.q0, j, k))
                )
                u = harmonic(self.number(table["stiffness"], indices), rest)
            yield of_angle(self.space, i, j, k, u), [i, j, k]

    def torsions(self, table):
        for four, indices in self.members(table):
            yield of_torsion(self.space, four, self.formula(table["potential"], ["phi"], indices)), four

    def fields(self, table):
        formula = self.formula(table["potential"], list(AXES[: self.d]) + ["m"])
        for k in self.chosen(table):
            yield of_coordinates(self.space, [k], formula, [self.mass[k]]), [k]

    def pairs(self, table):
        u = self.formula(table["potential"], ["r"])
        cutoff = self.number(table["cutoff"], {})
        for i, j in self.acting_pairs(table):
            if self.apart(i, j) > float(cutoff) + FAR:
                continue
            yield pair(self.space, i, j, u, cutoff, self.box, table.get("truncation", "shift")), [i, j]

    def apart(self, i, j):
        between = [float(nearest(c, b)) for c, b in zip(self.space.between(self.q0, i, j), self.box)]
        return sum(c * c for c in between) ** 0.5

    def acting_pairs(self, table):
        if "between" in table:
            first, second = (set(self.chosen(which)) for which in table["between"])
        else:
            first = second = set(self.chosen(table))
        far = int(self.number(table.get("exclude_bonded", 0), {}))
        for i, j in itertools.combinations(range(self.count), 2):
            acts = (i in first and j in second) or (j in first and i in second)
            if acts and self.bonds_between(i, j) > far:
                yield i, j

    def graph(self):
        neighbours = [set() for _ in range(self.count)]
        for name in ("rods", "springs"):
            for table in self.tables_called(name):
                for (i, j), _ in self.members(table):
                    neighbours[i].add(j)
                    neighbours[j].add(i)
        return neighbours

    def bonds_between(self, i, j):
        """How many rods or springs lead from i to j, at least."""
        reached, edge, steps = {i}, {i}, 0
        while edge:
            if j in edge:
                return steps
            edge = set().union(*(self.bonded[k] for k in edge)) - reached
            reached |= edge
            steps += 1
        return float("inf")

    # Mechanics: as of any natural system, but the mass matrix is a diagonal.

    def start(self):
        mass = [m for m in self.mass for _ in range(self.d)]
        return list(self.q0), [m * v for m, v in zip(mass, self.v0)]

    def H_p(self, q, p):
        return self.velocity(p)

    def velocity(self, p):
        return [c / self.mass[k // self.d] for k, c in enumerate(p)]

    def kinetic(self, p):
        return sum((a * b for a, b in zip(p, self.velocity(p))), self.kind.zero) / 2


def harmonic(stiffness, rest):
    return lambda x: stiffness * (x[0] - rest) ** 2 / 2
