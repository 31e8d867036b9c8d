"""Formulas of the model language as a graph, and their text.

A :class:`Formula` is a node. Equal nodes of one :class:`Graph` are one object, so what a Python function computes once
and uses twice is kept once; :func:`write_texts` gives such parts names (``[definitions]`` of a model).
"""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import Any, Dict, Iterable, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

from .arrays import refuse_masked
from .errors import ModelError, TracingError

__all__ = ["FUNCTIONS", "Formula", "Graph", "Comparison", "in_order", "text_of", "write_texts", "text_of_number"]

#: The functions of the model language and how many arguments they take.
FUNCTIONS: Dict[str, int] = {
    "sqrt": 1, "exp": 1, "log": 1, "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2,
    "sinh": 1, "cosh": 1, "tanh": 1, "abs": 1, "erf": 1, "erfc": 1, "cbrt": 1,
}

_SUM, _NEGATIVE, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4, 5
_BINDS = {"+": _SUM, "-": _SUM, "neg": _NEGATIVE, "*": _PRODUCT, "/": _PRODUCT, "^": _POWER}

# A part that occurs twice gets a name if it has at least this many operations: below that the name says less.
_WORTH_A_NAME = 6
# The model language takes 200 levels of parentheses; deeper parts get names.
_DEEPEST = 120

_BRANCH = (
    "the function branches on a value: `{}` has no truth value while the function is traced, because a formula has no "
    "branches. Write it without `if`, `and`, `or`, `max` or `where`, or give it in another, smooth form"
)
_AS_NUMBER = (
    "`{}` was asked for its value while the function is traced. `math.sin` and its like, `float()` and `int()` do that: "
    "use numpy.sin and its like, which can be traced"
)


def text_of_number(value: Any) -> str:
    """The shortest text that reads back as the same bits; fractions stay quotients.

    >>> text_of_number(0.1), text_of_number(2.0), text_of_number(-3)
    ('0.1', '2', '-3')
    """
    refuse_masked(value, "a formula")
    if isinstance(value, (bool, complex)) or not (isinstance(value, (numbers.Real, Decimal)) or hasattr(value, "__float__")):
        raise ModelError(f"{value!r} is no real number, so it cannot stand in a formula")
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Rational):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Decimal) and value.is_finite():
        return str(value).lower().replace("e+", "e")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{value!r} is no single number, so it cannot stand in a formula") from None
    if not math.isfinite(number):
        raise ModelError(f"a formula cannot contain {number}: numbers are finite")
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number).replace("e+", "e")


class Comparison:
    """What ``x < 1`` gives while a function is traced: it can be printed, and nothing else."""

    __slots__ = ("graph", "text")

    def __init__(self, graph: "Graph", text: str):
        self.graph = graph
        self.text = text

    def __bool__(self) -> bool:
        raise self.graph.branches(self.text)

    def __repr__(self) -> str:
        return f"Comparison({self.text!r})"

    def _refuse(self, *_: object) -> NoReturn:
        raise self.graph.branches(self.text)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __and__ = __or__ = __invert__ = _refuse


class Graph:
    """The nodes of some formulas, each once."""

    def __init__(self) -> None:
        self._nodes: Dict[Tuple[Any, ...], Formula] = {}
        #: The error of a branch on a value. NumPy before 1.25 takes one that is raised inside `array == 0` for False.
        self.branch: Optional[TracingError] = None

    def branches(self, on: str) -> TracingError:
        self.branch = TracingError(_BRANCH.format(on))
        return self.branch

    def _node(self, op: str, arguments: "Tuple[Formula, ...]" = (), text: str = "") -> "Formula":
        key = (op, text) + tuple(id(a) for a in arguments)
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = Formula(self, op, arguments, text)
        return found

    def name(self, text: str) -> "Formula":
        """A coordinate, a momentum, a parameter or pi."""
        return self._node("name", text=text)

    def number(self, value: Any) -> "Formula":
        """A number with all its digits. A fraction becomes a quotient."""
        text = text_of_number(value)
        return self.literal(text)

    def literal(self, text: str) -> "Formula":
        """A number as its text says it; ``1/3`` is a quotient."""
        if text.startswith("-"):
            return self.negative(self.literal(text[1:]))
        if "/" in text:
            above, below = text.split("/")
            return self.operation("/", self.literal(above), self.literal(below))
        return self._node("number", text=text)

    def of(self, value: Any) -> "Formula":
        """A formula as it is, and a number as a formula."""
        if isinstance(value, Formula):
            if value.graph is not self:
                raise TracingError("a formula of another model cannot be used here")
            return value
        return self.number(value)

    def operation(self, op: str, left: "Formula", right: "Formula") -> "Formula":
        return self._node(op, (left, right))

    def negative(self, of: "Formula") -> "Formula":
        return self._node("neg", (of,))

    def function(self, name: str, *arguments: "Formula") -> "Formula":
        if FUNCTIONS.get(name) != len(arguments):
            raise ModelError(f"`{name}` of {len(arguments)} is not a function of the model language")
        return self._node("call", arguments, name)


class Formula:
    """A number that is not known yet: it has the operators of a number, and numpy's functions take it."""

    __slots__ = ("graph", "op", "arguments", "text", "__weakref__")
    # numpy calls __array_ufunc__ when a function meets a formula, so that np.float64(2)*x is a formula, too.
    __array_priority__ = 1000.0

    def __init__(self, graph: Graph, op: str, arguments: "Tuple[Formula, ...]", text: str):
        self.graph = graph
        self.op = op
        self.arguments = arguments
        self.text = text

    def _binary(self, op: str, other: Any, swapped: bool = False) -> Any:
        if not isinstance(other, Formula):
            if isinstance(other, (str, bytes, list, tuple, dict)) or hasattr(other, "__array_interface__") and getattr(
                    other, "shape", ()) != ():
                return NotImplemented
            if not (isinstance(other, numbers.Number) or hasattr(other, "__float__")):
                return NotImplemented
        other = self.graph.of(other)
        return self.graph.operation(op, other, self) if swapped else self.graph.operation(op, self, other)

    def __add__(self, other: Any) -> Any:
        return self._binary("+", other)

    def __radd__(self, other: Any) -> Any:
        # sum() begins at the integer 0, which adds nothing.
        return self if type(other) is int and other == 0 else self._binary("+", other, True)

    def __sub__(self, other: Any) -> Any:
        return self._binary("-", other)

    def __rsub__(self, other: Any) -> Any:
        return self._binary("-", other, True)

    def __mul__(self, other: Any) -> Any:
        return self._binary("*", other)

    def __rmul__(self, other: Any) -> Any:
        return self._binary("*", other, True)

    def __truediv__(self, other: Any) -> Any:
        return self._binary("/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._binary("/", other, True)

    def __pow__(self, other: Any, modulus: None = None) -> Any:
        if modulus is not None:
            raise TracingError("pow with a modulus is not a formula")
        if isinstance(other, numbers.Real) and not isinstance(other, numbers.Integral) and float(other).is_integer():
            other = int(other)
        return self._binary("^", other)

    def __rpow__(self, other: Any) -> Any:
        return self._binary("^", other, True)

    def __neg__(self) -> "Formula":
        return self.graph.negative(self)

    def __pos__(self) -> "Formula":
        return self

    def __abs__(self) -> "Formula":
        return self.graph.function("abs", self)

    def _rounding(self, *_: object) -> NoReturn:
        raise TracingError(f"`//`, `%` and rounding of `{_short(self)}` are not smooth, and not in the model language")

    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _rounding
    __round__ = __floor__ = __ceil__ = __trunc__ = _rounding

    def __lt__(self, other: Any) -> Comparison:
        return Comparison(self.graph, f"{_short(self)} < {_short(other)}")

    def __le__(self, other: Any) -> Comparison:
        return Comparison(self.graph, f"{_short(self)} <= {_short(other)}")

    def __gt__(self, other: Any) -> Comparison:
        return Comparison(self.graph, f"{_short(self)} > {_short(other)}")

    def __ge__(self, other: Any) -> Comparison:
        return Comparison(self.graph, f"{_short(self)} >= {_short(other)}")

    def __eq__(self, other: object) -> Comparison:  # type: ignore[override]
        return Comparison(self.graph, f"{_short(self)} == {_short(other)}")

    def __ne__(self, other: object) -> Comparison:  # type: ignore[override]
        return Comparison(self.graph, f"{_short(self)} != {_short(other)}")

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise self.graph.branches(_short(self))

    def _as_number(self, *_: object) -> NoReturn:
        raise TracingError(_AS_NUMBER.format(_short(self)))

    __float__ = __int__ = __index__ = __complex__ = _as_number

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from .trace import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, options)

    def __getattr__(self, attribute: str) -> Any:
        # An array of formulas asks its elements: np.sin(q) calls q[i].sin().
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        if attribute == "real":
            return self
        if attribute == "imag":
            return self.graph.literal("0")
        from .trace import method_named

        return method_named(self, attribute)

    def __repr__(self) -> str:
        return f"Formula({_short(self)!r})"

    def __str__(self) -> str:
        return text_of(self)


def _short(value: object) -> str:
    if not isinstance(value, Formula):
        return str(value)
    text = text_of(value)
    return text if len(text) <= 60 else text[:57] + "..."


def in_order(roots: "Iterable[Formula]") -> "List[Formula]":
    """All nodes, each after those it is made of. No recursion: a sum of 10 000 terms is 10 000 deep."""
    order: List[Formula] = []
    seen = set()
    for root in roots:
        stack: List[Tuple[Formula, bool]] = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                stack.extend((a, False) for a in reversed(node.arguments))
    return order


def _begins_with_sign(formula: "Formula") -> bool:
    while formula.op in ("*", "/"):
        formula = formula.arguments[0]
    return formula.op == "neg"


def _child_needs_brackets(op: str, place: int, child: "Formula") -> bool:
    binds = _BINDS.get(child.op, _ATOM)
    if op == "^":
        # ^ is right-associative: a^b^c is a^(b^c). A base that is a power, a product or a sign needs brackets.
        return binds <= _POWER if place == 0 else binds < _ATOM
    if op == "neg":
        return binds <= _NEGATIVE or _begins_with_sign(child)
    if place == 0:
        # -a*b is (-a)*b, which has the bits of -(a*b).
        return binds < _BINDS[op] and not (op in "*/" and binds == _NEGATIVE)
    return binds <= _BINDS[op] or binds == _NEGATIVE


_SPELLED = {"+": " + ", "-": " - ", "*": "*", "/": "/", "^": "^"}


def _write(root: "Formula", names: Mapping[int, str]) -> str:
    pieces: List[str] = []
    # What is still to be written, last first: a text as it is, or a formula.
    stack: List[Union[str, Formula]] = [root]
    first = True
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        if not first and id(item) in names:
            pieces.append(names[id(item)])
            continue
        first = False
        if item.op in ("name", "number"):
            pieces.append(item.text)
            continue
        parts: List[Union[str, Formula]] = []
        if item.op == "call":
            parts.append(item.text + "(")
            for place, argument in enumerate(item.arguments):
                parts.extend([", ", argument] if place else [argument])
            parts.append(")")
        else:
            if item.op == "neg":
                parts.append("-")
            for place, argument in enumerate(item.arguments):
                if place:
                    parts.append(_SPELLED[item.op])
                named = id(argument) in names
                if not named and _child_needs_brackets(item.op, place, argument):
                    parts.extend(["(", argument, ")"])
                else:
                    parts.append(argument)
        stack.extend(reversed(parts))
    return "".join(pieces)


def text_of(formula: "Formula") -> str:
    """The formula written out.

    >>> graph = Graph()
    >>> x, y = graph.name("x"), graph.name("y")
    >>> print(text_of(-x**2/(2*y) + (x - y)**2))
    -x^2/(2*y) + (x - y)^2
    """
    return _write(formula, {})


def write_texts(formulas: "Sequence[Formula]", taken: "Iterable[str]" = ()) -> "Tuple[List[Tuple[str, str]], List[str]]":
    """Texts of formulas in which parts that occur more than once have names.

    Returns the names with their texts, each made of earlier ones, and the texts of the formulas.
    ``taken`` are names that must not be used.
    """
    order = in_order(formulas)
    uses: Dict[int, int] = {}
    for node in order:
        for argument in node.arguments:
            uses[id(argument)] = uses.get(id(argument), 0) + 1
    for root in formulas:
        uses[id(root)] = uses.get(id(root), 0) + 1

    taken = set(taken)
    names: Dict[int, str] = {}
    named: List[Formula] = []
    size: Dict[int, int] = {}
    depth: Dict[int, int] = {}
    number = 0
    for node in order:
        if not node.arguments:
            size[id(node)] = depth[id(node)] = 0
            continue
        size[id(node)] = 1 + sum(0 if id(a) in names else size[id(a)] for a in node.arguments)
        deepest = 0
        for place, argument in enumerate(node.arguments):
            if id(argument) in names:
                continue
            brackets = node.op in ("call", "neg", "^") or _child_needs_brackets(node.op, place, argument)
            deepest = max(deepest, depth[id(argument)] + (1 if brackets else 0))
        depth[id(node)] = deepest
        if (uses[id(node)] > 1 and size[id(node)] >= _WORTH_A_NAME) or deepest >= _DEEPEST:
            number += 1
            while f"part_{number}" in taken:
                number += 1
            names[id(node)] = f"part_{number}"
            named.append(node)
    definitions = [(names[id(node)], _write(node, names)) for node in named]
    return definitions, [names.get(id(root)) or _write(root, names) for root in formulas]
