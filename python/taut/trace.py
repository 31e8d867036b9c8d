"""Python functions of q and p, called once with formulas in place of numbers.

The function runs as it stands. Operators and numpy's functions build formulas; whatever asks for a value (a branch,
``math.sin``) raises :class:`taut.TracingError`, which says what to write instead.
"""

from __future__ import annotations

import inspect
import math
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from .errors import ModelError, TracingError
from .formula import FUNCTIONS, Comparison, Formula, Graph

__all__ = ["trace", "arguments_for", "apply_ufunc", "method_named"]


def _half_turn(graph: Graph) -> Formula:
    return graph.operation("/", graph.name("pi"), graph.literal("180"))


# numpy's name of a function and the formula for it.
_UFUNCS: Dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "true_divide": lambda a, b: a / b,
    "power": lambda a, b: a ** b,
    "float_power": lambda a, b: a ** b,
    "negative": lambda a: -a,
    "positive": lambda a: a,
    "absolute": abs,
    "fabs": abs,
    "square": lambda a: a ** 2,
    "reciprocal": lambda a: 1 / a,
    "conjugate": lambda a: a,
    "hypot": lambda a, b: (a ** 2 + b ** 2).sqrt(),
    "exp2": lambda a: 2 ** a,
    "log2": lambda a: a.log() / a.graph.function("log", a.graph.literal("2")),
    "log10": lambda a: a.log() / a.graph.function("log", a.graph.literal("10")),
    "radians": lambda a: a * _half_turn(a.graph),
    "deg2rad": lambda a: a * _half_turn(a.graph),
    "degrees": lambda a: a / _half_turn(a.graph),
    "rad2deg": lambda a: a / _half_turn(a.graph),
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
}
_OTHER_NAMES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2"}
_HINTS = {
    "log1p": "write numpy.log(1 + x)",
    "expm1": "write numpy.exp(x) - 1",
    "arcsinh": "write numpy.log(x + numpy.sqrt(x**2 + 1))",
    "arccosh": "write numpy.log(x + numpy.sqrt(x**2 - 1))",
    "arctanh": "write numpy.log((1 + x)/(1 - x))/2",
    "sign": "a formula has no branches; write a smooth expression",
    "maximum": "a formula has no branches; write a smooth expression",
    "minimum": "a formula has no branches; write a smooth expression",
}


def _refused(name: str) -> TracingError:
    known = " ".join(sorted(FUNCTIONS))
    return TracingError(f"numpy.{name} is not in the model language: {_HINTS.get(name, f'it has {known}')}")


def _formula_of(inputs: Sequence[Any]) -> Formula:
    for value in inputs:
        if isinstance(value, Formula):
            return value
    raise TypeError("no formula among the arguments")


def _elementary(name: str, *inputs: Any) -> Formula:
    graph = _formula_of(inputs).graph
    return graph.function(name, *[graph.of(value) for value in inputs])


def _function(name: str) -> Callable[..., Any]:
    ours = _OTHER_NAMES.get(name, name)
    if ours in FUNCTIONS and name != "abs":
        return lambda *inputs: _elementary(ours, *inputs)
    if name not in _UFUNCS:
        raise _refused(name)
    return _UFUNCS[name]


def apply_ufunc(ufunc: Any, method: str, inputs: Tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    """What a function of numpy makes of formulas. Arrays among the arguments are taken element by element."""
    import numpy as np

    if any(isinstance(value, np.ndarray) and value.ndim > 0 for value in inputs) or method != "__call__":
        boxed = []
        for value in inputs:
            if isinstance(value, Formula):
                box = np.empty((), dtype=object)
                box[()] = value
                value = box
            boxed.append(value)
        return getattr(ufunc, method)(*boxed, **options)
    if options:
        raise TracingError(f"numpy.{ufunc.__name__} with {', '.join(sorted(options))} cannot be traced")
    scalars = [value.item() if isinstance(value, (np.ndarray, np.generic)) else value for value in inputs]
    return _function(ufunc.__name__)(*scalars)


def method_named(formula: Formula, name: str) -> Callable[..., Any]:
    """``formula.sin``: numpy calls such methods of the elements of an array of objects."""
    if name == "item":
        return lambda: formula
    if name in _UFUNCS or name in FUNCTIONS or name in _OTHER_NAMES:
        function = _function(name)
        return lambda *others: function(formula, *others)
    if name in _HINTS:
        raise _refused(name)
    raise AttributeError(f"a traced number has no `{name}`")


def arguments_for(function: Callable[..., Any], q: Any, second: Any, parameters: Mapping[str, Any], what: str,
                  takes_second: bool, second_name: str = "p", time: Any = None,
                  coordinates: "Sequence[str]" = ()) -> "Tuple[List[Any], Dict[str, Any]]":
    """The arguments with which a function of (q, p, **parameters) is called.

    The first argument is q. An argument called ``p``, and the second one of a Hamiltonian, is p; of a Lagrangian, a kinetic
    energy and a force it is ``v``, the velocities. An argument ``t`` is the time, if no parameter has that name. All others are
    parameters by their names; ``**names`` takes every parameter.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ([q, second] if takes_second else [q]), {}
    positional: List[Any] = []
    named: Dict[str, Any] = {}
    place = 0
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            named.update((k, v) for k, v in parameters.items() if k not in signature.parameters)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            continue
        else:
            value: Any
            if place == 0:
                value = q
            elif parameter.name == second_name:
                value = second
            elif parameter.name in parameters:
                value = parameters[parameter.name]
            elif parameter.name == "t" and time is not None:
                value = time
            elif place == 1 and takes_second and parameter.name not in ("p", "v", "t"):
                value = second
            elif parameter.default is not parameter.empty:
                place += 1
                continue
            elif parameter.name == "t":
                raise ModelError(f"{what}: its argument `t` would be the time, and a function that is called back "
                                 "(callback=True) knows only the state: leave callback out, so that it is traced")
            else:
                known = ", ".join(["q", second_name, *([] if time is None else ["t"]), *parameters])
                raise ModelError(f"{what}: its argument `{parameter.name}` is neither q, {second_name} nor a parameter; "
                                 f"known: {known}" + _together(parameter.name, coordinates))
            if parameter.kind is parameter.KEYWORD_ONLY or len(positional) < place:
                named[parameter.name] = value
            else:
                positional.append(value)
            place += 1
    if place == 0 and not signature.parameters:
        raise ModelError(f"{what}: the function takes no argument; its first one is q")
    return positional, named


def _together(name: str, coordinates: "Sequence[str]") -> str:
    if name not in coordinates:
        return ""
    shown = ", ".join(f"q[{place}] is {one}" for place, one in enumerate(coordinates[:3]))
    return f". Coordinates come together, as the first argument: {shown}{', …' if len(coordinates) > 3 else ''}"


def _array(formulas: Sequence[Formula]) -> Any:
    import numpy as np

    array = np.empty(len(formulas), dtype=object)
    for place, formula in enumerate(formulas):
        array[place] = formula
    return array


_SOLVES = ("solve", "solve1", "inv", "det", "slogdet", "cholesky_lo")


def _why_not(error: TypeError) -> "Optional[str]":
    """What to write instead, if this is the error of a function that wants numbers."""
    said = str(error)
    if "must be real number" in said or "loop of ufunc does not support" in said:
        return "Functions of `math` cannot be traced: use those of numpy"
    found = re.search("[uU]func '(\\w+)'", said) or re.search("for (einsum)", said)
    if found is None:
        return None
    if found[1] in _SOLVES:
        return ("Functions of numpy.linalg cannot be traced, `norm` aside: `mass` may be a function of q, and is inverted by "
                "taut itself; or write the solution out")
    return f"numpy's `{found[1]}` cannot be traced: write it with operators, `@` and sums"


def trace(function: Callable[..., Any], graph: Graph, coordinates: Sequence[str], second: Sequence[str],
          parameters: Sequence[str], what: str, takes_second: bool = False, second_name: str = "p") -> "List[Formula]":
    """Calls a function once with formulas, and returns what it gave: one formula, or those of a list or an array."""
    q = _array([graph.name(name) for name in coordinates])
    also = _array([graph.name(name) for name in second])
    positional, named = arguments_for(function, q, also, {name: graph.name(name) for name in parameters}, what, takes_second,
                                      second_name, graph.name("t"), coordinates)
    graph.branch = None
    try:
        value = function(*positional, **named)
    except TracingError as error:
        raise TracingError(f"{what}: {error}") from None
    except ModelError as error:  # a number that no formula can have
        raise ModelError(f"{what}: {error}") from None
    except TypeError as error:
        instead = _why_not(error)
        if instead is None:
            raise
        raise TracingError(f"{what}: {error}. {instead}") from error
    except Exception as error:
        if graph.branch is None:
            raise
        raise TracingError(f"{what}: {graph.branch}") from error
    if graph.branch is not None:  # somebody has caught the error, and has taken one of the two ways
        raise TracingError(f"{what}: {graph.branch}")
    return _values(value, graph, what)


def _values(value: Any, graph: Graph, what: str) -> "List[Formula]":
    import numpy as np

    if value is None:
        raise TracingError(f"{what}: the function returned nothing (a `return` is missing)")
    if isinstance(value, (list, tuple, np.ndarray)):
        flat: List[Formula] = []
        for part in value.ravel() if isinstance(value, np.ndarray) else value:
            flat.extend(_values(part, graph, what))
        return flat
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise TracingError(f"{what}: the function returned {value}")
    try:
        return [graph.of(value)]
    except ModelError:
        raise TracingError(f"{what}: the function returned {_named(value)}, which is no formula") from None


def _named(value: Any) -> str:
    return f"whether `{value.text}`" if isinstance(value, Comparison) else repr(value)
