"""The terms of a system of particles, as energies and constraints of the coordinates of a few particles.

Everything follows from the tables of docs/guide/particles.md; forces come from differences of these energies.
"""
from arithmetic import Digits
from evaluate import function_of
from formula import parse


class Geometry:
    """Vectors of d coordinates: particle k has the entries d k, ..., d k + d - 1 of x."""

    def __init__(self, d, kind, noise):
        self.d, self.kind, self.noise = d, kind, noise

    def factor(self):
        return self.noise.factor() if self.noise else 1

    def at(self, x, k):
        return x[self.d * k : self.d * k + self.d]

    def between(self, x, i, j):
        return [b - a for a, b in zip(self.at(x, i), self.at(x, j))]

    def root(self, value):
        return self.kind.root(value)

    def length(self, v):
        return self.root(dot(v, v))

    def angle(self, u, v):
        """The angle between two vectors, by the tangent of its half: right near 0 and near 180 degrees too."""
        a, b = self.length(u), self.length(v)
        difference = [p / a - q / b for p, q in zip(u, v)]
        total = [p / a + q / b for p, q in zip(u, v)]
        return 2 * self.kind.atan2(self.length(difference), self.length(total))


def dot(u, v):
    return sum(a * b for a, b in zip(u, v))


def cross(u, v):
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def formula_of(text, inputs, known, kind, noise):
    place = dict(known)
    place.update((name, k) for k, name in enumerate(inputs))
    return function_of(parse(text), place, kind, noise)


def rod(space, i, j, length):
    e = space.factor()
    return lambda x: (e * dot(space.between(x, i, j), space.between(x, i, j)) - length * length) / 2


def rigid_angle(space, i, j, k, angle):
    e, cosine = space.factor(), space.kind.cos(angle)

    def g(x):
        u, v = space.between(x, j, i), space.between(x, j, k)
        return e * dot(u, v) - cosine * space.length(u) * space.length(v)

    return g


def of_coordinates(space, which, formula, extra=()):
    """A formula of the coordinates of some particles, one after another, and of further numbers."""
    return lambda x: formula([c for k in which for c in space.at(x, k)] + list(extra))


def of_distance(space, i, j, u):
    e = space.factor()
    return lambda x: u([e * space.length(space.between(x, i, j))])


def of_angle(space, i, j, k, u):
    """u is a function of theta and costheta."""
    e = space.factor()

    def V(x):
        a, b = space.between(x, j, i), space.between(x, j, k)
        theta = e * space.angle(a, b)
        return u([theta, space.kind.cos(theta)])

    return V


def torsion_angle(space, x, i, j, k, l):
    """Looking along the middle bond: 0 if the ends are on the same side, positive if the far one is
    clockwise.
    """
    b1, b2, b3 = space.between(x, i, j), space.between(x, j, k), space.between(x, k, l)
    n1, n2 = cross(b1, b2), cross(b2, b3)
    return space.kind.atan2(dot(cross(n1, n2), b2) / space.length(b2), dot(n1, n2))


def of_torsion(space, four, u):
    e = space.factor()
    return lambda x: u([e * torsion_angle(space, x, *four)])


def nearest(value, edge):
    """The image of a difference that is nearest to 0."""
    if not edge:
        return value
    return value - edge * round_to_whole(value / edge)


def round_to_whole(value):
    whole = int(value)
    rest = value - whole
    return whole + (1 if rest > 0.5 else -1 if rest < -0.5 else 0)


def pair(space, i, j, u, cutoff, box, truncation):
    """u(r) for the nearest images, minus what the truncation takes away; nothing beyond the cutoff."""
    e, kind = space.factor(), space.kind
    edge = u([cutoff])
    slope = next(kind.slopes(u, [cutoff], [0]))[1] if truncation == "force-shift" else 0
    edge = edge if truncation != "none" else 0

    def V(x):
        v = [nearest(c, b) for c, b in zip(space.between(x, i, j), box)]
        r = e * space.length(v)
        return u([r]) - edge - slope * (r - cutoff) if r < cutoff else kind.zero

    return V


__all__ = [
    "Digits",
    "Geometry",
    "formula_of",
    "of_angle",
    "of_coordinates",
    "of_distance",
    "of_torsion",
    "pair",
    "rigid_angle",
    "rod",
]
