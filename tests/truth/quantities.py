"""The columns of a sample of a system of particles, calculated again from its positions and momenta."""
from arithmetic import Digits
from multiplier import multiplier
from particle_system import AXES
from particle_terms import nearest
from system import times

QUANTITIES = [
    "energies",
    "forces",
    "multipliers",
    "virial",
    "iterations",
    "potentials",
    "virial_potentials",
    "pressure",
]

# Sums of some ten terms in doubles, with derivatives whose terms may cancel; in 1000 models the largest was
# 6e-13.
CLOSE = 1e-9


def vectors(x, d):
    return [x[k : k + d] for k in range(0, len(x), d)]


def tensor(x, f, d):
    """The sum of x_a f_b over all particles."""
    return {
        AXES[a] + AXES[b]: sum((u[a] * v[b] for u, v in zip(vectors(x, d), vectors(f, d))), Digits.zero)
        for a in range(d)
        for b in range(d)
    }


def with_trace(name, parts, d):
    found = {name: sum((parts[axis * 2] for axis in AXES[:d]), Digits.zero)}
    found.update((name + "_" + axes, value) for axes, value in parts.items())
    return found


def virial_of_potentials(s, q):
    """Pairs count with the vector between nearest images, everything else with the positions."""
    total = {a + b: Digits.zero for a in AXES[: s.d] for b in AXES[: s.d]}
    for name, terms in s.tables.items():
        for _, f, places in terms.parts:
            force = [Digits.zero] * s.n
            for k, slope in s.kind.slopes(f, list(q), places):
                force[k] = -slope
            arm = list(q)
            if name.startswith("V_pair"):
                i, j = places[0] // s.d, places[-1] // s.d
                arm = [Digits.zero] * s.n
                between = [nearest(c, b) for c, b in zip(s.space.between(q, i, j), s.box)]
                arm[s.d * j : s.d * j + s.d] = between
            for axes, value in tensor(arm, force, s.d).items():
                total[axes] += value
    return total


def values_of(s, q, p, columns):
    """Every column that the oracle knows, by name; only what is asked for is calculated."""
    found = {
        "energy": s.H(q, p),
        "kinetic_energy": s.kinetic(p),
        "potential_energy": s.H(q, p) - s.kinetic(p),
    }
    found.update((name, terms(q)) for name, terms in s.tables.items())
    mine = None
    if {"lambda_1", "f_x0", "virial", "pressure"} & set(columns):
        mine = multiplier(s, q, p)
        force = [-v for v in times([list(c) for c in zip(*s.G(q))], mine)] if s.m else [Digits.zero] * s.n
        found.update(("lambda_%d" % (k + 1), value) for k, value in enumerate(mine))
        found.update(("f_" + name, value) for name, value in zip(s.names, force))
        found.update(with_trace("virial", tensor(q, force, s.d), s.d))
    if {"virial_V", "pressure"} & set(columns):
        found.update(with_trace("virial_V", virial_of_potentials(s, q), s.d))
    if "pressure" in columns:
        volume = 1
        for edge in s.box:
            volume *= edge
        found["pressure"] = (2 * s.kinetic(p) + found["virial"] + found["virial_V"]) / (s.d * volume)
    return found


def compare_rows(s, columns, rows, demand):
    """The first and the last row; what lies between has the same code."""
    for row in (rows[0], rows[-1]):
        x = [Digits.number(v) for v in row]
        q, p = x[1 : 1 + s.n], x[1 + s.n : 1 + 2 * s.n]
        demand(columns[1 : 1 + s.n] == s.names, "names of the columns")
        found = values_of(s, q, p, columns)
        forces = max([abs(v) for v in s.H_q(q, p)] + [abs(v) for v in p] + [1])
        for name, value in found.items():
            if name in columns:
                got = row[columns.index(name)]
                demand(
                    abs(value - got) <= CLOSE * (abs(value) + forces),
                    "%s at t = %g: expected %.17g, found %.17g" % (name, row[0], float(value), got),
                )
        unknown = [
            c
            for c in columns[1 + 2 * s.n :]
            if c not in found and c not in ("position_residual", "momentum_residual", "iterations")
        ]
        demand(not unknown, "columns that the oracle does not know: %s" % unknown)
