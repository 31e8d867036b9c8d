"""Jay's two examples under Lobatto, Radau and Gauss, and the coefficients of Lobatto pairs: in plain numbers and
without code of taut.

Constraints are halves of squared lengths: on them their gradients are those of the lengths themselves.
"""
import math
from fractions import Fraction

import forms


class Particle:
    """Example 1: a charge on the unit sphere."""

    q, p = [0.2, 0.2, math.sqrt(0.92)], [1.0, -1.0, 0.0]

    def H(self, q, p):
        return ((p[0] + q[1]) ** 2 + (p[1] - q[0]) ** 2 + p[2] ** 2) / 2 - q[2]

    def H_p(self, q, p):
        return [p[0] + q[1], p[1] - q[0], p[2]]

    def H_q(self, q, p):
        return [-(p[1] - q[0]), p[0] + q[1], -1.0]

    def g(self, q):
        return [(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 - 1) / 2]

    def G(self, q):
        return [q]


class Pendulums:
    """Example 2: two rods, one below the other."""

    q, p = [0.5, -math.sqrt(0.75), 0.0, -2 * math.sqrt(0.75)], [0.0] * 4

    def H(self, q, p):
        return sum(v * v for v in p) / 2 + q[1] + q[3]

    def H_p(self, q, p):
        return p

    def H_q(self, q, p):
        return [0.0, 1.0, 0.0, 1.0]

    def g(self, q):
        return [(q[0] ** 2 + q[1] ** 2 - 1) / 2, ((q[2] - q[0]) ** 2 + (q[3] - q[1]) ** 2 - 1) / 2]

    def G(self, q):
        u, v = q[2] - q[0], q[3] - q[1]
        return [[q[0], q[1], 0.0, 0.0], [-u, -v, u, v]]


def solve(A, b):
    """Elimination with pivots in the columns."""
    n, rows = len(b), [list(row) + [v] for row, v in zip(A, b)]
    for k in range(n):
        rows[k:] = sorted(rows[k:], key=lambda row: -abs(row[k]))
        for row in rows[k + 1 :]:
            factor = row[k] / rows[k][k]
            for j in range(k, n + 1):
                row[j] -= factor * rows[k][j]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return x


def products(A, B):
    return [[sum(x * y for x, y in zip(a, b)) for b in B] for a in A]


def minus(x, G, factors):
    """x - G^t factors."""
    return [v - sum(row[a] * f for row, f in zip(G, factors)) for a, v in enumerate(x)]


def projected_p(s, q, p):
    G = s.G(q)
    f = [sum(a * b for a, b in zip(row, s.H_p(q, p))) for row in G]
    return minus(p, G, solve(products(G, G), f))


def stages(s, q, p, h, A, A_hat, landed, free, guess):
    """The stages `landed` satisfy g = 0 by the multipliers `free`; both by one iteration of simplified Newton."""
    n, m = len(A), len(s.g(q))
    B = [[sum(A[i][k] * A_hat[k][j] for k in range(n)) for j in free] for i in landed]
    GG, Q, P, last = products(s.G(q), s.G(q)), [q] * n, [p] * n, math.inf
    multipliers = [list(v) for v in guess]
    for _ in range(300):
        force = [minus(s.H_q(a, b), s.G(a), [-v for v in c]) for a, b, c in zip(Q, P, multipliers)]
        P = [[v - h * sum(w * f[a] for w, f in zip(row, force)) for a, v in enumerate(p)] for row in A_hat]
        speed = [s.H_p(a, b) for a, b in zip(Q, P)]
        Q = [[v + h * sum(w * f[a] for w, f in zip(row, speed)) for a, v in enumerate(q)] for row in A]
        normal = [solve(GG, s.g(Q[i])) for i in landed]
        size = max(abs(v) for r in normal for v in r)
        for a in range(m):
            for j, change in zip(free, solve(B, [r[a] / h**2 for r in normal])):
                multipliers[j][a] += change
        if size < 1e-15 and size >= last:
            break
        last = size
    return Q, P, force, multipliers


LOBATTO_A = [[0, 0, 0], [5 / 24, 1 / 3, -1 / 24], [1 / 6, 2 / 3, 1 / 6]]
LOBATTO_HAT = [[1 / 6, -1 / 6, 0], [1 / 6, 1 / 3, 0], [1 / 6, 5 / 6, 0]]
RADAU = [[5 / 12, -1 / 12], [3 / 4, 1 / 4]]
ROOT3 = math.sqrt(3)
GAUSS = [[1 / 4, 1 / 4 - ROOT3 / 6], [1 / 4 + ROOT3 / 6, 1 / 4]]


def lobatto_by(A, A_hat, weights):
    last = len(weights) - 1

    def step(s, q, p, h, memory):
        guess = memory or [[0.0] * len(s.g(q))] * len(weights)
        Q, P, force, memory = stages(s, q, p, h, A, A_hat, range(1, last + 1), range(last), guess)
        force[last] = s.H_q(Q[last], P[last])  # its multiplier is what the projection adds
        end = [v - h * sum(b * f[a] for b, f in zip(weights, force)) for a, v in enumerate(p)]
        return Q[last], projected_p(s, Q[last], end), memory

    return step


lobatto = lobatto_by(LOBATTO_A, LOBATTO_HAT, (1 / 6, 2 / 3, 1 / 6))


def radau(s, q, p, h, memory):
    Q, P, _, memory = stages(s, q, p, h, RADAU, RADAU, [0, 1], [0, 1], memory or [[0.0] * len(s.g(q))] * 2)
    return Q[1], P[1], memory


def radau_projected(s, q, p, h, memory):
    q, p, memory = radau(s, q, p, h, memory)
    return q, projected_p(s, q, p), memory


def gauss_projected(s, q, p, h, memory):
    Q, P, force, memory = stages(s, q, p, h, GAUSS, GAUSS, [0, 1], [0, 1], memory or [[0.0] * len(s.g(q))] * 2)
    new = [v + h / 2 * (P[0][a] + P[1][a]) for a, v in enumerate(q)]
    end = [v - h / 2 * (force[0][a] + force[1][a]) for a, v in enumerate(p)]
    G, total = s.G(new), [0.0] * len(s.g(q))  # along the gradients before the projection
    for _ in range(30):
        moved = minus(new, G, total)
        g = s.g(moved)
        if max(map(abs, g)) < 1e-15:
            break
        total = [t + c for t, c in zip(total, solve(products(s.G(moved), G), g))]
    return moved, projected_p(s, moved, end), memory


def run(method, s, h, steps):
    q, p, memory = s.q, s.p, None
    yield q, p, memory
    for _ in range(steps):
        q, p, memory = method(s, q, p, h, memory)
        yield q, p, memory


def form_change(method, s):
    """How much a method changes dq ^ dp on the manifold, onto which points come along their own gradients."""

    def onto(q, p):
        for _ in range(30):
            g = s.g(q)
            if max(map(abs, g)) < 1e-15:
                break
            G = s.G(q)
            q = minus(q, G, solve(products(G, G), g))
        return q, projected_p(s, q, p)

    return forms.change(lambda q, p, h, memory: method(s, q, p, h, memory), onto, s.q, s.p, 0.12)


def least(method, s, coordinate):
    """The least value of a coordinate in the first and in the last 1000 of 5000 steps."""
    values = [q[coordinate] for q, _, _ in run(method, s, 0.12, 5000)]
    return min(values[:1001]), min(values[4000:])


def strong_potential(hw, steps):
    """The largest |x| of Lobatto's pair with three stages on x'' = -w^2 x from (1, 0), in units of 1/w. With no
    constraint the stages are linear equations."""
    x, p, largest = 1.0, 0.0, 1.0
    for _ in range(steps):
        rows, right = [], []
        for i in range(3):
            rows.append([float(i == j) for j in range(3)] + [-hw * a for a in LOBATTO_A[i]])
            right.append(x)
        for i in range(3):
            rows.append([hw * a for a in LOBATTO_HAT[i]] + [float(i == j) for j in range(3)])
            right.append(p)
        z, weights = solve(rows, right), (1 / 6, 2 / 3, 1 / 6)
        x += hw * sum(b * v for b, v in zip(weights, z[3:]))
        p -= hw * sum(b * v for b, v in zip(weights, z[:3]))
        largest = max(largest, abs(x))
    return largest


def slope(x, y):
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def energies(method, s):
    start = s.H(s.q, s.p)
    return [s.H(q, p) - start for q, p, _ in run(method, s, 0.12, 5000)]


def growth(values):
    """The exponent of the running maximum of |values|, from t = 6 on."""
    points, largest = [], 0.0
    for n, v in enumerate(values):
        largest = max(largest, abs(v))
        if n >= 50:
            points.append((math.log(0.12 * n), math.log(largest)))
    return slope(*zip(*points))


EXACT = (
    [0.29044054395820123, -0.95689304022198018, -0.22354703503283830, -1.8146906670798131],
    [-0.35725597033712355, -0.10843596305492883, 0.16839231981371559, -0.42340150224053332],
    [1.5782289994728096, 0.71767488120760836],
)


def multiplier(s, q, p):
    """(3.3e) for example 2."""
    G, u, v = s.G(q), p[2] - p[0], p[3] - p[1]
    bend = [p[0] ** 2 + p[1] ** 2, u * u + v * v]
    return solve(products(G, G), [b - row[1] - row[3] for b, row in zip(bend, G)])


def errors(method, count, last_stage=False):
    s = Pendulums()
    *_, (q, p, memory) = run(method, s, 5 / count, count)
    return [math.dist(a, b) for a, b in zip((q, p, memory[-1] if last_stage else multiplier(s, q, p)), EXACT)]


def orders(method, counts, last_stage=False):
    logs = [[math.log(v) for v in errors(method, count, last_stage)] for count in counts]
    steps = [math.log(5 / count) for count in counts]
    return [slope(steps, [row[k] for row in logs]) for k in range(3)]


def integral(roots, end):
    """The integral of the product of (x - r) over the roots, from 0 to end."""
    powers = [Fraction(1)]
    for r in roots:
        powers = [a - r * b for a, b in zip([Fraction(0)] + powers, powers + [Fraction(0)])]
    return sum(a * end ** (k + 1) / (k + 1) for k, a in enumerate(powers))


def lobatto_pair(c):
    """A, A hat and b by (2.5): collocation at the nodes c, and b_i a^_ij + b_j a_ji = b_i b_j."""
    c = [Fraction(x) for x in c]  # a float is taken as the fraction that it is
    others = [c[:j] + c[j + 1 :] for j in range(len(c))]
    scale = [math.prod(x - r for r in rest) for x, rest in zip(c, others)]
    A = [[integral(rest, end) / d for rest, d in zip(others, scale)] for end in c]
    b = [integral(rest, Fraction(1)) / d for rest, d in zip(others, scale)]
    return A, [[b[j] - b[j] * A[j][i] / b[i] for j in range(len(c))] for i in range(len(c))], b


def legendre_slope(n, x):
    """(1 - x^2) P_n'(x)/n = P_(n-1) - x P_n."""
    before, now = 1.0, x
    for k in range(2, n + 1):
        before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
    return before - x * now


def lobatto_nodes(s):
    """The inner nodes in (0, 1/2), from the ends of P'_(s-1), by bisection."""
    found, grid = [], [-1 + (k + 0.5) / 500 for k in range(500)]
    for low, high in zip(grid, grid[1:]):
        side = legendre_slope(s - 1, low)
        if side * legendre_slope(s - 1, high) >= 0:
            continue
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if side * legendre_slope(s - 1, middle) > 0 else (low, middle)
        found.append((1 + low) / 2)
    return found


def tables():
    rows = {}
    for table, c in (("2.1", "01"), ("2.2", ("0", "1/2", "1"))):
        A, A_hat, b = lobatto_pair(c)
        for i, weight in enumerate(b):
            rows["table %s: b_%d" % (table, i + 1)] = weight
            for j in range(len(b)):
                rows["table %s: a_%d%d" % (table, i + 1, j + 1)] = A[i][j]
                rows["table %s: a^_%d%d" % (table, i + 1, j + 1)] = A_hat[i][j]
    for k, node in enumerate(lobatto_nodes(11)):
        rows["(2.7): c_%d" % (k + 2)] = node
    rows["table 2.2: c_2"] = Fraction(1, 2)
    structural = [name for name, value in rows.items() if value in (0, 1)]
    return {("jay/tables", name): float(value) for name, value in rows.items() if name not in structural}


def all_rows():
    rows, one, two = tables(), "jay/example1", "jay/example2"
    s = Particle()
    rows[one, "H of the exact solution"] = s.H(s.q, s.p)
    band = energies(lobatto, s)
    rows[one, "figure 5.2, Lobatto: least H - H(0)"] = min(band)
    name = "figure 5.2, Lobatto: depth of the band of H, last 4500 steps over first 500"
    rows[one, name] = min(band[500:]) / min(band[:501])
    drift, times = energies(radau, s), [0.12 * n for n in range(5001)]
    rows[one, "figure 5.4, Radau: H - H(0) at the end"] = drift[-1]
    name = "figure 5.4, Radau: drift per unit of time, "
    rows[one, name + "first 500 steps"] = slope(times[:501], drift[:501])
    rows[one, name + "all steps"] = slope(times, drift)
    projected = energies(radau_projected, s)
    rows[one, "projected over unprojected Radau: H - H(0) at the end"] = projected[-1] / drift[-1]
    rows[one, "figure 5.2 on the scale of figure 5.4: band of Lobatto over the drift of Radau"] = min(band) / drift[-1]
    rows[one, "drift of Radau by the end over the band of Lobatto"] = drift[-1] / min(band)
    rows[one, "figure 5.4, Radau: growth exponent of |H - H(0)|"] = growth(drift)
    rows[one, "projected Radau: growth exponent of |H - H(0)|"] = growth(projected)
    rows[one, "Radau, projected: change of dq ^ dp on the manifold"] = form_change(radau_projected, s)
    first, last = least(lobatto, s, 2)
    rows[one, "figure 5.1, Lobatto: least z, last 1000 steps over first 1000"] = last / first
    first, last = least(radau, s, 2)
    rows[one, "figure 5.3, Radau: rise of the least z, last 1000 steps over first 1000"] = last - first
    s = Pendulums()
    rows[two, "projected Gauss: change of dq ^ dp on the manifold"] = form_change(gauss_projected, s)
    first, last = least(lobatto, s, 3)
    rows[two, "figure 5.5, Lobatto: least z2, last 1000 steps over first 1000"] = last / first
    rows["jay/stiff", "Lobatto, s = 3, h w = 3: largest |x| in 20 steps, 1 at the start"] = strong_potential(3, 20)
    rows[two, "H of the exact solution"] = s.H(s.q, s.p)
    band = energies(lobatto, s)
    rows[two, "figure 5.6, Lobatto: least H - H(0)"] = min(band)
    rows[two, "figure 5.6, Lobatto: greatest H - H(0)"] = max(band)
    ends = [energies(method, s)[-1] for method in (gauss_projected, radau, radau_projected)]
    for name, end in zip(("projected Gauss", "Radau", "projected Radau"), ends):
        rows[two, "figure 5.7, %s: H - H(0) at the end" % name] = end
    name = "figure 5.7: drift of projected Gauss by the end over the greatest H - H(0) of Lobatto"
    rows[two, name] = abs(ends[0]) / max(band)
    rows[two, "Radau over projected Gauss"] = ends[1] / ends[0]
    rows[two, "projected Radau over Radau"] = ends[2] / ends[1]
    families = (
        ("Lobatto", orders(lobatto, (40, 80, 160, 320))),
        ("projected Radau", orders(radau_projected, (40, 80, 160, 320))),
        ("Radau", orders(radau, (1280, 2560), last_stage=True)),
        ("projected Gauss", orders(gauss_projected, (1280, 2560))),
    )
    inner = {2: [], 4: [0.5 - math.sqrt(0.05), 0.5 + math.sqrt(0.05)]}
    inner[5] = [0.5 - math.sqrt(3 / 28), 0.5, 0.5 + math.sqrt(3 / 28)]
    for stages_, counts in ((2, (160, 320, 640, 1280)), (4, (40, 60, 80, 120)), (5, (60, 70, 80, 100))):
        pair = lobatto_pair([0, *inner[stages_], 1])
        A, A_hat = ([[float(v) for v in row] for row in part] for part in pair[:2])
        slopes = orders(lobatto_by(A, A_hat, [float(v) for v in pair[2]]), counts)
        for what, value in zip(("q", "p", "lambda"), slopes):
            rows["jay/figure58", "Corollary 4.4, s = %d: order in %s" % (stages_, what)] = value
    best = [min(pair) for pair in zip(errors(radau_projected, 80), errors(gauss_projected, 80))]
    for what, one, other in zip(("q", "p", "lambda"), best, errors(lobatto, 80)):
        name = "most accurate in %s at h = 5/80: the best of the others over Lobatto" % what
        rows["jay/figure58", name] = one / other
    for name, slopes in families:
        for what, value in zip(("q", "p", "lambda"), slopes):
            rows["jay/figure58", "%s: slope in %s" % (name, what)] = value
    return rows
