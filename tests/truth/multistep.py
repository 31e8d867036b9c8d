"""The symmetric multistep formulas, written from docs/theory/multistep.md: their points, one after the other."""
import re

from newton import NoSolution
from stages import StageStep, eliminated, solution, underlying_field
from system import along, plus


def coefficients(table, k):
    """rho, and the beta of sigma, from the numbers that the program has."""
    with open(table, encoding="utf-8") as file:
        text = file.read()
    numbers = lambda name: [int(n) for n in re.search(r"> %s = \{([^}]*)\}" % name, text)[1].split(",")]
    divisor = int(re.search(r"MultistepTable\{%d, \w+::a%d, \w+::beta%d, (\d+)," % (k, k, k), text)[1])
    rho = [1.0, -2.0, 1.0]
    for a in numbers("a%d" % k):
        rho = [sum(rho[j - i] * f for i, f in enumerate([1, a / 5, 1]) if 0 <= j - i < len(rho))
               for j in range(len(rho) + 2)]  # fmt: skip
    half = [b / divisor for b in numbers("beta%d" % k)]
    return rho, [half[abs(j - k // 2)] if 0 < j < k else 0.0 for j in range(k + 1)]


class Multistep:
    def __init__(self, k, table):
        self.k, (self.rho, self.beta) = k, coefficients(table, k)

    def points(self, s, q, p, h):
        """Positions and forces at -l+1 … l steps, by short steps of order 8; the last has no force yet."""
        l, parts = self.k // 2, 8
        method, ends = StageStep("lobatto", 5), {0: (q, p)}
        for side in (1, -1):
            x = (q, p)
            for j in range(1, l + 1 if side > 0 else l):
                for _ in range(parts):
                    x = method.make(s, *x, side * h / parts)
                ends[side * j] = x
        order = sorted(ends)
        return [ends[j][0] for j in order], [underlying_field(s, *ends[j])[1] for j in order[:-1]]

    def make(self, s, q, p, h, steps):
        """Goes so many steps; a step without a solution raises NoSolution."""
        at, force = self.points(s, q, p, h)
        for _ in range(steps):
            at, force = self.step(s, at, force, h)
        return at

    def step(self, s, at, force, h):
        k, newest = self.k, at[-1]
        G, pull = (s.G(newest) if s.m else []), s.slope_of_V(newest)

        def next_of(mu):
            last = [-a for a in pull]
            if s.m:
                last = along(G, mu, last)
            sums = [0.0] * s.n
            for j in range(1, k):
                whole = last if j == k - 1 else force[len(force) - (k - 2) + j - 1]
                sums = plus(sums, whole, self.beta[j])
            q = [h * h * v for v in s.velocity(sums)]
            for j in range(k):
                q = plus(q, at[len(at) - k + j], -self.rho[j])
            return q, last

        mu = [0.0] * s.m
        if s.m:
            mu = solution(lambda z: s.g(next_of(z)[0]), [mu, self.guess(s, G, pull)])
        q, last = next_of(mu)
        return (at + [q])[-k:], (force + [last])[-(k - 1) :]

    def guess(self, s, G, pull):
        """The multiplier that holds a mass at rest."""
        matrix = [[sum(a * b for a, b in zip(row, s.velocity(other))) for other in G] for row in G]
        right = [-sum(a * b for a, b in zip(row, s.velocity(pull))) for row in G]
        try:
            return eliminated(matrix, right)
        except ArithmeticError as error:
            raise NoSolution(str(error)) from error
