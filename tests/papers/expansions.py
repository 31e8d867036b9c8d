"""Seiler's expansions of one step in h, section 5: by series with rational coefficients, without code of taut."""
import math
from fractions import Fraction

TERMS = 7


class Series:
    """A power series in h up to h^(TERMS - 1)."""

    def __init__(self, *terms):
        self.a = [Fraction(v) for v in terms] + [Fraction(0)] * (TERMS - len(terms))

    def __add__(self, other):
        return Series(*(u + v for u, v in zip(self.a, series(other).a)))

    def __sub__(self, other):
        return self + series(other) * -1

    def __mul__(self, other):
        b = series(other).a
        return Series(*(sum(self.a[i] * b[k - i] for i in range(k + 1)) for k in range(TERMS)))

    def __truediv__(self, other):
        b, found = series(other).a, []
        for k in range(TERMS):
            found.append((self.a[k] - sum(found[i] * b[k - i] for i in range(k))) / b[0])
        return Series(*found)


def series(x):
    return x if isinstance(x, Series) else Series(x)


H = Series(0, 1)


def field(z):
    """(13): the underlying equations of the pendulum."""
    x, y, p, r = z
    mu = (p * p + r * r - y) / (x * x + y * y)
    return [p, r, mu * x * -1, mu * y * -1 - 1]


def euler(z, h):
    return [a + f * h for a, f in zip(z, field(z))]


def rk2(z, h):
    """The explicit midpoint rule."""
    return [a + f * h for a, f in zip(z, field([a + f * (h / 2) for a, f in zip(z, field(z))]))]


def phi(z):
    return (z[0] * z[0] + z[1] * z[1] - 1) / 2


def psi(z):
    return z[0] * z[2] + z[1] * z[3]


def energy(z):
    return (z[2] * z[2] + z[3] * z[3]) / 2 + z[1]


def newton_step(z):
    """One Newton step of the position projection: (1 - phi/r^2) q."""
    part = phi(z) / (z[0] * z[0] + z[1] * z[1])
    return [z[0] - part * z[0], z[1] - part * z[1], z[2], z[3]]


def onto_circle(z):
    """The same to rounding, or to all terms of the series."""
    for _ in range(6):
        z = newton_step(z)
    return z


def onto_tangent(z):
    part = psi(z) / (z[0] * z[0] + z[1] * z[1])
    return [z[0], z[1], z[2] - part * z[0], z[3] - part * z[1]]


def start(*z):
    return [Series(Fraction(v)) for v in z]


def power(step, projection, sizes):
    """The slope of |E - E projected| after one step, by least squares in the logarithms, in plain floats."""
    points = []
    for h in sizes:
        z = step([0.6, -0.8, 1.2, 0.9], h)
        points.append((math.log(h), math.log(abs(energy(z) - energy(projection(z))))))
    mx, my = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)


def all_rows():
    on_M = start("0.6", "-0.8", "1.2", "0.9")
    off, on = (euler(z, H) for z in (start("0.65", "-0.8", "1.2", "1"), on_M))
    on_psi = euler(start("0.65", "-0.8", "1.2", "0.975"), H)
    newton, landed = newton_step(on), onto_circle(on)
    rows = {"(21a), A off M: phi, h^%d" % k: phi(off).a[k] for k in range(3)}
    rows.update({"(21b), A off M: psi, h^%d" % k: psi(off).a[k] for k in range(3)})
    rows["(21b), A on M: psi, h^2"] = psi(on).a[2]
    rows["(21c), Psi = 0, Phi not: E, h^1"] = energy(on_psi).a[1]
    rows["(21c), A on M: E, h^2"] = energy(on).a[2]
    rows["(22a), A off M: phi projected, h^0"] = phi(newton_step(off)).a[0]
    rows["(22b), A off M: psi, position projected, h^0"] = psi(newton_step(off)).a[0]
    rows["(22c), A off M: E, position projected, h^0 less that of A"] = energy(newton_step(off)).a[0]
    rows.update({"(23a), A on M: phi projected, h^%d" % k: phi(newton).a[k] for k in (0, 2, 3, 4)})
    rows.update({"(23b), A on M: psi, position projected, h^%d" % k: psi(landed).a[k] for k in (2, 4)})
    rows["(23c), A on M: E, position projected, h^2"] = energy(landed).a[2]
    rows["(24), A off M: E, momentum projected, h^0"] = energy(onto_tangent(off)).a[0]
    rows["E - E^(p), A on M, h^2"] = energy(on).a[2] - energy(landed).a[2]
    name = "y < 0: |E^(p) - E(A)| over |E - E(A)|, leading order"
    rows[name] = energy(landed).a[2] / energy(on).a[2]
    rows["E - E^(m), A on M, h^4, from psi^2/(2 r^2)"] = energy(on).a[4] - energy(onto_tangent(on)).a[4]
    after = rk2(on_M, H)
    enlarged = energy(onto_circle(after)).a[3] - energy(after).a[3]
    rows["RK2: E^(p) - E, A on M, h^3"] = enlarged
    rows["RK2, y p_y > 0: E^(p) - E over y p_y, h^3"] = enlarged / Fraction("-0.72")
    name = "%s: power of h in E - E^(%s)"
    rows[name % ("Euler", "m")] = power(euler, onto_tangent, (0.1, 0.05, 0.025, 0.0125))
    rows[name % ("RK2", "m")] = power(rk2, onto_tangent, (0.08, 0.04, 0.02))
    rows[name % ("Euler", "p")] = power(euler, onto_circle, (0.1, 0.05, 0.025, 0.0125))
    rows[name % ("RK2", "p")] = power(rk2, onto_circle, (0.02, 0.01, 0.005))
    return {("seiler/section5", name): float(value) for name, value in rows.items()}
