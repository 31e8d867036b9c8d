#!/usr/bin/env python3
"""Searches coefficients of explicit symmetric multistep formulas for constrained systems.

    studies/multistep/search.py 8             lists the best formulas of eight steps
    studies/multistep/search.py 8 -7 -4 7     prints the table for a = -0.7, -0.4, 0.7, as quotients of integers

A formula of k steps is rho(z) = (z - 1)^2 prod(z^2 + 2 a_i z + 1) with a_i a multiple of 1/10, and the sigma that
gives it order k. It is kept if all roots of sigma are on the unit circle, and if the roots of both polynomials are
at least `apart` from each other. docs/theory/multistep.md says why.
"""
import itertools
import sys
from fractions import Fraction
from math import factorial, lcm

import numpy as np


def product(a):
    """The coefficients of prod(z^2 + 2 a_i z + 1), from z^0 on."""
    all_ = [Fraction(1)]
    for x in a:
        longer = [Fraction(0)] * (len(all_) + 2)
        for i, c in enumerate(all_):
            for j, f in enumerate((Fraction(1), 2 * x, Fraction(1))):
                longer[i + j] += c * f
        all_ = longer
    return all_


def rho(a):
    bar = product(a)
    all_ = [Fraction(0)] * (len(bar) + 2)
    for i, c in enumerate(bar):
        for j, f in enumerate((1, -2, 1)):
            all_[i + j] += c * f
    return all_


def term(r, i):
    """The coefficient of z^(2i+2) in rho(e^z) e^(-lz)."""
    l = len(r) // 2
    return sum(c * Fraction(j - l) ** (2 * i + 2) for j, c in enumerate(r)) / factorial(2 * i + 2)


def sigma(r):
    """beta_l, beta_(l+1), ..., beta_(k-1), exactly, from the conditions of order k."""
    l = len(r) // 2
    rows = [[Fraction(int(i == 0))] + [Fraction(2 * j ** (2 * i), factorial(2 * i)) for j in range(1, l)] + [term(r, i)]
            for i in range(l)]
    for i in range(l):
        pivot = next(n for n in range(i, l) if rows[n][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for n in range(l):
            if n != i:
                rows[n] = [x - rows[n][i] * y for x, y in zip(rows[n], rows[i])]
    return [row[-1] for row in rows]


def error_constant(r, beta):
    l = len(r) // 2
    at_order = term(r, l) - sum(2 * b * Fraction(j ** (2 * l), factorial(2 * l)) for j, b in enumerate(beta) if j > 0)
    return float(at_order / (beta[0] + 2 * sum(beta[1:])))


def symmetric(beta):
    return np.array([float(b) for b in beta[:0:-1]] + [float(b) for b in beta])


def on_circle(polynomial, rounding=1e-7):
    found = np.roots(polynomial)
    return found if np.max(np.abs(np.abs(found) - 1)) < rounding else None


def apart(roots):
    return min(abs(x - y) for x, y in itertools.combinations(roots, 2)) if len(roots) > 1 else 2.0


def longest(r, beta):
    """The largest multiple of 0.002 up to which rho + (h omega)^2 sigma has all roots on the circle. A coarser grid
    would miss narrow intervals in which two roots meet and leave it."""
    r = np.array([float(c) for c in r])
    s = np.zeros_like(r)
    s[1:-1] = symmetric(beta)
    for i in range(1, 2000):
        if on_circle(r + (0.002 * i) ** 2 * s, 1e-6) is None:
            return 0.002 * (i - 1)
    return 4.0


def search(k, least=0.2):
    found = []
    for tenths in itertools.combinations(range(-9, 10), (k - 2) // 2):
        a = [Fraction(t, 10) for t in tenths]
        r = rho(a)
        beta = sigma(r)
        if beta[-1] == 0:
            continue
        roots = on_circle(symmetric(beta))
        parasites = np.roots([float(c) for c in product(a)])
        if roots is None or apart(roots) < least or apart(parasites) < least or min(abs(parasites - 1)) < least:
            continue
        found.append((longest(r, beta), abs(error_constant(r, beta)), apart(parasites), apart(roots), tenths))
    return found


def main():
    k = int(sys.argv[1])
    if len(sys.argv) > 2:
        a = [Fraction(int(t), 10) for t in sys.argv[2:]]
        r = rho(a)
        beta = sigma(r)
        divisor = lcm(*[b.denominator for b in beta])
        print("rho/(z-1)^2 =", *product(a))
        print("beta * %d =" % divisor, *[int(b * divisor) for b in beta])
        print("error constant %.3e, h omega up to %.2f" % (abs(error_constant(r, beta)), longest(r, beta)))
        return
    found = search(k)
    # A step h costs the same whatever the formula: what counts is h at a given error, C^(-1/k), and how long h may be.
    found.sort(key=lambda x: -x[0] * x[1] ** (-1 / k))
    print("%d formulas of %d steps; the best by (h omega limit) / C^(1/k):" % (len(found), k))
    for limit, c, rho_gap, sigma_gap, tenths in found[:8]:
        print("h omega <= %.2f  C = %.2e  roots of rho %.2f apart, of sigma %.2f  a = %s / 10"
              % (limit, c, rho_gap, sigma_gap, ", ".join(map(str, tenths))))


main()
