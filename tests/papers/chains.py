"""The chains of Leimkuhler and Skeel under VR and VS, in plain floats and without code of taut."""
import math


def solve(A, b):
    """Gauss elimination with pivots, in place."""
    n = len(b)
    for i in range(n):
        k = max(range(i, n), key=lambda r: abs(A[r][i]))
        A[i], A[k], b[i], b[k] = A[k], A[i], b[k], b[i]
        for r in range(i + 1, n):
            f = A[r][i] / A[i][i]
            if f:
                b[r] -= f * b[i]
                for c in range(i, n):
                    A[r][c] -= f * A[i][c]
    for i in reversed(range(n)):
        b[i] = (b[i] - sum(A[i][c] * b[c] for c in range(i + 1, n))) / A[i][i]
    return b


class Chain:
    """Unit masses in the plane on unit rods between neighbours; q is a list of points."""

    def __init__(self, force, potential):
        self.force, self.potential = force, potential

    def rods(self, q):
        return [(a[0] - b[0], a[1] - b[1]) for a, b in zip(q, q[1:])]

    def kicked(self, p, rods, impulses):
        p = [list(v) for v in p]
        for i, (d, s) in enumerate(zip(rods, impulses)):
            for a in (0, 1):
                p[i][a] += d[a] * s
                p[i + 1][a] -= d[a] * s
        return p

    def products(self, left, right):
        """G(left) G(right)^t, which is tridiagonal."""
        m = len(left)
        A = [[0.0] * m for _ in range(m)]
        for i in range(m):
            for j in (i - 1, i, i + 1):
                if 0 <= j < m:
                    A[i][j] = (2 if i == j else -1) * (left[i][0] * right[j][0] + left[i][1] * right[j][1])
        return A

    def land(self, q, p, h):
        """The impulse along the rods of q after which q + h p has unit rods, by Newton's iteration."""
        rods, total = self.rods(q), [0.0] * (len(q) - 1)
        for _ in range(60):
            half = self.kicked(p, rods, total)
            new = [[x + h * v for x, v in zip(a, b)] for a, b in zip(q, half)]
            there = self.rods(new)
            g = [(d[0] ** 2 + d[1] ** 2 - 1) / 2 for d in there]
            if max(map(abs, g)) < 1e-15:
                break
            total = [t - s / h for t, s in zip(total, solve(self.products(there, rods), g))]
        return new, half

    def tangent(self, q, p):
        rods = self.rods(q)
        f = [d[0] * (a[0] - b[0]) + d[1] * (a[1] - b[1]) for d, a, b in zip(rods, p, p[1:])]
        return self.kicked(p, rods, [-s for s in solve(self.products(rods, rods), f)])

    def kick(self, q, p, h):
        return [[v + h * f for v, f in zip(a, b)] for a, b in zip(p, self.force(q))]

    def rattle(self, q, p, h, steps):
        """Yields (q, p) of VR at the mesh points, and p of VS there: the mean of the half steps around it."""
        last = None
        for _ in range(steps + 1):
            new, half = self.land(q, self.kick(q, p, h / 2), h)
            vs = p if last is None else [[(u + v) / 2 for u, v in zip(a, b)] for a, b in zip(last, half)]
            yield q, p, vs
            q, p, last = new, self.tangent(new, self.kick(new, half, h / 2)), half

    def jump(self, q, p, h, order):
        """Yoshida's triple jumps on VR, to an even order."""
        if order == 2:
            new, half = self.land(q, self.kick(q, p, h / 2), h)
            return new, self.tangent(new, self.kick(new, half, h / 2))
        c = 1 / (2 - 2 ** (1 / (order - 1)))
        for part in (c, 1 - 2 * c, c):
            q, p = self.jump(q, p, part * h, order - 2)
        return q, p

    def bdf2(self, past, h, steps):
        """BDF2 with the constraints at the new point, from (q, p) at 0 and h: forces and rods are looked at again until
        the point stands still, and multipliers are corrected by one linear solve in between."""
        (q0, p0), (q1, p1) = past
        mu = [0.0] * (len(q0) - 1)
        for _ in range(steps - 1):
            q = [[2 * a - b for a, b in zip(*pair)] for pair in zip(q1, q0)]
            q_hat = [[(4 * a - b) / 3 for a, b in zip(*pair)] for pair in zip(q1, q0)]
            p_hat = [[(4 * a - b) / 3 for a, b in zip(*pair)] for pair in zip(p1, p0)]
            for _ in range(200):
                rods, kicked = self.rods(q), self.kick(q, p_hat, 2 * h / 3)
                for last in (False, True):
                    p = self.kicked(kicked, rods, [-m for m in mu])
                    new = [[a + 2 * h / 3 * v for a, v in zip(*pair)] for pair in zip(q_hat, p)]
                    if not last:
                        there = self.rods(new)
                        g = [(d[0] ** 2 + d[1] ** 2 - 1) / 2 for d in there]
                        more = solve(self.products(there, rods), g)
                        mu = [m + 3 / (2 * h) * v for m, v in zip(mu, more)]
                change, q = off(q, new), new
                if change < 1e-14:
                    break
            q0, p0, q1, p1 = q1, p1, q, p
        return q1, p1

    def energy(self, q, p):
        return sum(v[0] ** 2 + v[1] ** 2 for v in p) / 2 + self.potential(q)


def six_nodes():
    def potential(q):
        return 2.5 * sum((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 for a, b in zip(q, q[2:]))

    def force(q):
        f = [[0.0, 0.0] for _ in q]
        for i in range(len(q) - 2):
            for a in (0, 1):
                d = 5 * (q[i][a] - q[i + 2][a])
                f[i][a] -= d
                f[i + 2][a] += d
        return f

    height = math.sqrt(3) / 2
    q = [[i / 2, height * (i % 2)] for i in range(6)]
    p = [[-height, 0.5]] + [[0.0, 0.0] for _ in range(5)]
    return Chain(force, potential), q, p


DIRECTIONS = (
    -1.0471737042298304, -3.147016131826371, -1.0498787501915872, -0.002728798158490704, 1.0472306884739753,
    2.097159813803366,
)


def lennard_jones():
    def pairs(q):
        for i in range(len(q)):
            for j in range(i + 1, len(q)):
                dx, dy = q[i][0] - q[j][0], q[i][1] - q[j][1]
                yield i, j, dx, dy, 1 / (dx * dx + dy * dy) ** 3

    def potential(q):
        return 0.1 * sum(s * s - 2 * s for _, _, _, _, s in pairs(q))

    def force(q):
        f = [[0.0, 0.0] for _ in q]
        for i, j, dx, dy, s in pairs(q):
            c = 1.2 * (s * s - s) / (dx * dx + dy * dy)
            for k, sign in ((i, 1), (j, -1)):
                f[k][0] += sign * c * dx
                f[k][1] += sign * c * dy
        return f

    q = [[0.0, 0.0]]
    for angle in DIRECTIONS:
        q.append([q[-1][0] + math.cos(angle), q[-1][1] + math.sin(angle)])
    chain = Chain(force, potential)
    p = [[0.0, 0.0] for _ in q]
    p[0][1], p[-1][1] = -0.25, 0.25
    return chain, q, chain.tangent(q, p)


def residual(chain, q, p):
    return max(
        abs(d[0] * (a[0] - b[0]) + d[1] * (a[1] - b[1])) for d, a, b in zip(chain.rods(q), p, p[1:])
    )


def off(one, other):
    return math.sqrt(sum((u - v) ** 2 for a, b in zip(one, other) for u, v in zip(a, b)))


def orders():
    """Slopes of the errors of VR and VS at t = 1."""
    chain, q, p = six_nodes()
    exact, logs, counts = (q, p), [], (100, 200, 400, 800)
    for _ in range(200):
        exact = chain.jump(*exact, 0.005, 6)
    for count in counts:
        *_, (qe, pe, vs) = chain.rattle(q, p, 1 / count, count)
        logs.append([math.log(v) for v in (off(qe, exact[0]), off(pe, exact[1]), off(vs, exact[1]))])
    x = [-math.log(count) for count in counts]
    mean = sum(x) / 4
    q_slope, p_slope, vs_slope = (
        sum((a - mean) * row[k] for a, row in zip(x, logs)) / sum((a - mean) ** 2 for a in x) for k in range(3)
    )
    name = "Theorem 5.1, order of %s in %s"
    found = {name % ("VR", "q"): q_slope, name % ("VR", "p"): p_slope}
    found.update({name % ("VS", "q"): q_slope, name % ("VS", "p"): vs_slope})
    return {("leimkuhler-skeel/vs-vr", key): value for key, value in found.items()}


def against_bdf2(chain, q, p, exact, of_vr):
    """How much larger the errors of BDF2 are, and its errors of the energy."""
    rows, study = {}, "leimkuhler-skeel/figures3-5"
    for h in (0.1, 0.05, 0.025, 0.01, 0.005, 0.0025, 0.00125):
        first = chain.jump(q, p, h / 2, 6)
        qe, pe = chain.bdf2([(q, p), chain.jump(*first, h / 2, 6)], h, round(10 / h))
        error = math.hypot(off(qe, exact[0]), off(pe, exact[1])) / of_vr[study, "figure 3, h = %g: error of VR" % h]
        gap = abs(chain.energy(qe, pe) - 10.5) / of_vr[study, "figure 4, h = %g: |E(10) - E(0)| of VR" % h]
        rows[study, "figure 3, h = %g: error of BDF2 over VR" % h] = error
        rows[study, "figure 4, h = %g: energy gap over error gap" % h] = gap / error
    return rows


def all_rows():
    rows = {}
    chain, q, p = six_nodes()
    exact = q, p
    for _ in range(2000):
        exact = chain.jump(*exact, 0.005, 6)
    for h in (0.1, 0.05, 0.025, 0.01, 0.005, 0.0025, 0.00125):
        *_, (qe, pe, _) = chain.rattle(q, p, h, round(10 / h))
        study, name = "leimkuhler-skeel/figures3-5", "figure %%d, h = %g: %%s of VR" % h
        rows[study, name % (3, "error")] = math.hypot(off(qe, exact[0]), off(pe, exact[1]))
        rows[study, name % (4, "|E(10) - E(0)|")] = abs(chain.energy(qe, pe) - 10.5)
    rows.update(against_bdf2(chain, q, p, exact, rows))
    worst, apart = [0.0] * 4, 0.0
    for n, (qn, pn, vs) in enumerate(chain.rattle(q, p, 0.01, 1000)):
        apart = max(apart, off(pn, vs))
        for k in {min(3, n // 250), min(3, max(0, n - 1) // 250)}:  # a mesh point between two windows is in both
            worst[k] = max(worst[k], residual(chain, qn, vs))
    for k, window in enumerate(("[0, 2.5]", "[2.5, 5]", "[5, 7.5]", "[7.5, 10]")):
        rows["leimkuhler-skeel/vs-vr", "figure 2, VS: largest |g'p| on " + window] = worst[k]
    rows["leimkuhler-skeel/vs-vr", "figure 2, VS: last quarter over first"] = worst[3] / worst[0]
    rows["leimkuhler-skeel/vs-vr", "VS - VR in p at the mesh points"] = apart
    fifths = [0.0] * 5
    for n, (qn, _, vs) in enumerate(chain.rattle(q, p, 0.01, 10000)):
        for k in {min(4, n // 2000), max(0, n - 1) // 2000}:
            fifths[k] = max(fifths[k], residual(chain, qn, vs))
    rows["leimkuhler-skeel/vs-vr", "VS on [0, 100]: last fifth over first"] = fifths[4] / fifths[0]
    rows.update(orders())
    study = "leimkuhler-skeel/figures6-7"
    chain, q, p = lennard_jones()
    rows[study, "energy at the start"] = start = chain.energy(q, p)
    rows[study, "potential at the start"] = chain.potential(q)
    errors, swing = [], []
    for qn, pn, _ in chain.rattle(q, p, 0.1, 2000):
        errors.append(chain.energy(qn, pn) - start)
        centre = [sum(v[a] for v in qn) / 7 for a in (0, 1)]
        swing.append(math.hypot(qn[0][0] - centre[0], qn[0][1] - centre[1]))
    for t in (10, 50, 100, 200):
        rows[study, "figure 7, VR: E(%d) - E(0)" % t] = errors[10 * t]
    rows[study, "figure 7, VR: least E - E(0)"] = min(errors)
    rows[study, "figure 7, VR: greatest E - E(0)"] = max(errors)
    for first, last in ((0, 10), (190, 200)):
        part = swing[10 * first : 10 * last + 1]
        rows[study, "figure 6, VR: swing of atom 1 on [%d, %d]" % (first, last)] = max(part) - min(part)
    name = "figure 6, VR: swing of atom 1"
    rows[study, name + ", last 10 over first 10"] = rows[study, name + " on [190, 200]"] / rows[study, name + " on [0, 10]"]
    return rows
