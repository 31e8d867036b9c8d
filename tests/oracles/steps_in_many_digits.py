#!/usr/bin/env python3
"""Steps of RATTLE, lobatto(3) and the projected midpoint rule with 60 digits: prints the table of
tests/oracles/steps_in_many_digits.cpp. It shares no code with taut; the derivatives are written by hand."""
from mpmath import mp, mpf, matrix, findroot, sqrt, sin, cos, pi, nstr

mp.dps = 60


class Pendulum:
    n, m = 2, 1
    start = [mpf(3) / 5, -mpf(4) / 5], [mpf(4) / 10, mpf(3) / 10]
    H_q = staticmethod(lambda q, p: [mpf(0), mpf(1)])
    H_p = staticmethod(lambda q, p: list(p))
    g = staticmethod(lambda q: [(q[0] ** 2 + q[1] ** 2 - 1) / 2])
    G = staticmethod(lambda q: [[q[0], q[1]]])


class DoublePendulum:
    n, m = 4, 2
    s, c = sin(pi / 6), cos(pi / 6)
    start = [s, -c, mpf(0), -2 * c], [mpf(0)] * 4
    H_q = staticmethod(lambda q, p: [mpf(0), mpf(1), mpf(0), mpf(1)])
    H_p = staticmethod(lambda q, p: list(p))
    g = staticmethod(lambda q: [(q[0] ** 2 + q[1] ** 2 - 1) / 2,
                                ((q[2] - q[0]) ** 2 + (q[3] - q[1]) ** 2 - 1) / 2])
    G = staticmethod(lambda q: [[q[0], q[1], mpf(0), mpf(0)],
                                [q[0] - q[2], q[1] - q[3], q[2] - q[0], q[3] - q[1]]])


class ChargedParticle:
    n, m = 3, 1
    start = [mpf(2) / 10, mpf(2) / 10, sqrt(mpf(92) / 100)], [mpf(1), mpf(-1), mpf(0)]

    @staticmethod
    def H_q(q, p):
        return [-(p[1] - q[0]), p[0] + q[1], mpf(-1)]

    @staticmethod
    def H_p(q, p):
        return [p[0] + q[1], p[1] - q[0], p[2]]

    @staticmethod
    def g(q):
        return [sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2) - 1]

    @staticmethod
    def G(q):
        r = sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2)
        return [[q[0] / r, q[1] / r, q[2] / r]]


def pull(s, q, l):
    G = s.G(q)
    return [sum(G[k][i] * l[k] for k in range(s.m)) for i in range(s.n)]


def push(s, q, v):
    return [sum(row[i] * v[i] for i in range(s.n)) for row in s.G(q)]


def solve(f, z):
    found = findroot(lambda *x: f(list(x)), z, tol=mpf(10) ** -100, maxsteps=40, verify=False)
    z = list(found)
    assert max(abs(r) for r in f(z)) < mpf(10) ** -50
    return z


def cut(z, *sizes):
    parts, at = [], 0
    for size in sizes:
        parts.append(z[at:at + size])
        at += size
    return parts


def rattle(s, q, p, h):
    def end(l, mu):
        half = [a - h / 2 * (b + c) for a, b, c in zip(p, s.H_q(q, p), pull(s, q, l))]
        q1 = [a + h * v for a, v in zip(q, half)]
        return q1, [a - h / 2 * (b + c) for a, b, c in zip(half, s.H_q(q1, half), pull(s, q1, mu))]

    def residual(z):
        q1, p1 = end(*cut(z, s.m, s.m))
        return s.g(q1) + push(s, q1, p1)

    return end(*cut(solve(residual, [mpf(0)] * (2 * s.m)), s.m, s.m))


def midpoint(s, q, p, h):
    def end(Q, P, mu, nu):
        q1 = [a + h * v for a, v in zip(q, s.H_p(Q, P))]
        p0 = [a - b for a, b in zip(p, pull(s, q, mu))]
        p1 = [a - h * f for a, f in zip(p0, s.H_q(Q, P))]
        return q1, p0, [a - b for a, b in zip(p1, pull(s, q1, nu))]

    def residual(z):
        Q, P, mu, nu = cut(z, s.n, s.n, s.m, s.m)
        q1, p0, p1 = end(Q, P, mu, nu)
        return ([a - b - h / 2 * v for a, b, v in zip(Q, q, s.H_p(Q, P))]
                + [a - b + h / 2 * f for a, b, f in zip(P, p0, s.H_q(Q, P))]
                + s.g(q1) + push(s, q1, s.H_p(q1, p1)))

    q1, _, p1 = end(*cut(solve(residual, q + p + [mpf(0)] * (2 * s.m)), s.n, s.n, s.m, s.m))
    return q1, p1


A = [[mpf(0)] * 3, [mpf(5) / 24, mpf(1) / 3, -mpf(1) / 24], [mpf(1) / 6, mpf(2) / 3, mpf(1) / 6]]
B = [[mpf(1) / 6, -mpf(1) / 6, mpf(0)], [mpf(1) / 6, mpf(1) / 3, mpf(0)], [mpf(1) / 6, mpf(5) / 6, mpf(0)]]


def lobatto3(s, q, p, h):
    sizes = [s.n] * 5 + [s.m] * 3

    def parts(z):
        Q2, Q3, P1, P2, P3, l1, l2, l3 = cut(z, *sizes)
        Q, P = [q, Q2, Q3], [P1, P2, P3]
        V = [s.H_p(a, b) for a, b in zip(Q, P)]
        F = [[a + b for a, b in zip(s.H_q(x, y), pull(s, x, l))] for x, y, l in zip(Q, P, [l1, l2, l3])]
        p1 = [p[i] - h * sum(A[2][j] * F[j][i] for j in range(3)) for i in range(s.n)]
        return Q, P, V, F, p1

    def residual(z):
        Q, P, V, F, p1 = parts(z)
        out = []
        for i in (1, 2):
            out += [Q[i][k] - q[k] - h * sum(A[i][j] * V[j][k] for j in range(3)) for k in range(s.n)]
        for i in range(3):
            out += [P[i][k] - p[k] + h * sum(B[i][j] * F[j][k] for j in range(3)) for k in range(s.n)]
        return out + s.g(Q[1]) + s.g(Q[2]) + push(s, Q[2], s.H_p(Q[2], p1))

    z = solve(residual, q + q + p + p + p + [mpf(0)] * (3 * s.m))
    Q, _, _, _, p1 = parts(z)
    return Q[2], p1


def main():
    cases = [("pendulum", Pendulum, "rattle", rattle), ("pendulum", Pendulum, "lobatto(3)", lobatto3),
             ("pendulum", Pendulum, "midpoint", midpoint),
             ("double-pendulum", DoublePendulum, "rattle", rattle),
             ("double-pendulum", DoublePendulum, "lobatto(3)", lobatto3),
             ("charged-particle", ChargedParticle, "midpoint", midpoint),
             ("charged-particle", ChargedParticle, "lobatto(3)", lobatto3)]
    for name, s, method, step in cases:
        q, p = [list(x) for x in s.start]
        for _ in range(5):
            q, p = step(s, q, p, mpf(1) / 10)
        print('    {"%s", "%s",\n     {%s}},' % (name, method, ",\n      ".join('"%s"' % nstr(x, 40) for x in q + p)))


main()
