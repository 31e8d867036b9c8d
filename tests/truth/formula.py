"""Formulas of model files, read by a parser of its own.

A tree is a tuple: ("number", text), ("name", word), ("minus", tree), ("call", function, argument, ...), or
(operator, left, right) with one of + - * / ^.
"""
import re

FUNCTIONS = {
    "sqrt": 1,
    "exp": 1,
    "log": 1,
    "sin": 1,
    "cos": 1,
    "tan": 1,
    "asin": 1,
    "acos": 1,
    "atan": 1,
    "atan2": 2,
    "sinh": 1,
    "cosh": 1,
    "tanh": 1,
    "erf": 1,
    "erfc": 1,
    "cbrt": 1,
    "abs": 1,
}

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<symbol>[-+*/^(),]))",
    re.ASCII,
)


class NotAFormula(Exception):
    pass


def tokens(text):
    at, end = 0, len(text.rstrip())
    while at < end:
        match = TOKEN.match(text, at)
        if not match:
            raise NotAFormula(text[at:])
        yield match.lastgroup, match.group(match.lastgroup)
        at = match.end()
    yield "end", ""


class Parser:
    """The grammar is sum > product > sign > power, where a power's exponent may have a sign of its own."""

    def __init__(self, text):
        self.list = list(tokens(text))
        self.at = 0

    def next(self):
        self.at += 1
        return self.list[self.at - 1][1]

    def sees(self, *symbols):
        kind, word = self.list[self.at]
        return kind == "symbol" and word in symbols

    def expect(self, symbol):
        if not self.sees(symbol):
            raise NotAFormula("expected " + symbol)
        self.next()

    def whole(self):
        tree = self.sum()
        if self.list[self.at][0] != "end":
            raise NotAFormula("text after the formula")
        return tree

    def sum(self):
        left = self.product()
        while self.sees("+", "-"):
            left = (self.next(), left, self.product())
        return left

    def product(self):
        left = self.sign()
        while self.sees("*", "/"):
            left = (self.next(), left, self.sign())
        return left

    def sign(self):
        if self.sees("-"):
            self.next()
            return ("minus", self.sign())
        if self.sees("+"):
            self.next()
            return self.sign()
        return self.power()

    def power(self):
        base = self.primary()
        if not self.sees("^"):
            return base
        self.next()
        return ("^", base, self.sign())

    def primary(self):
        kind, word = self.list[self.at]
        self.next()
        if kind == "number":
            return ("number", word)
        if kind == "name" and self.sees("("):
            return self.call(word)
        if kind == "name":
            return ("name", word)
        if word != "(":
            raise NotAFormula("unexpected " + word)
        tree = self.sum()
        self.expect(")")
        return tree

    def call(self, name):
        self.expect("(")
        arguments = [self.sum()]
        while self.sees(","):
            self.next()
            arguments.append(self.sum())
        self.expect(")")
        if FUNCTIONS.get(name) != len(arguments):
            raise NotAFormula("no function " + name)
        return ("call", name, *arguments)


def parse(text):
    return Parser(text).whole()


def text_of(tree):
    """Writes every operation in parentheses, so that nothing depends on how operators bind."""
    kind = tree[0]
    if kind in ("number", "name"):
        return tree[1]
    if kind == "minus":
        return "(-" + text_of(tree[1]) + ")"
    if kind == "call":
        return tree[1] + "(" + ", ".join(text_of(a) for a in tree[2:]) + ")"
    return "(" + text_of(tree[1]) + " " + kind + " " + text_of(tree[2]) + ")"


def children(tree):
    kind = tree[0]
    if kind in ("number", "name"):
        return ()
    return tree[2:] if kind == "call" else tree[1:]


def names(tree):
    if tree[0] == "name":
        return {tree[1]}
    found = set()
    for child in children(tree):
        found |= names(child)
    return found


def size(tree):
    return 1 + sum(size(child) for child in children(tree))


def terms(tree, sign=1):
    """Splits a sum into its terms, each with its sign."""
    if tree[0] == "+":
        return terms(tree[1], sign) + terms(tree[2], sign)
    if tree[0] == "-":
        return terms(tree[1], sign) + terms(tree[2], -sign)
    if tree[0] == "minus":
        return terms(tree[1], -sign)
    return [(sign, tree)]


def replaced(tree, table):
    """The tree with names replaced by trees."""
    if tree[0] == "name":
        return table.get(tree[1], tree)
    if tree[0] == "number":
        return tree
    head = tree[:2] if tree[0] == "call" else tree[:1]
    return head + tuple(replaced(child, table) for child in children(tree))
