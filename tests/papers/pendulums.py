"""The pendulum experiments of Reich, Leimkuhler and Reich, and Seiler, in plain floats and without code of taut.

Gradients of Hamiltonians come from complex steps, q + i 1e-30, which lose no digits.
"""
import cmath
import math

TINY = 1e-30


def gradient(f, x):
    slopes = []
    for k in range(len(x)):
        z = [complex(v) for v in x]
        z[k] += 1j * TINY
        slopes.append(f(z).imag / TINY)
    return slopes


def hamiltonian_field(f):
    """x' = J grad f for x = (q, p)."""

    def field(x):
        n, slope = len(x) // 2, gradient(f, x)
        return slope[n:] + [-v for v in slope[:n]]

    return field


def add(x, factor, y):
    return [a + factor * b for a, b in zip(x, y)]


def distance(a, b):
    return math.sqrt(sum((u - v) ** 2 for u, v in zip(a, b)))


def period():
    """4 K(1/2) by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(0.5)
    for _ in range(6):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return 2 * math.pi / a


ROOT3 = math.sqrt(3)
GAUSS2 = [[1 / 4, 1 / 4 - ROOT3 / 6], [1 / 4 + ROOT3 / 6, 1 / 4]]


def gauss2(field, x, h):
    """Two stages of Gauss, by fixed-point iteration to rounding."""
    slopes, last = [field(x), field(x)], math.inf
    for _ in range(300):
        stages = [add(add(x, h * row[0], slopes[0]), h * row[1], slopes[1]) for row in GAUSS2]
        new = [field(stage) for stage in stages]
        change = max(distance(a, b) for a, b in zip(slopes, new))
        slopes = new
        if change == 0 or (change < 1e-14 and change >= last):
            break
        last = change
    return add(add(x, h / 2, slopes[0]), h / 2, slopes[1])


def midpoint(field, x, h):
    new = add(x, h, field(x))
    last = math.inf
    for _ in range(500):
        better = add(x, h, field([(a + b) / 2 for a, b in zip(x, new)]))
        change = distance(better, new)
        new = better
        if change == 0 or (change < 1e-14 and change >= last):
            break
        last = change
    return new


def rk4(field, x, h):
    k1 = field(x)
    k2 = field(add(x, h / 2, k1))
    k3 = field(add(x, h / 2, k2))
    k4 = field(add(x, h, k3))
    return [v + h / 6 * (a + 2 * b + 2 * c + d) for v, a, b, c, d in zip(x, k1, k2, k3, k4)]


# ---- Reich: q = (x, y), unit rod, V = y ----


def energy(x, gravity=1.0):
    return (x[2] ** 2 + x[3] ** 2) / 2 + gravity * x[1]


def to_tangent(q, p):
    """p without its part along the rod."""
    part = (q[0] * p[0] + q[1] * p[1]) / (q[0] ** 2 + q[1] ** 2)
    return [p[0] - part * q[0], p[1] - part * q[1]]


def rattle(x, h):
    """(24) around Verlet. On the circle the impulse is the root of a quadratic equation: |a - s q| = 1."""
    q, p = x[:2], x[2:]
    a = [q[0] + h * p[0], q[1] + h * p[1] - h * h / 2]
    aq, aa = a[0] * q[0] + a[1] * q[1], a[0] ** 2 + a[1] ** 2
    s = (aa - 1) / (aq + math.copysign(math.sqrt(aq * aq - aa + 1), aq))
    new = [a[0] - s * q[0], a[1] - s * q[1]]
    half = [(new[0] - q[0]) / h, (new[1] - q[1]) / h]
    return new + to_tangent(new, [half[0], half[1] - h / 2])


def yoshida(x, h):
    c1 = 1 / (2 - 2 ** (1 / 3))
    for c in (c1, 1 - 2 * c1, c1):
        x = rattle(x, c * h)
    return x


def reich_gauss(x, h):
    """(31), (34): Gauss on H + g lambda between two projections, lambda by (18) off the manifold too."""

    def H_M(z):
        r2 = z[0] ** 2 + z[1] ** 2
        r = cmath.sqrt(r2)
        multiplier = (z[2] ** 2 + z[3] ** 2 - z[1]) / r - (z[0] * z[2] + z[1] * z[3]) ** 2 / r**3
        return (z[2] ** 2 + z[3] ** 2) / 2 + z[1] + (r - 1) * multiplier

    field = hamiltonian_field(H_M)

    def landed(impulse):
        y = gauss2(field, x[:2] + [x[2] - impulse * x[0], x[3] - impulse * x[1]], h)
        return y, math.hypot(y[0], y[1]) - 1

    s0, s1 = 0.0, 1e-4
    (_, g0), (y, g1) = landed(s0), landed(s1)
    for _ in range(50):
        if g1 == g0 or abs(g1) < 2e-16:
            break
        s0, s1, g0 = s1, s1 - g1 * (s1 - s0) / (g1 - g0), g1
        y, g1 = landed(s1)
    return y[:2] + to_tangent(y[:2], y[2:])


LOBATTO_A = [[0, 0, 0], [5 / 24, 1 / 3, -1 / 24], [1 / 6, 2 / 3, 1 / 6]]
LOBATTO_HAT = [[1 / 6, -1 / 6, 0], [1 / 6, 1 / 3, 0], [1 / 6, 5 / 6, 0]]


def lobatto3(x, h):
    """Jay (3.11), (3.3d) with g = (q.q - 1)/2: Newton in the two multipliers, positions by linear equations."""
    q0, p0 = x[:2], x[2:]

    def stages(m):
        # With the first stage at q0, Q_i = q0 + h sum_j A_ij P_j and P_j = p0 - h sum_k Ahat_jk (e_y + Q_k m_k)
        # are linear in Q_2 and Q_3 for given multipliers; Q_3 does not enter P.
        Q = [q0, list(q0), list(q0)]
        for _ in range(200):
            P = [
                [p0[a] - h * sum(LOBATTO_HAT[j][k] * ((a == 1) + Q[k][a] * m[k]) for k in range(2)) for a in (0, 1)]
                for j in range(3)
            ]
            new = [[q0[a] + h * sum(LOBATTO_A[i][j] * P[j][a] for j in range(3)) for a in (0, 1)] for i in range(3)]
            change = max(abs(new[i][a] - Q[i][a]) for i in range(3) for a in (0, 1))
            Q = new
            if change < 1e-17:
                break
        return Q, P

    def residual(m):
        Q, _ = stages(m)
        return [(Q[i][0] ** 2 + Q[i][1] ** 2 - 1) / 2 for i in (1, 2)]

    m = [p0[0] ** 2 + p0[1] ** 2 - q0[1]] * 2
    for _ in range(30):
        r = residual(m)
        if max(map(abs, r)) < 3e-16:
            break
        d, J = 1e-6, []
        for k in range(2):
            up, down = list(m), list(m)
            up[k] += d
            down[k] -= d
            J.append([(a - b) / (2 * d) for a, b in zip(residual(up), residual(down))])
        det = J[0][0] * J[1][1] - J[1][0] * J[0][1]
        m[0] -= (r[0] * J[1][1] - r[1] * J[1][0]) / det
        m[1] -= (r[1] * J[0][0] - r[0] * J[0][1]) / det
    Q, P = stages(m)
    p1 = [p0[a] - h * sum((1 / 6, 2 / 3)[k] * ((a == 1) + Q[k][a] * m[k]) for k in range(2)) for a in (0, 1)]
    return Q[2] + to_tangent(Q[2], [p1[0], p1[1] - h / 6])


def ssf(x, h):
    """The angle from the lowest point, x = (phi, p): Gauss with two stages."""
    return gauss2(lambda y: [y[1], -math.sin(y[0])], x, h)


def along(step, x, h, steps):
    yield x
    for _ in range(steps):
        x = step(x, h)
        yield x


def reich_tables():
    T, rows = period(), {}
    start, angle = [1.0, 0.0, 0.0, 0.0], [math.pi / 2, 0.0]
    phase, names = {}, {"Yoshida": yoshida, "Gauss-Legendre": reich_gauss, "Lobatto": lobatto3}
    for name, step in names.items():
        states = list(along(step, start, 0.04 * T, 100))
        for label, k in (("T", 25), ("2T", 50), ("4T", 100)):
            rows["reich/table1", "%s |p_y(%s)|" % (name, label)] = abs(states[k][3])
        rows["reich/table2", name + ", h = 0.04T"] = max(abs(energy(x)) for x in states)
        fine = list(along(step, start, 0.004 * T, 1000))
        rows["reich/table2", name + ", h = 0.004T"] = max(abs(energy(x)) for x in fine)
        phase[name] = abs(fine[250][3])

    def p_y(x):
        return abs(math.sin(x[0]) * x[1])

    def H(x):
        return abs(x[1] ** 2 / 2 - math.cos(x[0]))

    for suffix, t in (("", T), (", single", 7.416298866271973)):
        states = list(along(ssf, angle, 0.04 * t, 100))
        for label, k in (("T", 25), ("2T", 50), ("4T", 100)):
            rows["reich/table1", "SSF |p_y(%s)|%s" % (label, suffix)] = p_y(states[k])
    rows["reich/table2", "SSF, h = 0.04T"] = max(map(H, along(ssf, angle, 0.04 * T, 100)))
    rows["reich/table2", "SSF, h = 0.004T"] = max(map(H, along(ssf, angle, 0.004 * T, 1000)))
    gap = rows["reich/table2", "Yoshida, h = 0.004T"] / rows["reich/table2", "Lobatto, h = 0.004T"]
    name = "Yoshida's step is smaller for Lobatto's %s error, times"
    rows["reich/table2", name % "phase"] = (phase["Yoshida"] / phase["Lobatto"]) ** 0.25
    rows["reich/table2", name % "energy"] = gap**0.25
    for label in ("of the motion", "from the integral, as the steps below use it"):
        rows["reich/table1", "period T " + label] = T
    for name in (*names, "SSF"):
        one, four = (rows["reich/table1", "%s |p_y(%s)|" % (name, label)] for label in ("T", "4T"))
        rows["reich/table1", name + ": exponent of l in |p_y(lT)|, from l = 1 and 4"] = math.log(four / one, 4)
    for name in ("Gauss-Legendre", "Lobatto"):
        gap = rows["reich/table2", "Yoshida, h = 0.04T"] / rows["reich/table2", name + ", h = 0.04T"]
        rows["reich/table2", "error of Yoshida over %s, h = 0.04T" % name] = gap
    for name, step, size, first in [(*pair, energy, start) for pair in names.items()] + [("SSF", ssf, H, angle)]:
        errors = [abs(size(x)) for x in along(step, first, 0.04 * T, 2500)]
        grown = max(errors[1250:]) / max(errors[:1251])
        rows["reich/table2", name + ": largest |H - H(0)| from 50T to 100T over that before"] = grown
    return rows


def reich_stability():
    """An oscillator of frequency 100 by schemes of order one and two, from x = 1 at rest."""

    def euler(x, p, h):
        p -= h * 1e4 * x
        return x + h * p, p

    def verlet(x, p, h):
        p -= h / 2 * 1e4 * x
        x += h * p
        return x, p - h / 2 * 1e4 * x

    def implicit(x, p, h):
        k = h * h * 1e4 / 4
        return ((1 - k) * x + h * p) / (1 + k), ((1 - k) * p - h * 1e4 * x) / (1 + k)

    rows, two = {}, "%s, h w = %g: largest |x|, second half of %d steps over first"
    runs = [("symplectic Euler", euler), ("Verlet", verlet)]
    runs = [(n, f, hw, steps) for n, f in runs for hw, steps in ((1.99, 2000), (2.01, 200))]
    for name, scheme, hw, steps in [*runs, ("midpoint rule", implicit, 200.0, 2000)]:
        x, p, sizes = 1.0, 0.0, [1.0]
        for _ in range(steps):
            x, p = scheme(x, p, hw / 100)
            sizes.append(abs(x))
        half = steps // 2
        rows["reich/stability", two % (name, hw, steps)] = max(sizes[half:]) / max(sizes[: half + 1])
    return rows


# ---- Backward differentiation: on the circle the new position is a point divided by its length ----

BDF = {1: [1, -1], 2: [3 / 2, -2, 1 / 2], 4: [25 / 12, -4, 3, -4 / 3, 1 / 4]}


def bdf_step(past, k, h, gravity):
    alpha = BDF[k]
    c = h / alpha[0]
    a = [-sum(alpha[i] * past[-i][j] for i in range(1, k + 1)) / alpha[0] for j in range(4)]
    s = [a[0] + c * a[2], a[1] + c * a[3] - c * c * gravity]
    r = math.hypot(*s)
    q = [s[0] / r, s[1] / r]
    return q + [(q[0] - a[0]) / c, (q[1] - a[1]) / c]


def stabilised_step(past, k, h, gravity):
    """The same with q' = p - mu q, |q| = 1 and q.p = 0: q is the same point, and p the tangential part of its sum."""
    q = bdf_step(past, k, h, gravity)[:2]
    alpha = BDF[k]
    b = [-sum(alpha[i] * past[-i][j] for i in range(1, k + 1)) / alpha[0] for j in (2, 3)]
    b[1] -= h / alpha[0] * gravity
    normal = q[0] * b[0] + q[1] * b[1]
    return q + [b[0] - normal * q[0], b[1] - normal * q[1]]


def index_2_step(past, k, h, gravity):
    """The same with q' = p and q.p = 0: one equation for the multiplier, by Newton's iteration with a difference."""
    alpha = BDF[k]
    c = h / alpha[0]
    a = [-sum(alpha[i] * past[-i][j] for i in range(1, k + 1)) / alpha[0] for j in range(4)]
    b = [a[2], a[3] - c * gravity]

    def state(l):
        p = [(b[j] - c * l * a[j]) / (1 + c * c * l) for j in (0, 1)]
        return [a[0] + c * p[0], a[1] + c * p[1]] + p

    def off(l):
        x = state(l)
        return x[0] * x[2] + x[1] * x[3]

    x = past[-1]
    l = x[2] ** 2 + x[3] ** 2 - gravity * x[1]
    for _ in range(50):
        l -= off(l) / ((off(l + 1e-6) - off(l - 1e-6)) / 2e-6)
    return state(l)


def exact_states(angle, speed, gravity, h, count):
    """Points of the exact motion: the angle from the lowest point by many small steps of order four."""
    field = lambda y: [y[1], -gravity * math.sin(y[0])]
    y, out = [angle, speed], []
    for n in range(count):
        out.append([math.sin(y[0]), -math.cos(y[0]), y[1] * math.cos(y[0]), y[1] * math.sin(y[0])])
        for _ in range(400):
            y = rk4(field, y, h / 400)
    return out


def bdf(k, h, steps, angle=math.pi / 2, speed=0.0, gravity=1.0, step=bdf_step):
    past = exact_states(angle, speed, gravity, h, k)
    while len(past) <= steps:
        past.append(step(past, k, h, gravity))
    return past


def variable_bdf(k, tolerance, h, count, choose=False):
    """Steps chosen by their error, from rest at (1, 0): the coefficients are those of the polynomials through
    unequally spaced points. With `choose` the order is chosen too, up to k. The first k points are exact; the point on the circle is found as in bdf_step."""
    time = 1.0  # sqrt(|q|/|q''|): nothing moves at the start
    proposed = min(h, time * tolerance ** (1 / (k + 1)))
    scale_q, scale_p = 1.0, time
    t, states, since, fine = [0.0], [[1.0, 0.0, 0.0, 0.0]], 0, None
    ends, order = [], k
    for n in range(count):
        begin = t[-1]
        left = h
        while True:
            parts = max(1, math.ceil(left / proposed))
            size = left / parts
            tau = [size] + [size + t[-1] - t[-1 - i] for i in range(1, min(k + 1, len(t)))]
            if len(t) <= k:  # exact points, as many as the formula needs
                fine = exact_states(math.pi / 2, 0.0, 1.0, size, len(t) + 1)[-1]
                t.append(t[-1] + size)
                states.append(fine)
                since += 1
            else:
                back = tau[:order]
                alpha = sum(1 / s for s in back)
                share = [-1 / back[i] * math.prod(s / (s - back[i]) for j, s in enumerate(back) if j != i) for i in range(order)]
                a = [-sum(share[i] * states[-1 - i][j] for i in range(order)) / alpha for j in range(4)]
                c = 1 / alpha
                s = [a[0] + c * a[2], a[1] + c * a[3] - c * c]
                r = math.hypot(*s)
                q = [s[0] / r, s[1] / r]
                x = q + [(q[0] - a[0]) / c, (q[1] - a[1]) / c]
                scale_q = max([scale_q] + [abs(v) for v in x[:2]])
                scale_p = max([scale_p] + [abs(v) for v in x[2:]])

                def off_and_change(order):
                    nodes = [0.0] + [-u for u in tau[: order + 1]]
                    points = [x] + [states[-1 - i] for i in range(order + 1)]
                    weight = [math.prod(1 / (nodes[i] - m) for j, m in enumerate(nodes) if j != i) for i in range(order + 2)]
                    factor = math.prod(tau[:order]) / sum(1 / s for s in tau[:order])
                    e = [abs(factor * sum(w * y[j] for w, y in zip(weight, points))) for j in range(4)]
                    off = max(max(e[:2]) / scale_q, min(1.0, size / time) * max(e[2:]) / scale_p) / tolerance
                    return off, 0.9 * max(off, 1e-30) ** (-1 / (order + 1))

                off, change = off_and_change(order)
                before = order
                if choose and (off > 1 or since >= order):
                    for other in (before - 1, before + 1):
                        if 1 <= other <= k and not (off > 1 and other > before):
                            longer = off_and_change(other)[1]
                            if longer > (1.1 if order == before else 1) * change:
                                order, change = other, longer
                if off > 1:
                    proposed, since = size * min(0.9, max(0.25, change)), 0
                    continue
                if order != before:
                    since = 0
                if (order != before or since >= order) and change >= 1.2:
                    proposed, since = size * min(change, 2.0), 0
                t.append(t[-1] + size)
                states.append(x)
                since += 1
            if parts == 1:
                break
            left -= size
        t[-1] = begin + h
        ends.append(states[-1])
    return ends


def backward_differentiation():
    T, rows = period(), {}
    for label, part, steps in (("0.04T", 0.04, 50), ("0.02T", 0.02, 200), ("0.01T", 0.01, 400), ("0.004T", 0.004, 1000)):
        states = bdf(4, part * T, steps)
        for name, l in (("T", 1), ("2T", 2), ("4T", 4)):
            n = round(l / part)
            if n <= steps:
                rows["reich/bdf4", "BDF4, h = %s: H(%s) - H(0)" % (label, name)] = energy(states[n])
    for form, step in (("stabilised", stabilised_step), ("index 2", index_2_step)):
        for label, part in (("0.04T", 0.04), ("0.01T", 0.01)):
            n = round(1 / part)
            states = bdf(4, part * T, 4 * n, step=step)
            for name, l in (("T", 1), ("4T", 4)):
                rows["reich/bdf4", "BDF4, %s, h = %s: H(%s) - H(0)" % (form, label, name)] = energy(states[l * n])
    for power in (3, 4, 6):
        states = variable_bdf(4, 10.0 ** -power, 0.04 * T, 100)
        for name, n in (("T", 25), ("4T", 100)):
            rows["reich/bdf4", "BDF4, variable steps, error 1e-%d: H(%s) - H(0)" % (power, name)] = energy(states[n - 1])
    for power in (2, 3):
        states = variable_bdf(5, 10.0 ** -power, 0.04 * T, 100, choose=True)
        for name, n in (("T", 25), ("4T", 100)):
            rows["reich/bdf4", "variable order to 5, error 1e-%d: H(%s) - H(0)" % (power, name)] = energy(states[n - 1])
    states = bdf(2, 0.04 * T, 1000)
    rows["reich/bdf4", "BDF2, h = 0.04T: H(4T)"] = energy(states[100])
    rows["reich/bdf4", "BDF2, h = 0.04T: H(40T)"] = energy(states[1000])
    rows["reich/bdf4", "BDF1, h = 0.04T: H(4T)"] = energy(bdf(1, 0.04 * T, 100)[100])
    for gravity, times in ((9.81, (1, 10, 100)), (1.0, (10, 85, 100, 400)), (0.0, (60, 100))):
        states = bdf(2, 0.05, 20 * times[-1], speed=-1.0, gravity=gravity)
        for t in times:
            name = "gravity %g: energy at t = %d" % (gravity, t)
            if gravity == 9.81 and t == 10:
                name += ", after four periods"
            if (gravity, t) in ((1.0, 85), (0.0, 60)):
                name += ", after ten periods"
            rows["leimkuhler-reich/figure1", name] = energy(states[20 * t], gravity)
    return rows


# ---- Leimkuhler and Reich, figure 2: one coordinate of the circle and the other in turn ----


def charts(steps, h):
    """H = theta^2 (1 - delta^2)/2 for delta = x or y. Returns the energies; charts change when |y| crosses sqrt(1/2)."""
    x, energies = [1.0, 0.0, 0.0, -2.0], []
    k = 1  # the chart: 0 uses x, 1 uses y
    for _ in range(steps):
        delta, other = x[k], x[1 - k]
        theta = x[2 + k] - delta / other * x[3 - k]
        d, t = midpoint(lambda z: [z[1] * (1 - z[0] ** 2), z[1] ** 2 * z[0]], [delta, theta], h)
        w = math.copysign(math.sqrt(1 - d * d), other)
        x[k], x[1 - k] = d, w
        x[2 + k], x[3 - k] = t * w * w, -t * w * d
        energies.append(energy(x, 0.0))
        k = 0 if abs(x[1]) > math.sqrt(0.5) else 1
    return energies


def figure_2():
    study, energies = "leimkuhler-reich/figure2", charts(100000, 0.01)
    lost = energy(bdf(2, 0.01, 10000, speed=-2.0, gravity=0.0)[10000], 0.0) - 2
    coarse = energy(bdf(2, 0.05, 2000, speed=-2.0, gravity=0.0)[2000], 0.0) - 2
    return {
        (study, "E(100) - E(0)"): energies[9999] - 2,
        (study, "E(1000) - E(0)"): energies[99999] - 2,
        (study, "energy lost by t = 100: BDF2 over the charts, both with h = 0.01"): lost / (energies[9999] - 2),
        (study, "energy lost by t = 100: BDF2 with h = 0.05 over the charts with h = 0.01"): coarse / (energies[9999] - 2),
    }


# ---- Leimkuhler and Reich, figures 3 to 6: the midpoint rule on four forms ----


def forms(gravity):
    def natural(z):
        return (z[2] * z[2] + z[3] * z[3]) / 2 + gravity * z[1]

    def parts(z):
        r2, pp, qp = z[0] ** 2 + z[1] ** 2, z[2] ** 2 + z[3] ** 2, z[0] * z[2] + z[1] * z[3]
        return (pp - gravity * z[1]) / r2, -qp / r2, (r2 - 1) / 2, qp

    def dirac(z):
        mu, eta, phi, psi = parts(z)
        return natural(z) + mu * phi + eta * psi

    def simplified(z):
        mu, _, phi, _ = parts(z)
        return natural(z) + mu * phi

    def standard(x):
        mu = parts(x)[0]
        return [x[2], x[3], -mu * x[0], -gravity - mu * x[1]]

    return hamiltonian_field(dirac), hamiltonian_field(simplified), standard


def figures_3_to_6():
    rows = {}
    for gravity, mark in ((1.0, ""), (0.0, ", gravity 0")):
        dirac, simplified, standard = forms(gravity)

        def residuals(x):
            return (x[0] ** 2 + x[1] ** 2 - 1) / 2, x[0] * x[2] + x[1] * x[3]

        start = [1.0, 0.0, 0.0, -2.0]

        def largest(field, h, steps):
            errors = [0.0, 0.0, 0.0]
            for x in along(lambda y, dt: midpoint(field, y, dt), start, h, steps):
                for k, v in enumerate((energy(x, gravity) - 2, *residuals(x))):
                    errors[k] = max(errors[k], abs(v))
            return errors

        end = " to t = 100" if gravity else ""
        for what, value in zip(("E - E(0)", "phi", "psi"), largest(dirac, 0.1, 1000)):
            rows["leimkuhler-reich/figures3-6", "figure 3, Dirac%s: largest |%s|%s" % (mark, what, end)] = value
        states = list(along(lambda y, dt: midpoint(simplified, y, dt), start, 0.01, 100))
        x = states[-1]
        name = "figure 4, simplified%s: phi(1)/phi(1/2)" % mark
        rows["leimkuhler-reich/figures3-6", name] = residuals(x)[0] / residuals(states[-51])[0]
        values = (energy(x, gravity) - 2, *residuals(x))
        for what, value in zip(("E - E(0)", "phi", "psi"), values):
            rows["leimkuhler-reich/figures3-6", "figure 4, simplified%s: %s at t = 1" % (mark, what)] = value
        if gravity:
            for what, value in zip(("E - E(0)", "phi"), largest(standard, 0.1, 1000)):
                rows["leimkuhler-reich/figures3-6", "figure 5, standard: largest |%s|" % what] = value
    return rows


# ---- Leimkuhler and Reich, sections 3.3 and 3.4: how residuals near the manifold behave ----


def rates(field, residuals, x, directions):
    """The matrix of the linear equations for the residuals: their rates along `directions`, which change one residual each."""
    columns = []
    for direction in directions:
        h, ends = 1e-4, []
        for sign in (1, -1):
            y = add(x, sign * h, direction)
            change = field(y)
            ends.append([derivative(lambda z, k=k: residuals(z)[k], y, change) for k in range(len(directions))])
        columns.append([(a - b) / (2 * h) for a, b in zip(*ends)])
    return [list(row) for row in zip(*columns)]


def largest_square(A):
    """The eigenvalue of A^2 that is largest in size, by the power method."""
    v, size = [1.0 + 0.1 * k for k in range(len(A))], 0.0
    for _ in range(2000):
        for _ in range(2):
            v = [sum(a * b for a, b in zip(row, v)) for row in A]
        place = max(range(len(v)), key=lambda k: abs(v[k]))
        size = v[place]
        v = [a / size for a in v]
    w = v
    for _ in range(2):
        w = [sum(a * b for a, b in zip(row, w)) for row in A]
    return w[place] / v[place]


def circle_residuals(z):
    return (z[0] ** 2 + z[1] ** 2 - 1) / 2, z[0] * z[2] + z[1] * z[3]


def linear_forms():
    """The constraints x1 + x2 = 0 and x1 - 2 x2 = 0, which hold where x1 = x2 = 0, and the quadratic potential."""

    def slope(q):
        a, b, c, d, e = q
        return 4 * a + c + e / 2, 9 * b - d

    def residuals(z):
        return z[0] + z[1], z[0] - 2 * z[1], z[5] + z[6], z[5] - 2 * z[6]

    def simplified(z):
        # lambda makes the forces along x1 and x2 vanish: lambda g is -(V_1 x1 + V_2 x2).
        a, b, c, d, e = z[:5]
        v = (4 * a * a + 9 * b * b + 5 * c * c + 6 * d * d + 7 * e * e) / 2 + a * c - b * d + a * e / 2 + c * d
        one, two = slope(z[:5])
        return sum(p * p for p in z[5:]) / 2 + v - one * a - two * b

    def dirac(z):
        # eta G p is -(p1^2 + p2^2): the velocities along x1 and x2 vanish too.
        return simplified(z) - z[5] ** 2 - z[6] ** 2

    return residuals, hamiltonian_field(dirac), hamiltonian_field(simplified)


def manifold_stability():
    rows, study = {}, "leimkuhler-reich/stability"
    residuals, dirac, simplified = linear_forms()
    directions = []
    for first in (0, 5):
        for one, two in ((2 / 3, 1 / 3), (1 / 3, -1 / 3)):
            direction = [0.0] * 10
            direction[first], direction[first + 1] = one, two
            directions.append(direction)
    x = [0.0, 0.0, 0.3, -0.2, 0.5, 0.0, 0.0, 0.7, 0.1, -0.4]
    rows[study, "(22)-(23): Dirac, largest frequency"] = math.sqrt(-largest_square(rates(dirac, residuals, x, directions)))
    rows[study, "(20)-(21): simplified, largest exponent"] = math.sqrt(
        largest_square(rates(simplified, residuals, x, directions))
    )
    # On the circle, at (1, 0): phi changes with x, and psi with p_x; x changes psi too, unless p_x = 0.
    directions = [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]
    x, (dirac, simplified, _) = [1.0, 0.0, 0.0, -2.0], forms(0.0)
    rows[study, "3.4: pendulum, Dirac, frequency"] = math.sqrt(-largest_square(rates(dirac, circle_residuals, x, directions)))
    rows[study, "3.4: pendulum, simplified, exponent"] = math.sqrt(
        largest_square(rates(simplified, circle_residuals, x, directions))
    )
    # The residuals are so small that the steps are too; those that the study has are looked at, a hundred to t = 2.
    for name, field in (("dirac", dirac), ("simplified", simplified)):
        worst, start = [0.0, 0.0], [math.sqrt(1 + 2e-7), 0.0, 0.0, -2.0]
        states = along(lambda y, dt: rk4(field, y, dt), start, 5e-4, 4000)
        for z in (state for n, state in enumerate(states) if n % 40 == 0):
            worst = [max(w, abs(v) / 1e-7) for w, v in zip(worst, circle_residuals(z))]
        for k, residual in enumerate(("phi", "psi")):
            rows[study, "3.4: %s, phi(0) = 1e-7: largest |%s|/phi(0), t <= 2" % (name, residual)] = worst[k]
    return rows


# ---- Seiler, section 3 ----


def derivative(f, x, change):
    """That of f along the field, by a complex step."""
    return f([v + 1j * TINY * d for v, d in zip(x, change)]).imag / TINY


def riccati(zeta, rho, end, steps):
    """rho' = zeta (sigma^2 + 4 rho^2) with sigma = 2."""
    for _ in range(steps):
        rho = rk4(lambda r: [zeta * (4 + 4 * r[0] ** 2)], [rho], end / steps)[0]
    return rho


def blow_up(zeta):
    """The time in which rho runs from 0 to infinity, by the midpoint rule in the arc of rho = tan."""
    n = 100
    arcs = [math.tan(math.pi / 2 * (k + 0.5) / n) for k in range(n)]
    return sum(math.pi / 2 / n * (1 + r * r) / (zeta * (4 + 4 * r * r)) for r in arcs)


def seiler_section_3():
    rows, study = {}, "seiler/section3"
    r, s, c = math.sqrt(1.06), math.sin(0.7), math.cos(0.7)
    x = [r * s, r * c, (1.3 * c + 0.2 * s) / r, (0.2 * c - 1.3 * s) / r]
    r2, pp, qp = x[0] ** 2 + x[1] ** 2, x[2] ** 2 + x[3] ** 2, x[0] * x[2] + x[1] * x[3]
    mu, eta = (pp - x[1]) / r2, -qp / r2  # phi and psi stay as they are
    fields = {
        14: forms(1.0)[1](x),
        15: [x[2] + eta * x[0], x[3] + eta * x[1], -mu * x[0] - eta * x[2], -1 - mu * x[1] - eta * x[3]],
    }
    coordinates = {
        "zeta": lambda z: (z[0] ** 2 + z[1] ** 2 - 1) / 2,
        "rho": lambda z: z[0] * z[2] + z[1] * z[3],
        "xi": lambda z: cmath.atan(z[0] / z[1]),
        "pi": lambda z: z[1] * z[2] - z[0] * z[3],
    }
    labels = {"zeta": ("(20): ", ""), "rho": ("(20): ", ""), "xi": ("(18): ", "(19): "), "pi": ("(18): ", "(19): ")}
    for name, f in coordinates.items():
        for label, (number, field) in zip(labels[name], fields.items()):
            rows[study, "%s%s' under (%d)" % (label, name, number)] = derivative(f, x, field)
    # (20) at (16) with zeta = rho = 0: zeta and rho change along (q, -p) and (0, q), which are independent of the rest.
    x = [s, c, 1.3 * c, -1.3 * s]
    directions = [s, c, -x[2], -x[3]], [0.0, 0.0, s, c]
    rows[study, "(20), linearised: sigma"] = math.sqrt(
        largest_square(rates(forms(1.0)[1], circle_residuals, x, directions))
    )
    rows[study, "Riccati: rho at t = 10 from rho0 = 0.3"] = riccati(0.01, 0.3, 10, 1000)
    end = 0.99 * blow_up(0.01)
    rows[study, "Riccati: rho at 0.99 of the time of blow-up, zeta0 = 0.01"] = riccati(0.01, 0.0, end, 100000)
    rows[study, "time of blow-up, zeta0 = 0.001 against 0.01"] = blow_up(0.001) / blow_up(0.01)
    rows[study, "time of blow-up times zeta0, from rho0 = 0"] = 0.01 * blow_up(0.01)
    return rows


# ---- Seiler, section 6 ----


def seiler_field(x):
    mu = (x[2] ** 2 + x[3] ** 2 - x[1]) / (x[0] ** 2 + x[1] ** 2)
    return [x[2], x[3], -mu * x[0], -1 - mu * x[1]]


DORMAND_PRINCE = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)


def dormand_prince(field, x, h):
    """The solution of order five."""
    slopes = [field(x)]
    for row in DORMAND_PRINCE:
        stage = x
        for a, slope in zip(row, slopes):
            stage = add(stage, h * a, slope)
        slopes.append(field(stage))
    return stage


def seiler_run(position=math.inf, momentum=math.inf, step=rk4, h=0.025, steps=40920):
    """Projects when a residual exceeds its tolerance. Returns all states and the number of projections."""
    x, states, count = [1.0, 0.0, 0.0, -2.0], [], 0
    for _ in range(steps):
        states.append(x)
        x = step(seiler_field, x, h)
        if abs(x[0] ** 2 + x[1] ** 2 - 1) / 2 > position:
            r = math.hypot(x[0], x[1])
            x = [x[0] / r, x[1] / r, x[2], x[3]]
            count += 1
        if abs(x[0] * x[2] + x[1] * x[3]) > momentum:
            x = x[:2] + to_tangent(x[:2], x[2:])
            count += 1
    states.append(x)
    return states, count


def periodogram(values):
    """2 |X_k|^2 / N^2 at the frequencies k/N."""
    n = len(values)
    waves = [cmath.exp(-2j * math.pi * i / n) for i in range(n)]
    return [(2 * abs(sum(v * waves[k * i % n] for i, v in enumerate(values))) ** 2 / n**2, k / n) for k in range(1, n // 2)]


def growth(values):
    """The exponent of the running maximum on [20, 200], by least squares in the logarithms."""
    points, largest = [], 0.0
    for n, v in enumerate(values[:8001]):
        largest = max(largest, abs(v))
        if n >= 800:
            points.append((math.log(n * 0.025), math.log(largest)))
    mx, my = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)


def turn():
    """The time of a turn with H = 2: the mean of 2 pi / |a'| over the angle a, by equal steps."""
    n = 200
    return sum(2 * math.pi / n / math.sqrt(4 - 2 * math.cos(2 * math.pi * k / n)) for k in range(n))


def ratio(one, other, measure):
    return measure(one) / measure(other)


def final_energy_error(states):
    return abs(energy(states[-1]) - 2)


def seiler_errors(study, exact, none, pos, mom):
    """Errors of (q, p) against the state-space form, and how they grow."""
    rows, name = {}, "integration error to t = %s, %s projections over %s"

    def largest(states, count=8001):
        return max(distance(a, b) for a, b in zip(states[:count], exact))

    rows[study, name % (1023, "position", "none")] = ratio(pos, none, lambda x: largest(x, 40921))
    rows[study, name % (200, "position", "none")] = ratio(pos, none, largest)
    both, _ = seiler_run(position=1e-6, momentum=1e-6)
    rows[study, name % (200, "both", "momentum projections")] = ratio(both, mom, largest)
    for label, states in (("none", none), ("position projections", pos), ("momentum projections", mom)):
        error = [distance(a, b) for a, b in zip(states, exact)]
        rows[study, "growth exponent of integration error, " + label] = growth(error)
    off = [(x[0] ** 2 + x[1] ** 2 - 1) / 2 for x in mom]
    rows[study, "growth exponent of phi, momentum projections"] = growth(off)
    finer, _ = seiler_run(position=1e-8)
    rows[study, "energy error, position projections: 1e-8 over 1e-6"] = ratio(finer, pos, final_energy_error)
    return rows


def seiler_dormand_prince(study, exact):
    rows, runs = {}, []
    for position, momentum in ((math.inf, math.inf), (1e-6, math.inf), (math.inf, 1e-6), (1e-6, 1e-6)):
        runs.append(seiler_run(position, momentum, dormand_prince, 0.1, 10000)[0])
    none, pos, mom, both = runs

    def largest(states):
        return max(distance(a, b) for a, b in zip(states[:2001], exact[::4]))

    name = "Dormand-Prince: "
    rows[study, name + "energy error, none over momentum projections"] = ratio(none, mom, final_energy_error)
    rows[study, name + "energy error, position projections over none"] = ratio(pos, none, final_energy_error)
    rows[study, name + "integration error, position projections over none"] = ratio(pos, none, largest)
    rows[study, name + "integration error, both projections over momentum projections"] = ratio(both, mom, largest)
    return rows


def seiler_section_6():
    rows, study = {}, "seiler/section6"
    exact, y = [], [math.pi / 2, 2.0]
    for n in range(40921):
        exact.append([math.sin(y[0]), math.cos(y[0]), y[1] * math.cos(y[0]), -y[1] * math.sin(y[0])])
        for _ in range(10):
            y = rk4(lambda z: [z[1], math.sin(z[0])], y, 0.0025)
    none, _ = seiler_run()
    pos, many = seiler_run(position=1e-6)
    mom, few = seiler_run(momentum=1e-6)
    fine, few_fine = seiler_run(momentum=1e-8)
    dE = [abs(energy(states[-1]) - 2) for states in (none, pos, mom)]
    phi = [abs(states[-1][0] ** 2 + states[-1][1] ** 2 - 1) / 2 for states in (none, mom)]
    psi = [abs(x[0] * x[2] + x[1] * x[3]) for x in (none[-1], pos[-1])]
    rows[study, "momentum projections, tolerance 1e-6"] = few
    rows[study, "steps per position projection"] = 40920 / many
    rows[study, "final phi, momentum projections"] = phi[1]
    rows[study, "phi smaller than without, times"] = phi[0] / phi[1]
    rows[study, "energy error, position projections over none"] = dE[1] / dE[0]
    rows[study, "energy error, none over momentum projections"] = dE[0] / dE[2]
    rows[study, "psi, position projections over none"] = psi[1] / psi[0]
    rows[study, "tolerance 1e-8: steps per momentum projection"] = 40920 / few_fine
    pairs = list(zip(fine, exact))
    name = "tolerance 1e-8: integration error in "
    rows[study, name + "(q, p)"] = max(distance(a, b) for a, b in pairs)
    rows[study, name + "q"] = max(distance(a[:2], b[:2]) for a, b in pairs)
    rows[study, name + "the largest component"] = max(max(abs(u - v) for u, v in zip(a, b)) for a, b in pairs)
    rows[study, "tolerance 1e-8: energy error"] = max(abs(energy(x) - 2) for x in fine)
    rows[study, "tolerance 1e-8: phi"] = max(abs(x[0] ** 2 + x[1] ** 2 - 1) / 2 for x in fine)
    rows[study, "period"] = turn()
    for label, states in (("none", none), ("position projections", pos), ("momentum projections", mom)):
        rows[study, "growth exponent of energy error, " + label] = growth([energy(x) - 2 for x in states])
        if states is not mom:
            values = [x[0] * x[2] + x[1] * x[3] for x in states]
            rows[study, "growth exponent of psi, " + label] = growth(values)
    rows[study, "growth exponent of phi, none"] = growth([(x[0] ** 2 + x[1] ** 2 - 1) / 2 for x in none])
    peak, frequency = max(periodogram([x[0] for x in mom[::40]]))
    rows[study, "periodogram, momentum projections: peak"] = peak
    rows[study, "periodogram, momentum projections: frequency"] = frequency
    rows[study, "periodogram of x, state-space form: peak"] = max(periodogram([x[0] for x in exact[::40]]))[0]
    smeared = periodogram([x[0] for x in none[::40]])
    rows[study, "periodogram, none: maximum"] = max(smeared)[0]
    rows[study, "periodogram: peak with momentum projections over that of the state-space form"] = (
        peak / rows[study, "periodogram of x, state-space form: peak"]
    )
    came = max(periodogram([x[0] for x in pos[::40]]))[0] - max(smeared)[0]
    rows[study, "periodogram: how far position projections come from none to momentum projections"] = came / (
        peak - max(smeared)[0]
    )
    rows[study, "steps per momentum projection"] = 40920 / few
    rows.update(seiler_errors(study, exact, none, pos, mom))
    rows.update(seiler_dormand_prince(study, exact))
    band = [f for power, f in smeared if power >= max(smeared)[0] / 20]
    rows[study, "periodogram, none: lower end of the band"] = band[0]
    rows[study, "periodogram, none: upper end of the band"] = band[-1]
    return rows


def all_rows():
    rows = {}
    reich = reich_tables, reich_stability, backward_differentiation
    parts = *reich, figure_2, figures_3_to_6, manifold_stability, seiler_section_3, seiler_section_6
    for part in parts:
        rows.update(part())
    return rows
