#!/usr/bin/python3
"""Counts the corrections of lobatto(3)'s stage solve, by the iteration of docs/theory/stage-solve.md and by others.

    studies/stages/accelerate.py      the double pendulum and the six-node chain, to 1e-13 and to 1e-15

"one K": as taut does it. "Gi Gk' of the step": the matrix of all pairs of stages, factored once a step, at the first
guess. "Gi Gk'": the same, factored in each correction. "Anderson d": the first, mixed with its last d corrections.
"""
import numpy as np

A = np.array([[0, 0, 0], [5 / 24, 1 / 3, -1 / 24], [1 / 6, 2 / 3, 1 / 6]])
HAT = np.array([[1 / 6, -1 / 6, 0], [1 / 6, 1 / 3, 0], [1 / 6, 5 / 6, 0]])
S = 3


class Rods:
    """Unit masses in the plane on unit rods; rod k joins node k to the one before it, or to the origin."""

    def __init__(self, nodes, hangs, force):
        self.nodes, self.hangs, self.force = nodes, hangs, force
        self.m = nodes if hangs else nodes - 1

    def rods(self, q):
        r = q.reshape(-1, 2)
        return np.diff(np.vstack([np.zeros(2), r]), axis=0) if self.hangs else np.diff(r, axis=0)

    def g(self, q):
        return ((self.rods(q) ** 2).sum(axis=1) - 1) / 2

    def G(self, q):
        out = np.zeros((self.m, 2 * self.nodes))
        for k, d in enumerate(self.rods(q)):
            to = k if self.hangs else k + 1
            out[k, 2 * to : 2 * to + 2] = d
            if to > 0:
                out[k, 2 * to - 2 : 2 * to] = -d
        return out


def gravity(q):
    return np.tile([0.0, 1.0], q.size // 2)


def springs(q):
    pull = np.zeros_like(q)
    d = 5 * (q[:-4] - q[4:])
    pull[:-4] += d
    pull[4:] -= d
    return pull


def double_pendulum():
    c = np.sqrt(3) / 2
    return Rods(2, True, gravity), np.array([0.5, -c, 0, -2 * c]), np.zeros(4)


def six_node_chain():
    height = np.sqrt(3) / 2
    q = np.array([x for i in range(6) for x in (i / 2, 0 if i % 2 == 0 else height)])
    p = np.zeros(12)
    p[:2] = [-height, 0.5]
    return Rods(6, False, springs), q, p


class Stages:
    """The equations (J1) to (J3) of one step, and corrections of the form (J4) to (J6)."""

    def __init__(self, s, q, p, h, way):
        self.s, self.q, self.p, self.h, self.way = s, q, p, h, way
        self.n, self.m = q.size, s.m
        middle = s.G(q + h / 2 * p)
        self.K = middle @ middle.T
        self.numbers = (A @ HAT)[1:, : S - 1]
        self.block = None
        z = np.array([c * h * p for c in A.sum(axis=1)])
        y = np.array([-c * h * s.force(q) for c in A.sum(axis=1)])
        self.start = np.concatenate([z[1:].ravel(), y.ravel(), np.zeros((S - 1) * self.m)])

    def parts(self, u):
        n = self.n
        z = np.vstack([np.zeros(n), u[: 2 * n].reshape(2, n)])
        return z, u[2 * n : 5 * n].reshape(3, n), u[5 * n :].reshape(2, self.m)

    def correction(self, u):
        """The correction at u, and the largest left side there."""
        z, y, impulses = self.parts(u)
        h, G = self.h, [self.s.G(self.q + zi) for zi in z]
        push = [h * self.s.force(self.q + z[j]) + (G[j].T @ impulses[j] if j < S - 1 else 0) for j in range(S)]
        rz = z - h * A @ (self.p + y)
        ry = y + HAT @ np.array(push)
        rg = [self.s.g(self.q + z[i]) for i in range(1, S)]
        right = np.array([rg[i - 1] - G[i] @ (rz[i] + h * (A @ ry)[i]) for i in range(1, S)]) / h
        if self.way == "one K":
            dl = np.linalg.solve(self.numbers, np.linalg.solve(self.K, right.T).T)
        else:
            if self.block is None or self.way == "Gi Gk'":
                self.block = np.block([[self.numbers[i, k] * (G[i + 1] @ G[k].T) for k in range(S - 1)] for i in range(S - 1)])
            dl = np.linalg.solve(self.block, right.ravel()).reshape(S - 1, self.m)
        dy = -ry - HAT[:, : S - 1] @ np.array([G[k].T @ dl[k] for k in range(S - 1)])
        dz = -rz + h * A @ dy
        worst = max(np.abs(rz).max(), np.abs(ry).max(), max(np.abs(r).max() for r in rg))
        return np.concatenate([dz[1:].ravel(), dy.ravel(), dl.ravel()]), worst

    def solve(self, tolerance, depth):
        """The number of corrections; with a depth they are mixed as Anderson did."""
        u, points, steps = self.start.copy(), [], []
        for made in range(200):
            d, worst = self.correction(u)
            if worst <= tolerance:
                return u, made
            points.append(u.copy())
            steps.append(d)
            points, steps = points[-depth - 1 :], steps[-depth - 1 :]
            u = u + d
            if len(steps) > 1:
                change = np.array([steps[-1] - one for one in steps[:-1]]).T
                moved = np.array([points[-1] - one for one in points[:-1]]).T
                part = np.linalg.lstsq(change, steps[-1], rcond=None)[0]
                u = u - (moved + change) @ part
        raise SystemExit("no convergence")


def step(s, q, p, h, way, tolerance, depth):
    stages = Stages(s, q, p, h, way)
    u, made = stages.solve(tolerance, depth)
    z, y, impulses = stages.parts(u)
    q1 = q + z[-1]
    G = s.G(q1)
    weights = [1 / 6, 2 / 3, 1 / 6]
    p1 = p - sum(w * h * s.force(q + z[j]) for j, w in enumerate(weights))
    p1 = p1 - sum(weights[j] * s.G(q + z[j]).T @ impulses[j] for j in range(S - 1))
    return q1, p1 - G.T @ np.linalg.solve(G @ G.T, G @ p1), made


def mean_corrections(problem, h, way, tolerance, depth=0):
    s, q, p = problem
    total, steps = 0, round(5 / h)
    for _ in range(steps):
        q, p, made = step(s, q, p, h, way, tolerance, depth)
        total += made
    return total / steps


if __name__ == "__main__":
    for name, problem, h in [("double pendulum", double_pendulum(), 0.05), ("six-node chain", six_node_chain(), 0.05)]:
        for label, way, depth in [("one K", "one K", 0), ("Gi Gk' of the step", "once", 0), ("Gi Gk'", "Gi Gk'", 0),
                                  ("Anderson 1", "one K", 1), ("Anderson 2", "one K", 2), ("Anderson 3", "one K", 3)]:  # fmt: skip
            counts = [mean_corrections(problem, h, way, tolerance, depth) for tolerance in (1e-13, 1e-15)]
            print("%-16s h = %g  %-20s %5.1f to 1e-13, %5.1f to 1e-15" % (name, h, label, *counts), flush=True)
