"""From a Lagrangian to the Hamiltonian: p = L_v, H = p'v - L.

A Lagrangian that is of second degree in the velocities, L = v'M(q)v/2 + b(q)'v - V(q), gives

    H = (p - b)' M(q)⁻¹ (p - b)/2 + V(q),

and M is taken apart into L D L', so that no inverse is written out. If M is constant and b is 0, the model is natural: it
has mass and potential.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .errors import ModelError
from .formula import Formula, Graph, in_order

__all__ = ["Mechanics", "derivative", "mechanics_of", "refuse_both"]


def _is(formula: Formula, number: str) -> bool:
    return formula.op == "number" and formula.text == number


def _number(formula: Formula) -> "Optional[Fraction]":
    """The value of a whole number or of a quotient of such; None for everything else."""
    if formula.op == "number" and formula.text.isdigit():
        return Fraction(int(formula.text))
    if formula.op == "neg":
        of = _number(formula.arguments[0])
        return None if of is None else -of
    if formula.op == "/":
        above, below = map(_number, formula.arguments)
        return above / below if above is not None and below else None
    return None


class _Algebra:
    """Operators that leave out what does nothing, such as 0 + x and 1*x, and keep the number of a product in front."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.zero, self.one = graph.literal("0"), graph.literal("1")

    def of(self, value: Fraction) -> Formula:
        return self.graph.number(value.numerator if value.denominator == 1 else value)

    def _both(self, a: Formula, b: Formula) -> "Optional[Tuple[Fraction, Fraction]]":
        x, y = _number(a), _number(b)
        return None if x is None or y is None else (x, y)

    def _split(self, a: Formula) -> "Tuple[Fraction, Optional[Formula]]":
        """A number and what it multiplies; None if that is 1."""
        value = _number(a)
        if value is not None:
            return value, None
        if a.op == "neg":
            value, rest = self._split(a.arguments[0])
            return -value, rest
        first = _number(a.arguments[0]) if a.op == "*" else None
        return (Fraction(1), a) if first is None else (first, a.arguments[1])

    def add(self, a: Formula, b: Formula) -> Formula:
        numbers = self._both(a, b)
        if numbers:
            return self.of(numbers[0] + numbers[1])
        if _is(a, "0"):
            return b
        if b.op == "neg":
            return self.subtract(a, b.arguments[0])
        return a if _is(b, "0") else self.graph.operation("+", a, b)

    def subtract(self, a: Formula, b: Formula) -> Formula:
        numbers = self._both(a, b)
        if numbers:
            return self.of(numbers[0] - numbers[1])
        if _is(b, "0"):
            return a
        return self.negative(b) if _is(a, "0") else self.graph.operation("-", a, b)

    def negative(self, a: Formula) -> Formula:
        if a.op == "neg":
            return a.arguments[0]
        if a.op == "-":
            return self.subtract(a.arguments[1], a.arguments[0])
        return a if _is(a, "0") else self.graph.negative(a)

    def times(self, a: Formula, b: Formula) -> Formula:
        (x, rest_a), (y, rest_b) = self._split(a), self._split(b)
        value = x * y
        if value == 0:
            return self.zero
        rest = rest_a if rest_b is None else rest_b if rest_a is None else self.graph.operation("*", rest_a, rest_b)
        if rest is None:
            return self.of(value)
        if abs(value) != 1:
            return self.graph.operation("*", self.of(value), rest)
        return rest if value == 1 else self.graph.negative(rest)

    def over(self, a: Formula, b: Formula) -> Formula:
        if _is(a, "0") or _is(b, "1"):
            return a
        if a is b:
            return self.one
        value = _number(b)
        return self.times(self.of(1 / value), a) if value else self.graph.operation("/", a, b)

    def power(self, a: Formula, b: Formula) -> Formula:
        numbers = self._both(a, b)
        if _is(b, "0"):
            return self.one
        if numbers and numbers[1].denominator == 1 and (numbers[0] or numbers[1] > 0):
            return self.of(Fraction(numbers[0] ** int(numbers[1])))
        return a if _is(b, "1") else self.graph.operation("^", a, b)

    def call(self, name: str, *arguments: Formula) -> Formula:
        return self.graph.function(name, *arguments)

    def apply(self, node: Formula, of: "Sequence[Formula]") -> Formula:
        """The same operation on other arguments."""
        if node.op == "call":
            return self.call(node.text, *of)
        if node.op == "neg":
            return self.negative(of[0])
        return {"+": self.add, "-": self.subtract, "*": self.times, "/": self.over, "^": self.power}[node.op](*of)


def _of_function(a: _Algebra, node: Formula) -> "List[Formula]":
    """The derivatives of a function by its arguments."""
    x = node.arguments[0]
    two = a.graph.literal("2")
    square = a.power(x, two)
    rules: Dict[str, Callable[[], Formula]] = {
        "sqrt": lambda: a.over(a.one, a.times(two, node)),
        "exp": lambda: node,
        "log": lambda: a.over(a.one, x),
        "sin": lambda: a.call("cos", x),
        "cos": lambda: a.negative(a.call("sin", x)),
        "tan": lambda: a.add(a.one, a.power(node, two)),
        "asin": lambda: a.over(a.one, a.call("sqrt", a.subtract(a.one, square))),
        "acos": lambda: a.negative(a.over(a.one, a.call("sqrt", a.subtract(a.one, square)))),
        "atan": lambda: a.over(a.one, a.add(a.one, square)),
        "sinh": lambda: a.call("cosh", x),
        "cosh": lambda: a.call("sinh", x),
        "tanh": lambda: a.subtract(a.one, a.power(node, two)),
        "abs": lambda: a.over(x, node),
        "erf": lambda: a.over(a.times(two, a.call("exp", a.negative(square))), a.call("sqrt", a.graph.name("pi"))),
        "erfc": lambda: a.negative(a.over(a.times(two, a.call("exp", a.negative(square))), a.call("sqrt", a.graph.name("pi")))),
        "cbrt": lambda: a.over(a.one, a.times(a.graph.literal("3"), a.power(node, two))),
    }
    if node.text == "atan2":
        y, x = node.arguments
        below = a.add(a.power(x, two), a.power(y, two))
        return [a.over(x, below), a.negative(a.over(y, below))]
    return [rules[node.text]()]


def _by_arguments(a: _Algebra, node: Formula) -> "List[Formula]":
    if node.op == "call":
        return _of_function(a, node)
    if node.op == "neg":
        return [a.negative(a.one)]
    x, y = node.arguments
    if node.op == "+":
        return [a.one, a.one]
    if node.op == "-":
        return [a.one, a.negative(a.one)]
    if node.op == "*":
        return [y, x]
    if node.op == "/":
        return [a.over(a.one, y), a.negative(a.over(node, y))]
    if y.op == "number" and y.text.isdigit():
        slope = a.times(y, a.power(x, a.graph.literal(str(int(y.text) - 1)))) if int(y.text) > 0 else a.zero
    else:
        slope = a.times(y, a.power(x, a.subtract(y, a.one)))
    return [slope, a.times(node, a.call("log", x))]


def derivative(formula: Formula, name: str) -> Formula:
    """The derivative by a name.

    >>> graph = Graph()
    >>> x = graph.name("x")
    >>> print(derivative(x**3 + graph.function("sin", 2*x), "x"))
    3*x^2 + 2*cos(2*x)
    """
    a = _Algebra(formula.graph)
    slopes: Dict[int, Formula] = {}
    for node in in_order([formula]):
        if not node.arguments:
            slopes[id(node)] = a.one if node.op == "name" and node.text == name else a.zero
            continue
        if all(_is(slopes[id(x)], "0") for x in node.arguments):
            slopes[id(node)] = a.zero
            continue
        total = a.zero
        for outer, argument in zip(_by_arguments(a, node), node.arguments):
            if not _is(slopes[id(argument)], "0"):
                total = a.add(total, a.times(slopes[id(argument)], outer))
        slopes[id(node)] = total
    return slopes[id(formula)]


def replaced(formula: Formula, values: "Mapping[str, Formula]") -> Formula:
    """The formula with other formulas in the place of names."""
    a = _Algebra(formula.graph)
    made: Dict[int, Formula] = {}
    for node in in_order([formula]):
        if node.op == "name":
            made[id(node)] = values.get(node.text, node)
        elif not node.arguments:
            made[id(node)] = node
        else:
            made[id(node)] = a.apply(node, [made[id(x)] for x in node.arguments])
    return made[id(formula)]


def _names(formula: Formula) -> "List[str]":
    return [node.text for node in in_order([formula]) if node.op == "name"]


class Mechanics(NamedTuple):
    """What a Lagrangian means."""

    mass: "Optional[List[List[Formula]]]"  #: if M is constant and there is no b
    potential: "Optional[Formula]"
    hamiltonian: "Optional[Formula]"  #: otherwise


def mechanics_of(L: Formula, coordinates: "Sequence[str]") -> Mechanics:
    """Takes a Lagrangian of q and v_q apart. One that is not of second degree in the velocities is refused."""
    a = _Algebra(L.graph)
    velocities = ["v_" + name for name in coordinates]
    at_rest = {name: a.zero for name in velocities}
    momenta = [derivative(L, name) for name in velocities]
    M = [[derivative(p, name) for name in velocities] for p in momenta]
    for i, row in enumerate(M):
        for j, entry in enumerate(row):
            left = sorted(set(_names(entry)) & set(velocities))
            if left and any(not _is(derivative(entry, name), "0") for name in left):
                raise ModelError(f"lagrangian: its second derivative by {velocities[i]} and {velocities[j]} depends on "
                                 f"{left[0]}. A Lagrangian of second degree in the velocities is wanted; give hamiltonian= for "
                                 "others")
            M[i][j] = replaced(entry, at_rest)
    b = [replaced(p, at_rest) for p in momenta]
    V = a.negative(replaced(L, at_rest))
    used = {name for row in M for entry in row for name in _names(entry)}
    if not used & set(coordinates) and all(_is(one, "0") for one in b):
        return Mechanics(M, V, None)
    p = [L.graph.name("p_" + name) for name in coordinates]
    y = [a.subtract(p[i], b[i]) for i in range(len(p))]
    return Mechanics(None, None, a.add(_kinetic(a, M, y), V))


def _kinetic(a: _Algebra, M: "List[List[Formula]]", y: "List[Formula]") -> Formula:
    """½ y'M⁻¹y by M = L D L': z = L⁻¹y, and the sum of z²/2d."""
    M, z = [list(row) for row in M], list(y)
    total = a.zero
    two = a.graph.literal("2")
    for k in range(len(z)):
        if _is(M[k][k], "0"):
            raise ModelError("lagrangian: the kinetic energy does not depend on every velocity, so that the momenta do not "
                             "determine the velocities")
        total = a.add(total, a.over(a.power(z[k], two), a.times(two, M[k][k])))
        for i in range(k + 1, len(z)):
            factor = a.over(M[i][k], M[k][k])
            if _is(factor, "0"):
                continue
            z[i] = a.subtract(z[i], a.times(factor, z[k]))
            for j in range(k + 1, len(z)):
                M[i][j] = a.subtract(M[i][j], a.times(factor, M[k][j]))
    return total


def refuse_both(coordinates: "Sequence[str]", start: "Mapping[str, Any]") -> None:
    """A start has velocities, from which the library makes momenta, or momenta."""
    given = [name for name in coordinates if "v_" + name in start]
    both = [name for name in coordinates if "p_" + name in start]
    if given and both:
        raise ModelError(f"start: `v_{given[0]}` and `p_{both[0]}` are given; give velocities or momenta, and not both")
