"""The steps of stage methods as equations in floats, and a damped Newton iteration that looks for a solution.

Written from the theory pages, without any code of taut: lobatto(s), radau(s), gauss(s) as they stand and
projected, bdf(k). A solution is looked for from three starts, so that "none was found" means something.
"""
import math
import mpmath

from arithmetic import NoValue
from linear import Singular
from newton import NoSolution, size_of


def legendre(s):
    """The Legendre polynomial of degree s on [0, 1], as a function."""
    return lambda c: mpmath.legendre(s, 2 * c - 1)


def roots(f, count):
    """All roots of f in (0, 1), which lie apart."""
    found, cells = [], 400
    for k in range(cells):
        a, b = mpmath.mpf(k) / cells, mpmath.mpf(k + 1) / cells
        if f(a) == 0 and 0 < a:
            found.append(a)
        elif f(a) * f(b) < 0:
            found.append(mpmath.findroot(f, (a, b), solver="anderson"))
    assert len(found) == count, (found, count)
    return found


def nodes(family, s):
    P = legendre
    if family == "gauss":
        return roots(P(s), s)
    if family == "radau":
        return (roots(lambda c: P(s)(c) - P(s - 1)(c), s - 1) if s > 1 else []) + [mpmath.mpf(1)]
    slope = lambda c: P(s - 2)(c) - P(s)(c)  # a multiple of c (1 - c) P'
    return [mpmath.mpf(0)] + [c for c in roots(slope, s - 2) if 0 < c < 1] + [mpmath.mpf(1)]


def collocation(c):
    """The weights b, and A, of the method that integrates polynomials through the nodes exactly."""
    s = len(c)
    powers = mpmath.matrix(s, s)
    for k in range(s):
        for j in range(s):
            powers[k, j] = c[j] ** k
    weights = lambda end: mpmath.lu_solve(powers, mpmath.matrix([end ** (k + 1) / (k + 1) for k in range(s)]))
    A = [[float(a) for a in weights(end)] for end in c]
    return A, [float(b) for b in weights(mpmath.mpf(1))]


class Tableau:
    def __init__(self, family, s):
        c = nodes(family, s)
        self.A, self.b = collocation(c)
        self.c, self.s = [float(v) for v in c], s
        self.fixed = 1 if family == "lobatto" else 0
        self.A_hat = self.A
        if self.fixed:
            self.A_hat = [[self.b[j] * (1 - self.A[j][i] / self.b[i]) for j in range(s)] for i in range(s)]


def eliminated(matrix, right):
    """Solves a linear system of floats, with exchanges of rows after each was scaled."""
    n = len(right)
    rows = []
    for row, r in zip(matrix, right):
        largest = max(abs(v) for v in row)
        if not largest > 0 or not math.isfinite(largest):
            raise Singular("a row of zeros")
        rows.append([v / largest for v in row] + [r / largest])
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        pivot = rows[k]
        if not abs(pivot[k]) > 1e-15:
            raise Singular("no pivot")
        for i in range(k + 1, n):
            factor = rows[i][k] / pivot[k]
            if factor:
                row = rows[i]
                for j in range(k, n + 1):
                    row[j] -= factor * pivot[j]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x


def by_differences(residual, z):
    columns = []
    for k, kept in enumerate(z):
        little = 1e-6 * (1 + abs(kept))
        z[k] = kept + little
        above = residual(z)
        z[k] = kept - little
        columns.append([(a - b) / (2 * little) for a, b in zip(above, residual(z))])
        z[k] = kept
    return [list(row) for row in zip(*columns)]


def descent(residual, z, goal=1e-7, most=60):
    """Damped Newton: the largest residual must fall in each step. The Jacobian is by differences."""
    r = residual(z)
    for _ in range(most):
        if size_of(r) < goal:
            return z
        step = eliminated(by_differences(residual, list(z)), r)
        damping = 1.0
        while True:
            tried = [a - damping * b for a, b in zip(z, step)]
            try:
                found = residual(tried)
                if size_of(found) < (1 - damping / 8) * size_of(r):
                    break
            except (NoValue, OverflowError):
                pass
            damping /= 2
            if damping < 1e-5:
                raise NoSolution("residual %.1e" % size_of(r))
        z, r = tried, found
    raise NoSolution("residual %.1e" % size_of(r))


def solution(residual, guesses, goal=1e-7):
    """The first solution that is found, from any of the guesses."""
    said = "no guess"
    for guess in guesses:
        try:
            return descent(residual, list(guess), goal)
        except (NoSolution, NoValue, Singular, OverflowError, ZeroDivisionError) as error:
            said = str(error)
    raise NoSolution(said)


class StageStep:
    """One step of a Runge-Kutta method on q' = H_p, p' = -H_q - G'lambda, g = 0. The unknowns of each stage
    are Q and P, and h lambda if it has one.
    """

    def __init__(self, family, s, projected=False):
        self.tableau, self.projected = Tableau(family, s), projected or family == "lobatto"

    def cut(self, s, z):
        t, n, m = self.tableau, s.n, s.m
        free = t.s - t.fixed
        Q = [None] * t.fixed + [z[i * n : (i + 1) * n] for i in range(free)]
        at = free * n
        P = [z[at + i * n : at + (i + 1) * n] for i in range(t.s)]
        at += t.s * n
        L = [z[at + i * m : at + (i + 1) * m] for i in range(free)]
        return Q, P, L

    def slopes(self, s, q, h, z):
        Q, P, L = self.cut(s, z)
        if self.tableau.fixed:
            Q[0] = q
        velocity = [s.H_p(a, b) for a, b in zip(Q, P)]
        force = []
        for j, (a, b) in enumerate(zip(Q, P)):
            f = [h * v for v in s.H_q(a, b)]
            if j < len(L) and s.m:
                for row, impulse in zip(s.G(a), L[j]):
                    f = [x + g * impulse for x, g in zip(f, row)]
            force.append(f)
        return Q, P, velocity, force

    def residual(self, s, q, p, h):
        t = self.tableau

        def of(z):
            Q, P, velocity, force = self.slopes(s, q, h, z)
            r = []
            for i in range(t.s):
                if i >= t.fixed:
                    r += [
                        Q[i][k] - q[k] - h * sum(t.A[i][j] * velocity[j][k] for j in range(t.s))
                        for k in range(s.n)
                    ]
                    r += s.g(Q[i])
                last = t.s - t.fixed
                r += [
                    P[i][k] - p[k] + sum(t.A_hat[i][j] * force[j][k] for j in range(last)) for k in range(s.n)
                ]
            return r

        return of

    def guesses(self, s, q, p, h):
        t = self.tableau
        v, f = s.H_p(q, p), s.H_q(q, p)
        free = t.c[t.fixed :]
        for part, kick in ((1, 1), (0, 0), (1, 0), (0.5, 0)):
            z = []
            for c in free:
                z += [a + part * c * h * b for a, b in zip(q, v)]
            for c in t.c:
                z += [a - kick * c * h * b for a, b in zip(p, f)]
            yield z + [0.0] * (len(free) * s.m)

    def make(self, s, q, p, h):
        """The end of the step, or NoSolution."""
        t = self.tableau
        z = solution(self.residual(s, q, p, h), self.guesses(s, q, p, h))
        _, _, velocity, force = self.slopes(s, q, h, z)
        q1 = [q[k] + h * sum(b * v[k] for b, v in zip(t.b, velocity)) for k in range(s.n)]
        p1 = [p[k] - sum(b * f[k] for b, f in zip(t.b, force)) for k in range(s.n)]
        return projected(s, q1, p1, t.fixed == 0) if self.projected and s.m else (q1, p1)


def projected(s, q, p, position):
    """Moves q along H_pp G' to g = 0 and p along G' to G H_p = 0."""
    G = s.G(q)
    little = 1e-4
    if position:
        ways = []
        for row in G:
            above = s.H_p(q, [a + little * b for a, b in zip(p, row)])
            below = s.H_p(q, [a - little * b for a, b in zip(p, row)])
            ways.append([(a - b) / (2 * little) for a, b in zip(above, below)])
        moved = lambda mu: [v - sum(m * w[k] for m, w in zip(mu, ways)) for k, v in enumerate(q)]
        q = moved(solution(lambda mu: s.g(moved(mu)), [[0.0] * s.m]))
        G = s.G(q)
    kicked = lambda nu: [v - sum(n * row[k] for n, row in zip(nu, G)) for k, v in enumerate(p)]

    def tangent(nu):
        v = s.H_p(q, kicked(nu))
        return [sum(a * b for a, b in zip(row, v)) for row in G]

    return q, kicked(solution(tangent, [[0.0] * s.m]))


class BdfStep:
    """One implicit Euler step of length h/alpha_0 from the weighted sum of the past, newest first."""

    def __init__(self, k):
        self.alpha = [0.0] * (k + 1)
        for j in range(1, k + 1):
            for i in range(j + 1):
                self.alpha[i] += (-1) ** i * math.comb(j, i) / j
        self.euler = StageStep("radau", 1)

    def make(self, s, past, h):
        mean = lambda values: [
            -sum(a / self.alpha[0] * v[k] for a, v in zip(self.alpha[1:], values)) for k in range(s.n)
        ]
        return self.euler.make(s, mean([x[0] for x in past]), mean([x[1] for x in past]), h / self.alpha[0])


def derivative(f, x, way, little=1e-5):
    """The derivative of a list f(x) along a way."""
    above = f([a + little * b for a, b in zip(x, way)])
    below = f([a - little * b for a, b in zip(x, way)])
    return [(a - b) / (2 * little) for a, b in zip(above, below)]


def multiplier(s, q, p):
    """The lambda for which G H_p stays zero."""
    n = s.n

    def hidden(x):
        v = s.H_p(x[:n], x[n:])
        return [sum(a * b for a, b in zip(row, v)) for row in s.G(x[:n])]

    x, rest = q + p, [0.0] * n
    free = derivative(hidden, x, s.H_p(q, p) + [-v for v in s.H_q(q, p)])
    columns = [derivative(hidden, x, rest + row) for row in s.G(q)]
    return eliminated([list(row) for row in zip(*columns)], free)


def underlying_field(s, q, p):
    """q' = H_p, p' = -H_q - G'lambda(q, p)."""
    force = [-v for v in s.H_q(q, p)]
    if s.m:
        for row, factor in zip(s.G(q), multiplier(s, q, p)):
            force = [a - factor * b for a, b in zip(force, row)]
    return s.H_p(q, p), force


def dirac_field(s, q, p):
    """Hamilton's equations of H + g'lambda(q, p)."""
    x = q + p
    extra = lambda x: [sum(a * b for a, b in zip(s.g(x[: s.n]), multiplier(s, x[: s.n], x[s.n :])))]
    slope = []
    for k in range(2 * s.n):
        way = [0.0] * (2 * s.n)
        way[k] = 1.0
        slope += derivative(extra, x, way, 1e-4)
    v = [a + b for a, b in zip(s.H_p(q, p), slope[s.n :])]
    return v, [-a - b for a, b in zip(s.H_q(q, p), slope[: s.n])]


class FieldStep:
    """Gauss on a vector field, as it is or under two impulses. The unknowns are the stages, then mu."""

    def __init__(self, s, field, lands=False):
        self.tableau, self.field, self.lands = Tableau("gauss", s), field, lands

    def slopes(self, s, z):
        n = s.n
        stages = [z[2 * n * i : 2 * n * (i + 1)] for i in range(self.tableau.s)]
        return stages, [sum(self.field(s, x[:n], x[n:]), []) for x in stages]

    def start(self, s, q, p, z):
        """The state after the first impulse."""
        if not self.lands:
            return q + p
        mu = z[2 * s.n * self.tableau.s :]
        return q + [v - sum(m * row[k] for m, row in zip(mu, s.G(q))) for k, v in enumerate(p)]

    def residual(self, s, q, p, h):
        t = self.tableau

        def of(z):
            x, (stages, f) = self.start(s, q, p, z), self.slopes(s, z)
            r = []
            for i in range(t.s):
                for k in range(2 * s.n):
                    r.append(stages[i][k] - x[k] - h * sum(t.A[i][j] * f[j][k] for j in range(t.s)))
            if self.lands:
                r += s.g([x[k] + h * sum(b * v[k] for b, v in zip(t.b, f)) for k in range(s.n)])
            return r

        return of

    def make(self, s, q, p, h):
        f, t = sum(self.field(s, q, p), []), self.tableau
        more = [0.0] * (s.m if self.lands else 0)
        guesses = [
            sum([[a + part * c * h * b for a, b in zip(q + p, f)] for c in t.c], []) + more for part in (1, 0)
        ]
        # The field is by differences of differences, so a residual says less. A root that is very far away does
        # not lead back to the state as h vanishes.
        z = solution(self.residual(s, q, p, h), guesses, 1e-5)
        if max(abs(v) for v in z) > 17 * max(abs(v) for v in q + p + [h * v for v in f]):
            raise NoSolution("a root far away")
        x, (_, f) = self.start(s, q, p, z), self.slopes(s, z)
        end = [a + h * sum(b * v[k] for b, v in zip(t.b, f)) for k, a in enumerate(x)]
        return end[: s.n], end[s.n :]
