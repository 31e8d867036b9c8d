"""The text of a formula as a graph.

The library reads models by itself. This reader serves what stays in Python: SymPy expressions and typeset equations.
"""

from __future__ import annotations

import re
from typing import List, Mapping, NoReturn, Optional

from .errors import ModelError
from .formula import FUNCTIONS, Formula, Graph

__all__ = ["parse"]

_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|([-+*/^(),]))")


class _Reader:
    def __init__(self, text: str, graph: Graph, definitions: Mapping[str, Formula]):
        self.text = text
        self.graph = graph
        self.definitions = definitions
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

    def sum(self) -> Formula:
        left = self.product()
        while self.peek() in ("+", "-"):
            left = self.graph.operation(self.take(), left, self.product())
        return left

    def product(self) -> Formula:
        left = self.signed()
        while self.peek() in ("*", "/"):
            left = self.graph.operation(self.take(), left, self.signed())
        return left

    def signed(self) -> Formula:
        if self.peek() == "-":
            self.take()
            return self.graph.negative(self.signed())
        if self.peek() == "+":
            self.take()
            return self.signed()
        return self.power()

    def power(self) -> Formula:
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        return self.graph.operation("^", base, self.signed())

    def atom(self) -> Formula:
        token = self.take()
        if token == "(":
            inside = self.sum()
            self.expect(")")
            return inside
        if token[0].isdigit() or token[0] == ".":
            return self.graph.literal(token)
        if not (token[0].isalpha() or token[0] == "_"):
            self.fail(f"`{token}` is out of place")
        if token in FUNCTIONS:
            self.expect("(")
            arguments = [self.sum()]
            while self.peek() == ",":
                self.take()
                arguments.append(self.sum())
            self.expect(")")
            return self.graph.function(token, *arguments)
        return self.definitions[token] if token in self.definitions else self.graph.name(token)


def parse(text: str, graph: Graph, definitions: "Optional[Mapping[str, Formula]]" = None) -> Formula:
    """Reads a formula; ``definitions`` are formulas that stand for names.

    >>> from taut.formula import text_of
    >>> print(text_of(parse("-a^2 + 2^3^2*(x - (y + 1))", Graph())))
    -a^2 + 2^(3^2)*(x - (y + 1))
    """
    reader = _Reader(text, graph, definitions or {})
    formula = reader.sum()
    if reader.peek() is not None:
        reader.fail(f"`{reader.peek()}` is out of place")
    return formula

