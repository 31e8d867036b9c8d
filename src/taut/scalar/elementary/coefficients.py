#!/usr/bin/env python3
"""Writes coefficients.hpp: the polynomials of the elementary functions.

Each polynomial interpolates its function at Chebyshev nodes, in 60 digits, and is then rounded to doubles. The comment
above it says how far the rounded polynomial is from the function, as a share of the result that it serves.

    python3 src/taut/scalar/elementary/coefficients.py > src/taut/scalar/elementary/coefficients.hpp
"""
import textwrap

from mpmath import (mp, mpf, sqrt, sin, cos, exp, atan, asin, atanh, sinh, cbrt, erf, erfc, log, pi)

mp.dps = 60


def interpolate(f, a, b, count):
    nodes = [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    table = [f(x) for x in nodes]
    for level in range(1, count):
        for k in range(count - 1, level - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - level])
    poly = [mpf(0)] * count
    for k in range(count - 1, -1, -1):  # Horner's scheme in Newton's form
        poly = [(poly[i - 1] if i else mpf(0)) - nodes[k] * poly[i] for i in range(count)]
        poly[0] += table[k]
    return [mpf(float(c)) for c in poly]


def value(poly, x):
    y = mpf(0)
    for c in reversed(poly):
        y = y * x + c
    return y


def emit(name, what, f, a, b, count, weight):
    a, b = mpf(a), mpf(b)
    poly = interpolate(f, a, b, count)
    worst = mpf(0)
    for k in range(2001):
        x = a + (b - a) * k / 2000
        if x == 0:
            x = (b - a) * mpf(2) ** -30
        worst = max(worst, abs((value(poly, x) - f(x)) * weight(x)))
    comment = f"{what}, to 2^{float(log(worst, 2)):.1f} of the result."
    print("\n".join(textwrap.wrap(comment, 105, initial_indent="// ", subsequent_indent="// ")))
    print(f"inline constexpr Coefficients<{count}> {name} = {{{{")
    for c in poly:
        print(f"    {float(c).hex()},")
    print("}};\n")


def parts(name, what, x, bits):
    """x as a sum of doubles with so many bits each; 53 for the last."""
    rest, out = x, []
    for b in bits:
        e = int(mp.floor(log(abs(rest), 2))) + 1
        unit = mpf(2) ** (e - b)
        piece = mp.nint(rest / unit) * unit
        out.append(piece)
        rest -= piece
    print(f"// {what}, in {len(bits)} parts of {', '.join(map(str, bits))} bits.")
    print(f"inline constexpr double {', '.join(f'{name}_{k + 1} = {float(p).hex()}' for k, p in enumerate(out))};\n")


def small(f, order):
    """f(z) with cancellation of `order` terms near zero: more digits for the evaluation."""
    def g(z):
        if abs(z) < mpf(2) ** -100:
            z = mpf(2) ** -100
        with mp.workdps(300):
            return +f(mpf(z))
    return g


print("""// Written by coefficients.py, which says how. Polynomials are listed from the constant term upwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace taut::elementary {

template <std::size_t count>
using Coefficients = std::array<double, count>;
""")

quarter = (pi / 4) ** 2 * mpf("1.001")
emit("sine", "(sin(r)/r - 1)/r² as a polynomial in r², |r| <= π/4", small(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, 1),
     0, quarter, 6, lambda z: z)
emit("cosine", "(cos(r) - 1 + r²/2)/r⁴ as a polynomial in r², |r| <= π/4",
     small(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, 2), 0, quarter, 6, lambda z: z * z)
half = log(mpf(2)) / 2 * mpf("1.001")
emit("exponential", "(exp(r) - 1 - r - r²/2)/r³ as a polynomial in r, |r| <= log(2)/2",
     small(lambda r: (exp(r) - 1 - r - r * r / 2) / r**3, 3), -half, half, 10, lambda r: r**3)
root = sqrt(mpf(2))
s2 = ((root - 1) / (root + 1)) ** 2 * mpf("1.001")
emit("logarithm", "(2 artanh(s)/s - 2)/s² as a polynomial in s², |s| <= 0.1716",
     small(lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z, 1), 0, s2, 7, lambda z: z / 2)
emit("logarithm_tail", "(2 artanh(s)/s - 2 - 2s²/3 - 2s⁴/5)/s⁶ as a polynomial in s², |s| <= 0.1716",
     small(lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2 - 2 * z / 3 - 2 * z * z / 5) / z**3, 3), 0, s2, 8,
     lambda z: z**3 / 2)
t2 = mp.tan(pi / 8) ** 2 * mpf("1.001")
emit("arctangent", "(atan(t)/t - 1)/t² as a polynomial in t², |t| <= tan(π/8)",
     small(lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, 1), 0, t2, 11, lambda z: z)
emit("arcsine", "(asin(s)/s - 1)/s² as a polynomial in s², |s| <= 1/2",
     small(lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, 1), 0, mpf("0.2501"), 13, lambda z: z)
emit("hyperbolic_sine", "(sinh(x)/x - 1)/x² as a polynomial in x², |x| <= 1",
     small(lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z, 1), 0, mpf("1.001"), 8, lambda z: z)
emit("cube_root", "The cube root of m, 1 <= m <= 2, as a first guess", cbrt, 1, 2, 8, lambda m: 1)
emit("error_function", "erf(x)/x - 9/8 as a polynomial in x², |x| <= 1/2",
     small(lambda z: erf(sqrt(z)) / sqrt(z) - mpf(9) / 8, 1), 0, mpf("0.2501"), 11, lambda z: 1)
SHIFT, HEAD, POLE, MIDDLE = mpf("0.5625"), mpf("0.625"), mpf(2), mpf("0.21875")
def bend(t):
    x = 1 / (t + MIDDLE) - POLE
    with mp.workdps(80):
        return +((x + SHIFT) * exp(x * x) * erfc(x) - HEAD)
emit("complement", "(x + 9/16) exp(x²) erfc(x) - 5/8 as a polynomial in 1/(x + 2) - 7/32, 1/2 <= x <= 28",
     bend, 1 / (28 + POLE) - MIDDLE, 1 / (mpf("0.499") + POLE) - MIDDLE, 24, lambda t: 1 / HEAD)

parts("half_pi", "π/2", pi / 2, [39, 39, 53])
parts("pi_over_2", "π/2", pi / 2, [53, 53])
parts("pi_over_4", "π/4", pi / 4, [53, 53])
parts("log_2", "log(2)", log(mpf(2)), [42, 53])
parts("two_thirds", "2/3", mpf(2) / 3, [53, 53])
parts("two_fifths", "2/5", mpf(2) / 5, [53, 53])

mp.dps = 450
bits = int(mp.floor(2 / pi * mpf(2) ** (64 * 20)))
print("// The bits of 2/π after the binary point; the first word is 0, for the bits before it.")
print("inline constexpr std::array<std::uint64_t, 21> two_over_pi_bits = {{")
print("    0,")
for k in range(20):
    print(f"    0x{(bits >> (64 * (19 - k))) & (2**64 - 1):016x},")
print("}};\n\n}  // namespace taut::elementary")
