"""How much steps of a method change dq ^ dp on the manifold, by differences along curves on it, in plain numbers and
without code of taut.

The pairs of tangent vectors are those of docs/guide/trust.md: ten, of five directions that are drawn by the Mersenne
twister, at the point which the method reaches after 37 steps; the map is four steps.
"""
import math

WARM_UP, STEPS, DIRECTIONS = 37, 4, 5
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)  # the central formula of order 8


def mersenne_twister(seed):
    """mt19937_64 of C++."""
    state = [seed]
    for i in range(1, 312):
        state.append((6364136223846793005 * (state[-1] ^ state[-1] >> 62) + i) % 2**64)
    while True:
        for i in range(312):
            y = (state[i] & 0xFFFFFFFF80000000) | (state[(i + 1) % 312] & 0x7FFFFFFF)
            state[i] = state[(i + 156) % 312] ^ y >> 1 ^ (0xB5026F5AA96619E9 if y & 1 else 0)
        for x in list(state):
            x ^= x >> 29 & 0x5555555555555555
            x ^= x << 17 & 0x71D67FFFEDA60000
            x ^= x << 37 & 0xFFF7EEE000000000
            yield x ^ x >> 43


def form(a, b):
    n = len(a) // 2
    return sum(a[i] * b[n + i] - a[n + i] * b[i] for i in range(n))


def change(step, onto, q, p, h, epsilon=2.0**-7):
    """The largest |form after - form before| over the larger product of lengths, at the point after the warm-up.

    `onto` brings (q, p) onto the manifold.
    """
    units = [max(map(abs, q)), max(map(abs, p))]
    memory = None
    for _ in range(WARM_UP):
        q, p, memory = step(q, p, h, memory)
    q, p = onto(q, p)
    n = len(q)
    units = [max(units[0], *map(abs, q))] * n + [max(units[1], *map(abs, p))] * n
    x = [a / u for a, u in zip([*q, *p], units)]
    draws = mersenne_twister(20240607)

    def on_manifold(y):
        z = [a * u for a, u in zip(y, units)]
        return onto(z[:n], z[n:])

    before, after = [], []
    for _ in range(DIRECTIONS):
        d = [(next(draws) >> 11) * 2.0**-52 - 1 for _ in x]
        tangents = [[0.0] * (2 * n), [0.0] * (2 * n)]
        for k, weight in enumerate(WEIGHTS, 1):
            for side in (1, -1):
                a, b = on_manifold([v + side * k * epsilon * w for v, w in zip(x, d)])
                ends, memory = [(a, b)], None
                for _ in range(STEPS):
                    a, b, memory = step(a, b, h, memory)
                ends.append((a, b))
                for t, (a, b) in zip(tangents, ends):
                    for i, v in enumerate([*a, *b]):
                        t[i] += side * weight / epsilon * v / units[i]
        before.append(tangents[0])
        after.append(tangents[1])
    largest = 0.0
    for i in range(DIRECTIONS):
        for j in range(i + 1, DIRECTIONS):
            lengths = [math.hypot(*t[i]) * math.hypot(*t[j]) for t in (before, after)]
            largest = max(largest, abs(form(after[i], after[j]) - form(before[i], before[j])) / max(lengths))
    return largest
