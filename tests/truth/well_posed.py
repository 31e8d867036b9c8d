"""What a random model must fulfil to be a valid one with one clear answer."""
from arithmetic import Digits, Floats
from linear import inverse
from multiplier import derivative
from newton import find
from system import System, along, times


class Unfit(Exception):
    """A try that is no valid or no well-posed model."""


def well_posed(made):
    """Refuses models whose start has large derivatives or nearly dependent constraints."""
    s = System(made.text(), Floats)
    q, p = s.start()
    p = [0.3] * s.n
    sizes = [s.H(q, p)] + s.H_q(q, p) + s.H_p(q, p) + [v for row in s.G(q) for v in row]
    H_q = s.H_q(q, p)
    # The second is short enough to see the corner of a small |x|, at which there is no derivative.
    for little in (1e-3, 3e-5):
        for k in range(s.n):
            moved = list(q)
            moved[k] += little
            sizes += [(a - b) / little for a, b in zip(s.H_q(moved, p), H_q)]
            for row, old in zip(s.G(moved), s.G(q)):
                sizes += [(a - b) / little for a, b in zip(row, old)]
    if not all(abs(v) < 60 for v in sizes):
        raise Unfit()
    independent(s.G(q))


def independent(G):
    """Refuses gradients that are small, or that lie within some 15 degrees of the span of the others."""
    basis = []
    for row in G:
        length = sum(v * v for v in row) ** 0.5
        if length < 0.03:
            raise Unfit()
        rest = [v / length for v in row]
        for other in basis:
            share = sum(a * b for a, b in zip(rest, other))
            rest = [a - share * b for a, b in zip(rest, other)]
        left = sum(v * v for v in rest) ** 0.5
        if left < 0.25:
            raise Unfit()
        basis.append([v / left for v in rest])


def tangent(made):
    """Moves the momentum at the start along G', so that G H_p = 0."""
    exact, rough = System(made.text(), Digits), System(made.text(), Floats)
    if not exact.m:
        return
    q, p = exact.start()
    rough_x = [float(v) for v in q], [float(v) for v in p]

    def of(s):
        at = rough_x if s is rough else (q, p)
        G = s.G(at[0])
        return lambda nu: times(G, s.H_p(at[0], along(G, nu, at[1])))

    nu, _ = find(of, rough, exact, [0.0] * exact.m)
    for name, value in zip(made.coordinates, along(exact.G(q), nu, p)):
        made.initial["p_" + name] = repr(float(value))


def regular(s, q, p):
    """Refuses an H whose second derivatives by p are not positive and of moderate size."""
    zero = [s.kind.zero] * s.n
    unit = lambda k: [s.kind.number(1 if k == j else 0) for j in range(s.n)]
    H_pp = [derivative(lambda q, p: s.H_p(q, p), s, q, p, zero, unit(k)) for k in range(s.n)]
    for k in range(s.n):
        if not 0.05 < H_pp[k][k] < 50:
            raise Unfit()
    if any(abs(v) > 100 for row in inverse(H_pp) for v in row):
        raise Unfit()
