"""Formulas as functions of a list of numbers, and their derivatives by differences."""
from formula import names, terms
from arithmetic import NoValue, domain

ROUNDING = 2.0**-52


class Noise:
    """Changes the result of each operation, and its derivative, by a part of the size of rounding.

    A formula with noise is as good an answer as the formula itself for somebody who calculates in doubles,
    so the difference of the two says what a digit is worth.
    """

    def __init__(self, kind, random):
        self.kind, self.random = kind, random

    def part(self):
        return self.kind.number(self.random.uniform(-1, 1) * ROUNDING)

    def factor(self):
        return 1 + self.part()

    def shaking(self):
        """Makes a function v -> v (1 + a + b v/w), so that v and dv change by parts of their own.

        w is the first v it meets, or 1 if that is tiny, as a difference of equal numbers is.
        """
        a, b, scale = 1 + self.part(), self.part(), []

        def shaken(v):
            if not scale:
                scale.append(b / v if abs(v) > 1e-3 else b)
            return v * (a + scale[0] * v)

        return shaken


def python_text(tree, place, constants, kind, noise):
    def result(text):
        if noise is None:
            return text
        constants.append(noise.shaking())
        return "c[%d](%s)" % (len(constants) - 1, text)

    def constant(value):
        constants.append(value)
        return "c[%d]" % (len(constants) - 1)

    def write(tree):
        head = tree[0]
        if head == "number":
            return result(constant(kind.number(tree[1])))
        if head == "name":
            if tree[1] == "pi":
                return result(constant(kind.pi))
            found = place[tree[1]]
            return "x[%d]" % found if isinstance(found, int) else result(constant(found))
        if head == "minus":
            return "(-%s)" % write(tree[1])
        if head == "call":
            return result("%s(%s)" % (tree[1], ",".join(write(a) for a in tree[2:])))
        if head == "^":
            return result("power(%s,%s)" % (write(tree[1]), exponent(tree[2])))
        return result("(%s%s%s)" % (write(tree[1]), head, write(tree[2])))

    def exponent(tree):
        """A whole number stays one: noise would take the power from a negative base."""
        inner = tree[1] if tree[0] == "minus" else tree
        if inner[0] == "number" and float(inner[1]).is_integer():
            return constant(kind.number(inner[1]) * (-1 if inner is not tree else 1))
        if inner[0] == "name" and not isinstance(place.get(inner[1], 0), int):
            return constant(place[inner[1]] * (-1 if inner is not tree else 1))
        return write(tree)

    return write(tree)


def function_of(tree, place, kind, noise=None):
    """Makes a function of a list x. place says for each name which entry of x it is, or which constant."""
    constants = []
    text = python_text(tree, place, constants, kind, noise)
    known = dict(domain(kind), c=constants)
    code = eval("lambda x: " + text, known)

    def f(x):
        try:
            return code(x)
        except (ZeroDivisionError, OverflowError, ValueError) as error:
            raise NoValue(str(error))

    return f


class Sum:
    """A formula cut into its terms, because a derivative concerns only the terms in which the name occurs."""

    def __init__(self, tree, place, kind, noise=None):
        self.kind = kind
        self.parts = []
        for sign, term in terms(tree):
            where = sorted(
                {place[name] for name in names(term) if name != "pi" and isinstance(place[name], int)}
            )
            self.parts.append((sign, function_of(term, place, kind, noise), where))

    def __call__(self, x):
        return sum((sign * f(x) for sign, f, _ in self.parts), self.kind.zero)

    def gradient(self, x, first, count):
        """The derivatives along x[first], ..., x[first + count - 1]."""
        slopes = [self.kind.zero] * count
        x = list(x)
        for sign, f, where in self.parts:
            places = [k for k in where if first <= k < first + count]
            if places:
                for k, slope in self.kind.slopes(f, x, places):
                    slopes[k - first] += sign * slope
        return slopes
