"""SymPy expressions to formulas, and formulas to SymPy. SymPy is imported only here, and only when it is used."""

from __future__ import annotations

import re
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .errors import ModelError
from .formula import Formula, Graph
from .parse import LETTERS

__all__ = ["SymbolicModel", "is_sympy", "name_of_symbol", "from_sympy", "to_sympy"]


class SymbolicModel(NamedTuple):
    """A model as SymPy sees it. ``taut.Model(**model.to_sympy()._asdict())`` makes a model of it again.

    ``parameters`` and ``start`` have the names as keys; values are expressions of parameters. ``forces`` are those on
    coordinates, by name; they and the other expressions may contain the time ``t``. ``quantities`` are expressions by name,
    ``events`` tables with an expression ``when``, ``velocity_constraints`` expressions of the velocities ``v_x``, and ``run`` has the method, the step and the length of a run.
    """

    coordinates: "List[Any]"
    hamiltonian: Any
    constraints: "List[Any]"
    parameters: "Dict[str, Any]"
    start: "Dict[str, Any]"
    title: str
    forces: "Dict[str, Any]"
    quantities: "Dict[str, Any]"
    events: "List[Dict[str, Any]]"
    velocity_constraints: "List[Any]"
    run: "Dict[str, Any]"


def is_sympy(value: object) -> bool:
    """Whether this is an expression of SymPy. SymPy is not imported for it: whoever has one has imported it."""
    sympy: Any = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic)


def name_of_symbol(symbol: Any) -> str:
    """The name of a symbol, if a model can have it. A function of the time alone is a coordinate, and its derivative a
    velocity.

    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> name_of_symbol(dynamicsymbols("a")), name_of_symbol(dynamicsymbols("a", 1))
    ('a', 'v_a')
    """
    moving = _moving(symbol) if is_sympy(symbol) else None
    name = moving if moving is not None else str(getattr(symbol, "name", symbol))
    if re.fullmatch(rf"[{LETTERS}][{LETTERS}0-9]*", name) is None:
        raise ModelError(f"`{name}` cannot be a name in a model: names are letters, Greek ones too, digits and _, and no "
                         "digit comes first")
    return name


_FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "exp": "exp", "log": "log", "Abs": "abs", "erf": "erf", "erfc": "erfc",
}
_INVERSES = {"sec": "cos", "csc": "sin", "cot": "tan", "sech": "cosh", "csch": "sinh", "coth": "tanh"}


def _moving(e: Any) -> "Optional[str]":
    """The name of f(t), or of its first derivative, as sympy.physics.mechanics writes mechanics."""
    import sympy

    if isinstance(e, sympy.Derivative):
        of = _moving(e.expr)
        first = len(e.variables) == 1 and e.variables[0].name == "t"
        return "v_" + of if of is not None and first and not isinstance(e.expr, sympy.Derivative) else None
    if isinstance(e, sympy.core.function.AppliedUndef) and len(e.args) == 1 and getattr(e.args[0], "name", "") == "t":
        return str(e.func.__name__)
    return None


class _FromSympy:
    def __init__(self, graph: Graph, what: str):
        self.graph = graph
        self.what = what
        self.done: Dict[Any, Formula] = {}

    def refuse(self, part: Any, why: str) -> ModelError:
        return ModelError(f"{self.what}: `{part}` cannot become a formula: {why}")

    def __call__(self, expression: Any) -> Formula:
        found = self.done.get(expression)
        if found is None:
            found = self.done[expression] = self.convert(expression)
        return found

    def convert(self, e: Any) -> Formula:
        import sympy

        graph = self.graph
        if e.is_Integer:
            return graph.literal(str(int(e)))
        if e.is_Rational:
            return graph.literal(f"{int(e.p)}/{int(e.q)}")
        if e.is_Float:
            return graph.literal(_text_of_float(e))
        if e is sympy.pi:
            return graph.name("pi")
        if e is sympy.E:
            return graph.function("exp", graph.literal("1"))
        if e.is_NumberSymbol:
            return graph.literal(_text_of_float(sympy.Float(e, 36)))
        if e.is_Symbol:
            return graph.name(name_of_symbol(e))
        if e.is_Add:
            return self.sum(e.as_ordered_terms())
        if e.is_Mul:
            return self.product(e)
        if e.is_Pow:
            return self.power(e.base, e.exp)
        name = type(e).__name__
        if name in _FUNCTIONS and all(a.is_Symbol or a.is_Function or a.is_Number or a.args for a in e.args):
            arguments = [self(a) for a in e.args]
            if name == "log" and len(arguments) == 2:
                return graph.operation("/", graph.function("log", arguments[0]), graph.function("log", arguments[1]))
            return graph.function(_FUNCTIONS[name], *arguments)
        if name in _INVERSES:
            return graph.operation("/", graph.literal("1"), graph.function(_INVERSES[name], self(e.args[0])))
        moving = _moving(e)
        if moving is not None:
            return graph.name(moving)
        if isinstance(e, sympy.core.function.AppliedUndef):
            raise self.refuse(e, f"it is a function of {', '.join(map(str, e.args))}; a coordinate is a plain symbol, such as "
                                 f"sympy.Symbol('{e.func}')")
        if isinstance(e, (sympy.Derivative, sympy.Integral, sympy.Sum, sympy.Product, sympy.Subs, sympy.Limit)):
            raise self.refuse(e, "it is not worked out. Call its method doit() first")
        if isinstance(e, sympy.Piecewise):
            raise self.refuse(e, "a formula has no branches. Write a smooth expression")
        if e is sympy.I or e.is_number and not e.is_real:
            raise self.refuse(e, "it is not a real number")
        known = " ".join(sorted({*_FUNCTIONS, *_INVERSES, "sqrt"}, key=str.lower))
        raise self.refuse(e, f"a formula has + - * / ^ and {known}")

    def sum(self, terms: "List[Any]") -> Formula:
        result = self(terms[0])
        for term in terms[1:]:
            if term.could_extract_minus_sign():
                result = self.graph.operation("-", result, self(-term))
            else:
                result = self.graph.operation("+", result, self(term))
        return result

    def product(self, e: Any) -> Formula:
        import sympy

        coefficient, factors = e.as_coeff_mul()
        if coefficient.is_negative:
            return self.graph.negative(self(-e)) if -e != e else self(e)
        above: List[Formula] = []
        below: List[Formula] = []
        if coefficient.is_Rational:
            if coefficient.p != 1:
                above.append(self(sympy.Integer(coefficient.p)))
            if coefficient.q != 1:
                below.append(self(sympy.Integer(coefficient.q)))
        elif coefficient != 1:
            above.append(self(coefficient))
        for factor in sympy.Mul(*factors, evaluate=False).as_ordered_factors() if len(factors) > 1 else factors:
            if factor.is_Pow and factor.exp.is_Rational and factor.exp.is_negative:
                below.append(self.power(factor.base, -factor.exp))
            else:
                above.append(self(factor))
        result = self.times(above) if above else self.graph.literal("1")
        return self.graph.operation("/", result, self.times(below)) if below else result

    def times(self, factors: "List[Formula]") -> Formula:
        result = factors[0]
        for factor in factors[1:]:
            result = self.graph.operation("*", result, factor)
        return result

    def power(self, base: Any, exponent: Any) -> Formula:
        import sympy

        if base is sympy.E:
            return self.graph.function("exp", self(exponent))
        if exponent == sympy.Rational(1, 2):
            return self.graph.function("sqrt", self(base))
        if exponent.is_Rational and exponent.is_negative:
            return self.graph.operation("/", self.graph.literal("1"), self.power(base, -exponent))
        if exponent == 1:
            return self(base)
        return self.graph.operation("^", self(base), self(exponent))


def _text_of_float(number: Any) -> str:
    if not number.is_finite:
        raise ModelError(f"a formula cannot contain {number}: numbers are finite")
    # 53 bits are a double, whose shortest text has at most 17 digits. What has more keeps 36, which is all that is read.
    if number._prec <= 53:
        return repr(float(number)).replace("e+", "e")
    import mpmath

    text: str = mpmath.libmp.to_str(number._mpf_, min(36, int(number._prec / 3.32192809) + 1))
    return text.replace("e+", "e")


def from_sympy(expression: Any, graph: Graph, what: str) -> Formula:
    """The formula of an expression. What no formula can say is refused, with the part in question.

    >>> import sympy
    >>> x, y = sympy.symbols("x y")
    >>> print(from_sympy(sympy.Rational(1, 3)*x**2/sympy.sqrt(y) - 2, Graph(), "potential"))
    x^2/(3*sqrt(y)) - 2
    """
    try:
        return _FromSympy(graph, what)(expression)
    except RecursionError:
        raise ModelError(f"{what}: the expression is nested too deeply for SymPy") from None


def to_sympy(formula: Formula, symbols: "Dict[str, Any]") -> Any:
    """The expression of a formula; ``symbols`` collects the symbols by name."""
    import sympy

    from .formula import in_order

    functions = {**{ours: getattr(sympy, theirs) for theirs, ours in _FUNCTIONS.items()}, "sqrt": sympy.sqrt}
    done: Dict[int, Any] = {}
    for node in in_order([formula]):
        a: Tuple[Any, ...] = tuple(done[id(n)] for n in node.arguments)
        value: Any
        if node.op == "number":
            value = _number(node.text)
        elif node.op == "name":
            value = sympy.pi if node.text == "pi" else symbols.setdefault(node.text, sympy.Symbol(node.text, real=True))
        elif node.op == "call":
            value = functions[node.text](*a)
        elif node.op == "neg":
            value = -a[0]
        elif node.op == "+":
            value = a[0] + a[1]
        elif node.op == "-":
            value = a[0] - a[1]
        elif node.op == "*":
            value = a[0] * a[1]
        elif node.op == "/":
            value = a[0] / a[1]
        else:
            value = a[0] ** a[1]
        done[id(node)] = value
    return done[id(formula)]


def _number(text: str) -> Any:
    import sympy

    if text.isdigit():
        return sympy.Integer(text)
    digits = len(text.lower().split("e")[0].replace(".", "").lstrip("0"))
    return sympy.Float(float(text)) if digits <= 17 else sympy.Float(text)
