# The two systems that taut's peers solve here: a freely jointed chain, and rigid waters that do not feel each other. Lengths in nm.
import math
import random

BOND, BOND_MASS = 0.15, 14.0
OH, ANGLE = 0.09572, math.radians(104.52)
HH = 2 * OH * math.sin(ANGLE / 2)
WATER_MASSES = (15.999, 1.008, 1.008)
STEP = 0.002  # ps
TEMPERATURE = 300  # K


def direction():
    z, phi = random.uniform(-1, 1), random.uniform(0, 2 * math.pi)
    s = math.sqrt(1 - z * z)
    return (s * math.cos(phi), s * math.sin(phi), z)


# Positions, masses, and the rigid distances (i, j, length) of `count` bonds or waters.
def chain(count):
    random.seed(1)
    x = [(0.0, 0.0, 0.0)]
    for _ in range(count):
        u = direction()
        x.append(tuple(x[-1][a] + BOND * u[a] for a in range(3)))
    low = [min(p[a] for p in x) for a in range(3)]
    x = [tuple(p[a] - low[a] + 1 for a in range(3)) for p in x]
    return x, [BOND_MASS] * len(x), [(i, i + 1, BOND) for i in range(count)]


def waters(count):
    random.seed(1)
    side = math.ceil(count ** (1 / 3))
    x, rods = [], []
    for k in range(count):
        centre = [0.31 * (k // side**a % side) + 0.2 for a in range(3)]
        u, w = direction(), direction()
        along = sum(u[a] * w[a] for a in range(3))
        v = [w[a] - along * u[a] for a in range(3)]  # at a right angle to u
        size = math.sqrt(sum(c * c for c in v))
        v = [c / size for c in v]
        x.append(tuple(centre))
        x.append(tuple(centre[a] + OH * u[a] for a in range(3)))
        x.append(tuple(centre[a] + OH * (math.cos(ANGLE) * u[a] + math.sin(ANGLE) * v[a]) for a in range(3)))
        rods += [(3 * k, 3 * k + 1, OH), (3 * k, 3 * k + 2, OH), (3 * k + 1, 3 * k + 2, HH)]
    return x, list(WATER_MASSES) * count, rods


def largest_error(x, rods):
    return max(abs(math.dist(x[i], x[j]) / length - 1) for i, j, length in rods)


def box_of(x):
    return math.ceil(max(max(p) for p in x)) + 1


def report(peer, system, count, how, microseconds, error):
    what, constraints = ("bonds", count) if system == "chain" else ("waters", 3 * count)
    each = 1000 * microseconds / constraints
    print(f"{peer}, {count} {what}, {how}: {microseconds:.0f} us a step ({each:.0f} ns per constraint), lengths to {error:.1e}", flush=True)
