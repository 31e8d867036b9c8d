"""The text of a formula as a graph.

The library reads models by itself. This reader serves what stays in Python: SymPy expressions, and Lagrangians.
"""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, NamedTuple, NoReturn, Optional, Union

from .errors import ModelError
from .formula import FUNCTIONS, Formula, Graph

__all__ = ["Block", "Value", "parse", "parse_equation", "parse_value"]

# The letters of names: those of ASCII, and the Greek ones that do not look like Latin ones.
LETTERS = "A-Za-z_ΓΔΘΛΞΠΣΦΨΩα-ξπρσ-ωϑϕϵ"
_NUMBER = r"\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?"
_TOKEN = re.compile(rf"\s*(?:({_NUMBER})|([{LETTERS}][{LETTERS}0-9]*)|([-+*/^(),\[\]]))", re.ASCII)
_OF_VECTORS = {"dot": 2, "cross": 2, "norm": 1, "transpose": 1}


class Block(NamedTuple):
    """A vector, which has one column, or a matrix; entries row by row."""

    rows: int
    columns: int
    entries: "List[Formula]"

    def is_vector(self) -> bool:
        return self.columns == 1


Value = Union[Formula, Block]


def _shape(value: Value) -> str:
    if isinstance(value, Formula):
        return "a number"
    return f"a vector of {value.rows}" if value.is_vector() else f"a matrix of {value.rows} by {value.columns}"


class _Reader:
    def __init__(self, text: str, graph: Graph, definitions: "Mapping[str, Value]"):
        self.text = text
        self.graph = graph
        self.definitions = definitions
        # The squares of norms, so that norm(v)^2 is a polynomial.
        self.square_of: Dict[int, Formula] = {}
        self.tokens: List[str] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                raise ModelError(f"`{text}`: `{text[at:].strip()[:1]}` is not part of a formula")
            self.tokens.append(match.group().strip())
            at = match.end()
        self.at = 0

    def peek(self) -> Optional[str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self) -> str:
        token = self.peek()
        if token is None:
            self.fail("the formula ends too early")
        self.at += 1
        return token

    def fail(self, why: str) -> NoReturn:
        raise ModelError(f"`{self.text}`: {why}")

    def expect(self, token: str) -> None:
        if self.take() != token:
            self.fail(f"`{token}` is missing")

    def sum(self) -> Value:
        left = self.product()
        while self.peek() in ("+", "-"):
            left = self.combine(self.take(), left, self.product())
        return left

    def product(self) -> Value:
        left = self.signed()
        while self.peek() in ("*", "/"):
            left = self.combine(self.take(), left, self.signed())
        return left

    def signed(self) -> Value:
        if self.peek() == "-":
            self.take()
            of = self.signed()
            if isinstance(of, Formula):
                return self.graph.negative(of)
            return of._replace(entries=[self.graph.negative(entry) for entry in of.entries])
        if self.peek() == "+":
            self.take()
            return self.signed()
        return self.power()

    def power(self) -> Value:
        base = self.atom()
        while self.peek() == "[":
            self.take()
            base = self.component(base)
        if self.peek() != "^":
            return base
        self.take()
        return self.combine("^", base, self.signed())

    def combine(self, op: str, a: Value, b: Value) -> Value:
        """An operation on numbers, vectors or matrices."""
        make = self.graph.operation
        if isinstance(a, Formula) and isinstance(b, Formula):
            if op == "^" and b.op == "number" and float(b.text) == 2 and id(a) in self.square_of:
                return self.square_of[id(a)]
            return make(op, a, b)
        if isinstance(a, Formula):
            if op == "*" and isinstance(b, Block):
                return b._replace(entries=[make(op, a, entry) for entry in b.entries])
        elif isinstance(b, Formula):
            if op in ("*", "/"):
                return a._replace(entries=[make(op, entry, b) for entry in a.entries])
        elif op in ("+", "-") and (a.rows, a.columns) == (b.rows, b.columns):
            return a._replace(entries=[make(op, x, y) for x, y in zip(a.entries, b.entries)])
        elif op == "*" and not a.is_vector() and a.columns == b.rows:
            columns = [b.entries[j::b.columns] for j in range(b.columns)]
            rows = [a.entries[i * a.columns:(i + 1) * a.columns] for i in range(a.rows)]
            return Block(a.rows, b.columns, [self.dot(row, column) for row in rows for column in columns])
        self.fail(f"`{op}` is not defined for {_shape(a)} and {_shape(b)}")

    def dot(self, a: "List[Formula]", b: "List[Formula]") -> Formula:
        products = [self.graph.operation("*", x, y) for x, y in zip(a, b)]
        total = products[0]
        for one in products[1:]:
            total = self.graph.operation("+", total, one)
        return total

    def several(self, end: str) -> "List[Value]":
        """Values between commas, to the bracket that ends them."""
        found = [self.sum()]
        while self.peek() == ",":
            self.take()
            found.append(self.sum())
        self.expect(end)
        return found

    def number(self, value: Value, where: str) -> Formula:
        if isinstance(value, Block):
            self.fail(f"{where} is of numbers only, not of {_shape(value)}")
        return value

    def vector(self) -> Block:
        """The rest of "[a, b, c]": numbers make a vector, vectors of one size the rows of a matrix."""
        parts = self.several("]")
        numbers = [part for part in parts if isinstance(part, Formula)]
        rows = [part for part in parts if isinstance(part, Block)]
        if len(parts) < 2:
            self.fail("a vector has at least two components")
        if not rows:
            return Block(len(numbers), 1, numbers)
        if numbers or any(not row.is_vector() or row.rows != rows[0].rows for row in rows):
            self.fail(f"the parts of a list differ: {', '.join(_shape(part) for part in parts)}")
        return Block(len(rows), rows[0].rows, [entry for row in rows for entry in row.entries])

    def component(self, of: Value) -> Value:
        index = self.sum()
        self.expect("]")
        if isinstance(of, Formula):
            self.fail("a number has no components")
        place = float(index.text) if isinstance(index, Formula) and index.op == "number" else 0.0
        if not place.is_integer() or not 1 <= place <= of.rows:
            self.fail(f"a component of {_shape(of)} is a whole number from 1 to {of.rows}")
        first = (int(place) - 1) * of.columns
        return of.entries[first] if of.is_vector() else Block(of.columns, 1, of.entries[first:first + of.columns])

    def function_of_vectors(self, name: str, of: "List[Value]") -> Value:
        if len(of) != _OF_VECTORS[name]:
            self.fail(f"`{name}` takes {_OF_VECTORS[name]} of them, not {len(of)}")
        blocks = [one for one in of if isinstance(one, Block)]
        if name == "transpose":
            if not blocks or blocks[0].is_vector():
                self.fail(f"`transpose` is of a matrix, not of {_shape(of[0])}")
            rows, columns, entries = blocks[0]
            return Block(columns, rows, [entry for j in range(columns) for entry in entries[j::columns]])
        if len(blocks) < len(of) or any(not one.is_vector() or one.rows != blocks[0].rows for one in blocks) \
                or name == "cross" and blocks[0].rows > 3:
            self.fail(f"`{name}` is not of {' and '.join(_shape(one) for one in of)}")
        a, b = blocks[0].entries, blocks[-1].entries
        if name == "cross":
            make = self.graph.operation
            places = [(0, 1)] if len(a) == 2 else [(1, 2), (2, 0), (0, 1)]
            parts = [make("-", make("*", a[i], b[j]), make("*", a[j], b[i])) for i, j in places]
            return parts[0] if len(a) == 2 else Block(3, 1, parts)
        square = self.dot(a, b)
        if name == "dot":
            return square
        norm = self.graph.function("sqrt", square)
        self.square_of[id(norm)] = square
        return norm

    def atom(self) -> Value:
        token = self.take()
        if token == "(":
            inside = self.sum()
            self.expect(")")
            return inside
        if token == "[":
            return self.vector()
        if token[0].isdigit() or token[0] == ".":
            return self.graph.literal(token)
        if not (token[0].isalpha() or token[0] == "_"):
            self.fail(f"`{token}` is out of place")
        if token in _OF_VECTORS and self.peek() == "(":
            self.take()
            return self.function_of_vectors(token, self.several(")"))
        if token in FUNCTIONS:
            self.expect("(")
            return self.graph.function(token, *[self.number(one, f"`{token}`") for one in self.several(")")])
        return self.definitions[token] if token in self.definitions else self.graph.name("pi" if token == "π" else token)


def parse_value(text: str, graph: Graph, definitions: "Optional[Mapping[str, Value]]" = None) -> Value:
    """Reads a formula that may be a vector or a matrix, as definitions may."""
    reader = _Reader(text, graph, definitions or {})
    value = reader.sum()
    if reader.peek() is not None:
        reader.fail(f"`{reader.peek()}` is out of place")
    return value


def parse(text: str, graph: Graph, definitions: "Optional[Mapping[str, Value]]" = None) -> Formula:
    """Reads a formula; ``definitions`` are formulas, vectors or matrices that stand for names.

    >>> from taut.formula import text_of
    >>> print(text_of(parse("-a^2 + 2^3^2*(x - (y + 1))", Graph())))
    -a^2 + 2^(3^2)*(x - (y + 1))
    >>> print(text_of(parse("norm(r)^2 - cross(r, [1, 2])", graph := Graph(), {"r": parse_value("[x, y]", graph)})))
    x*x + y*y - (x*2 - y*1)
    """
    value = parse_value(text, graph, definitions)
    if isinstance(value, Block):
        raise ModelError(f"`{text}` is {_shape(value)}; here a number is wanted: dot(a, b), norm(a), or a component "
                         "such as r[1]")
    return value


def parse_equation(text: str, graph: Graph, definitions: "Optional[Mapping[str, Value]]" = None) -> Formula:
    """Reads a constraint: a formula that is 0, or an equation, of which it is the difference of both sides."""
    left, equals, right = text.partition("=")
    formula = parse(left, graph, definitions)
    return graph.operation("-", formula, parse(right, graph, definitions)) if equals else formula
