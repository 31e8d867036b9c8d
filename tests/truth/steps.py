"""One step of each method as a system of equations in unknowns z: the residual, and the state that z gives.

Every method but the explicit ones ends with the impulse nu, which makes the momentum tangent. The equations
are those of docs/theory, written again.
"""
from arithmetic import Digits
from multiplier import multiplier
from system import along, plus, times


def end_of(s, q1, p, nu):
    """The last impulse: p1, and the residual of both constraints at the end of the step."""
    if not s.m:
        return p, []
    G1 = s.G(q1)
    p1 = along(G1, nu, p)
    return p1, s.g(q1) + times(G1, s.H_p(q1, p1))


class Step:
    """The unknowns are some of the method's own, then the impulses mu and nu."""

    def guess(self, s, q, p, h):
        return self.inner(q, p) + [0.0] * (2 * s.m)

    def inner(self, q, p):
        return []

    def cut(self, s, z):
        inner = len(z) - 2 * s.m
        return z[:inner], z[inner : inner + s.m], z[inner + s.m :]

    def residual(self, s, q, p, h):
        G0 = s.G(q)

        def of(z):
            inner, mu, nu = self.cut(s, z)
            rest, q1, p_end = self.equations(s, q, along(G0, mu, p), h, inner)
            return rest + end_of(s, q1, p_end, nu)[1]

        return of

    def state(self, s, q, p, h, z):
        inner, mu, nu = self.cut(s, z)
        _, q1, p_end = self.equations(s, q, along(s.G(q), mu, p), h, inner)
        return q1, end_of(s, q1, p_end, nu)[0]


class Rattle(Step):
    def equations(self, s, q, p, h, z):
        half = plus(p, s.slope_of_V(q), -h / 2)
        q1 = plus(q, s.velocity(half), h)
        return [], q1, plus(half, s.slope_of_V(q1), -h / 2)


class SymplecticEuler(Step):
    def equations(self, s, q, p, h, z):
        p = plus(p, s.slope_of_V(q), -h)
        return [], plus(q, s.velocity(p), h), p


class Impulse(Step):
    """k substeps of Verlet with the fast force between two kicks of the slow one."""

    def __init__(self, k):
        self.k = k

    def equations(self, s, q, p, h, z):
        fast, slow = 0, 1
        p = plus(p, s.slope_of_V(q, slow), -h / 2)
        for _ in range(self.k):
            p = plus(p, s.slope_of_V(q, fast), -h / (2 * self.k))
            q = plus(q, s.velocity(p), h / self.k)
            p = plus(p, s.slope_of_V(q, fast), -h / (2 * self.k))
        return [], q, plus(p, s.slope_of_V(q, slow), -h / 2)


class Midpoint(Step):
    """The unknowns are the state (Q, P) in the middle."""

    def inner(self, q, p):
        return list(q) + list(p)

    def slopes(self, s, Q, P):
        return s.H_q(Q, P), s.H_p(Q, P)

    def equations(self, s, q, p, h, z):
        Q, P = z[: s.n], z[s.n :]
        H_q, H_p = self.slopes(s, Q, P)
        rest = plus(Q, plus(q, H_p, h / 2), -1) + plus(P, plus(p, H_q, -h / 2), -1)
        return rest, plus(q, H_p, h), plus(p, H_q, -h)


class MixedMidpoint(Midpoint):
    def slopes(self, s, Q, P):
        return s.slope_of_V(Q, 0), s.velocity(P)

    def equations(self, s, q, p, h, z):
        rest, q1, p1 = super().equations(s, q, plus(p, s.slope_of_V(q, 1), -h / 2), h, z)
        return rest, q1, plus(p1, s.slope_of_V(q1, 1), -h / 2)


class Lobatto2(Step):
    """Both stages have one momentum P; Q1 is q and Q2 is the end. The unknowns are the end and P."""

    def inner(self, q, p):
        return list(q) + list(p)

    def equations(self, s, q, p, h, z):
        q1, P = z[: s.n], z[s.n :]
        mean = plus(s.H_p(q, P), s.H_p(q1, P))
        rest = plus(q1, plus(q, mean, h / 2), -1) + plus(P, plus(p, s.H_q(q, P), -h / 2), -1)
        return rest, q1, plus(P, s.H_q(q1, P), -h / 2)


class Explicit:
    """A Runge-Kutta method on q' = H_p, p' = -H_q - G'lambda(q, p). It has no equations to solve."""

    def __init__(self, rows, weights):
        self.rows, self.weights = rows, weights

    def guess(self, s, q, p, h):
        return []

    def residual(self, s, q, p, h):
        return lambda z: []

    def field(self, s, q, p):
        force = [-v for v in s.H_q(q, p)]
        return s.H_p(q, p), along(s.G(q), multiplier(s, q, p), force) if s.m else force

    def state(self, s, q, p, h, z):
        slopes = []
        for row in self.rows + [self.weights]:
            Q, P = q, p
            for a, (dq, dp) in zip(row, slopes):
                Q, P = plus(Q, dq, h * a), plus(P, dp, h * a)
            if len(slopes) < len(self.weights):
                slopes.append(self.field(s, Q, P))
        return Q, P


def sixth(k):
    return Digits.number(k) / 6


SUZUKI = 1 / (4 - 4 ** (1 / 3))
YOSHIDA = 1 / (2 - 2 ** (1 / 3))

# Each method as the steps, and the fractions of h, of which it consists. shake and verlet are rattle at the
# end of a step.
NATURAL = {
    "rattle": (Rattle(), [1]),
    "shake": (Rattle(), [1]),
    "shake(two-step)": (Rattle(), [1]),
    "verlet": (Rattle(), [1]),
    "symplectic-euler": (SymplecticEuler(), [1]),
    "yoshida4": (Rattle(), [YOSHIDA, 1 - 2 * YOSHIDA, YOSHIDA]),
    "suzuki4": (Rattle(), [SUZUKI, SUZUKI, 1 - 4 * SUZUKI, SUZUKI, SUZUKI]),
}
SPLIT = {
    "impulse(1)": (Impulse(1), [1]),
    "impulse(3)": (Impulse(3), [1]),
    "mixed-midpoint": (MixedMidpoint(), [1]),
}
ANY = {
    "midpoint": (Midpoint(), [1]),
    "lobatto(2)": (Lobatto2(), [1]),
    "euler": (Explicit([[]], [1]), [1]),
    "rk4": (Explicit([[], [0.5], [0, 0.5], [0, 0, 1]], [sixth(1), sixth(2), sixth(2), sixth(1)]), [1]),
    "yoshida4(midpoint)": (Midpoint(), [YOSHIDA, 1 - 2 * YOSHIDA, YOSHIDA]),
}
METHODS = {**NATURAL, **SPLIT, **ANY}
