"""The steps of half-explicit methods: stages one after the other, each of which takes its multipliers from a
constraint. Written from docs/theory/half-explicit.md and half-explicit-runge-kutta.md.
"""
from stages import solution
from system import along, plus, times


class HalfExplicitEuler:
    """p from the forces at q, then q: the multiplier lands q on g = 0."""

    def make(self, s, q, p, h):
        kicked, G = plus(p, s.H_q(q, p), -h), s.G(q)

        def end(mu):
            p1 = along(G, mu, kicked)
            return plus(q, s.H_p(q, p1), h), p1

        return end(solution(lambda mu: s.g(end(mu)[0]), [[0.0] * s.m]))


W = 6**0.5
# The rows of A below the diagonal, and b as the last row: Brasey and Hairer 1993.
ROWS = {
    1: [[1]],
    2: [[1 / 2], [0, 1]],
    3: [[1 / 3], [-1, 2], [0, 3 / 4, 1 / 4]],
    4: [
        [3 / 10],
        [(1 + W) / 30, (11 - 4 * W) / 30],
        [(-79 - 31 * W) / 150, (-1 - 4 * W) / 30, (24 + 11 * W) / 25],
        [(14 + 5 * W) / 6, (-8 + 7 * W) / 6, (-9 - 7 * W) / 4, (9 - W) / 4],
        [0, 0, (16 - W) / 36, (16 + W) / 36, 1 / 9],
    ],
}


class HalfExplicit:
    """Each stage takes the multiplier of the stage before it from G H_p = 0."""

    def __init__(self, order):
        self.rows = ROWS[order]

    def make(self, s, q, p, h):
        velocities, forces, Q, P = [], [], q, p
        for row in self.rows:
            velocities.append(s.H_p(Q, P))
            forces.append([-v for v in s.H_q(Q, P)])
            G = s.G(Q)
            Q, base = q, p
            for a, v, f in zip(row, velocities, forces):
                Q, base = plus(Q, v, h * a), plus(base, f, h * a)
            G1 = s.G(Q)
            moved = lambda l: along(G, [row[-1] * v for v in l], base)
            l = solution(lambda l: times(G1, s.H_p(Q, moved(l))), [[0.0] * s.m])
            P = moved(l)
            forces[-1] = along(G, [v / h for v in l], forces[-1])
        return Q, P
