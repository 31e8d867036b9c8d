"""The multiplier of the continuous equations, by differences."""
from arithmetic import Digits
from linear import solve_vector
from system import plus, times

SMALL = Digits.number("1e-10")


def derivative(f, s, q, p, dq, dp):
    """The derivative of a vector f(q, p) along (dq, dp), by a central difference that is right to 20
    digits.
    """
    above = f(plus(q, dq, SMALL), plus(p, dp, SMALL))
    below = f(plus(q, dq, -SMALL), plus(p, dp, -SMALL))
    return [(a - b) / (2 * SMALL) for a, b in zip(above, below)]


def multiplier(s, q, p):
    """The lambda of q' = H_p, p' = -H_q - G'lambda for which G H_p stays zero."""
    if not s.m:
        return []
    hidden = lambda q, p: times(s.G(q), s.H_p(q, p))
    zero = [s.kind.zero] * s.n
    H_q, H_p, G = s.H_q(q, p), s.H_p(q, p), s.G(q)
    free = derivative(hidden, s, q, p, H_p, [-v for v in H_q])
    columns = [derivative(hidden, s, q, p, zero, row) for row in G]
    return solve_vector([list(row) for row in zip(*columns)], free)
