"""Two kinds of numbers for the same formulas: 60 digits for answers, Python's floats for first guesses."""
import math

import mpmath

mpmath.mp.dps = 60


class NoValue(Exception):
    """A formula has no real value, or none that is finite."""


class Digits:
    """Numbers of 60 digits. A forward difference over 1e-30 is right to 30 of them."""

    little = mpmath.mpf("1e-30")
    pi = +mpmath.pi
    zero = mpmath.mpf(0)

    number = staticmethod(mpmath.mpf)
    exp, sin, cos, tan = mpmath.exp, mpmath.sin, mpmath.cos, mpmath.tan
    atan, atan2 = mpmath.atan, mpmath.atan2
    sinh, cosh, tanh = mpmath.sinh, mpmath.cosh, mpmath.tanh
    erf, erfc = mpmath.erf, mpmath.erfc

    @staticmethod
    def slopes(f, x, places):
        """The derivatives of f along some entries of x, a list that is restored."""
        at = f(x)
        for k in places:
            kept, x[k] = x[k], x[k] + Digits.little
            yield k, (f(x) - at) / Digits.little
            x[k] = kept

    @staticmethod
    def root(x):
        return mpmath.sqrt(x)

    @staticmethod
    def cube_root(x):
        return mpmath.cbrt(x)

    @staticmethod
    def logarithm(x):
        return mpmath.log(x)

    @staticmethod
    def arc(f, x):
        return mpmath.asin(x) if f == "asin" else mpmath.acos(x)

    @staticmethod
    def real_power(x, y):
        return mpmath.power(x, y)


class Floats:
    """Python's floats. A central difference over 1e-5 is right to some ten digits."""

    little = 1e-5
    pi = math.pi
    zero = 0.0

    number = staticmethod(float)
    exp, sin, cos, tan = math.exp, math.sin, math.cos, math.tan
    atan, atan2 = math.atan, math.atan2
    sinh, cosh, tanh = math.sinh, math.cosh, math.tanh
    erf, erfc = math.erf, math.erfc

    @staticmethod
    def slopes(f, x, places):
        for k in places:
            kept = x[k]
            x[k] = kept + Floats.little
            above = f(x)
            x[k] = kept - Floats.little
            yield k, (above - f(x)) / (2 * Floats.little)
            x[k] = kept

    @staticmethod
    def root(x):
        return math.sqrt(x)

    @staticmethod
    def cube_root(x):
        return x ** (1 / 3)

    @staticmethod
    def logarithm(x):
        return math.log(x)

    @staticmethod
    def arc(f, x):
        return math.asin(x) if f == "asin" else math.acos(x)

    @staticmethod
    def real_power(x, y):
        return math.pow(x, y)


def domain(kind):
    """The functions of formulas whose domain is a part of the real line."""

    def sqrt(x):
        if x < 0:
            raise NoValue("sqrt of a negative number")
        return kind.root(x)

    def log(x):
        if x <= 0:
            raise NoValue("log of a number that is not positive")
        return kind.logarithm(x)

    def arc(f):
        def call(x):
            if abs(x) > 1:
                raise NoValue(f + " beyond 1")
            return kind.arc(f, x)

        return call

    def cbrt(x):
        if abs(x) < 1e-20:
            raise NoValue("cbrt of zero, where it has no derivative")
        return -kind.cube_root(-x) if x < 0 else kind.cube_root(x)

    def erfc(x):
        value = kind.erfc(x)
        if value < 1e-300:
            raise NoValue("erfc of a number beyond the doubles")
        return value

    def power(x, y):
        if y == int(y) and abs(y) < 1000:
            if x == 0 and y < 0:
                raise NoValue("zero to a negative power")
            return x ** int(y)
        if x <= 0:
            raise NoValue("a power of a number that is not positive")
        return kind.real_power(x, y)

    return {
        "sqrt": sqrt,
        "log": log,
        "asin": arc("asin"),
        "acos": arc("acos"),
        "power": power,
        "abs": abs,
        "exp": kind.exp,
        "sin": kind.sin,
        "cos": kind.cos,
        "tan": kind.tan,
        "atan": kind.atan,
        "atan2": kind.atan2,
        "sinh": kind.sinh,
        "cosh": kind.cosh,
        "tanh": kind.tanh,
        "erf": kind.erf,
        "erfc": erfc,
        "cbrt": cbrt,
    }
