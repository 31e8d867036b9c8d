"""Python functions that are called for real, in the place of formulas: ``callback=True``.

A function that branches on a value has no formula. The library then calls it at every evaluation, which takes
microseconds where a formula takes nanoseconds. Gradients come from functions of the caller (``grad_V``, ``grad_H``,
``G``), or from central differences.
"""

from __future__ import annotations

import ctypes
from ctypes import c_double
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence

from ._library import FUNCTION, Functions, pending
from .arrays import as_doubles
from .errors import ModelError
from .trace import arguments_for

if TYPE_CHECKING:
    from .arrays import Doubles

__all__ = ["Callbacks", "placeholders"]

# Central differences: the next term is δ²/6, rounding ε/δ, so δ = ε^(1/3). Second ones: δ²/12 and 4ε/δ², so δ = ε^(1/4).
_FIRST, _SECOND = 2.0 ** (-52 / 3), 2.0 ** -13


def placeholders(coordinates: "Sequence[str]", constraints: int) -> "Dict[str, Any]":
    """Formulas of the right kind and number, in whose place the functions come.

    The Hamiltonian is not ½ p'Wp + V(q), and its second derivative is not singular; the constraints are independent.
    """
    if constraints > len(coordinates):
        raise ModelError(f"the functions give {constraints} constraints for {len(coordinates)} coordinates; "
                         "there are at most as many constraints as coordinates")
    return {"hamiltonian": " + ".join(f"p_{x}^2/2 + p_{x}^4/24" for x in coordinates), "potential": "0",
            "constraints": list(coordinates[:constraints])}


def _differences(f: "Callable[[Any], Any]", x: "Doubles", step: float = _FIRST) -> Any:
    """The derivatives of f, the last axis over x."""
    import numpy as np

    columns = []
    for k in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[k] += step * max(1.0, abs(x[k]))
        behind[k] -= step * max(1.0, abs(x[k]))
        columns.append((as_doubles(f(ahead), "a value") - as_doubles(f(behind), "a value")) / (ahead[k] - behind[k]))
    return np.stack(columns, axis=-1)


class Callbacks:
    """The functions of one model, as the library takes them. The model keeps it alive."""

    def __init__(self, coordinates: "Sequence[str]", parameters: "Mapping[str, float]"):
        self._n = len(coordinates)
        self._parameters = dict(parameters)
        self._kept: List[Any] = []
        self.functions = Functions()
        self.constraints = 0
        #: To how much the equations of a step are solved if the caller does not say; None: until rounding stops it.
        self.tolerance: Optional[float] = None

    def _function(self, function: "Callable[..., Any]", what: str, has_p: bool) -> "Callable[[Any, Any], Any]":
        """The function as one of (q, p), with the values of the parameters."""

        def called(q: Any, p: Any) -> Any:
            positional, named = arguments_for(function, q, p, self._parameters, what, has_p)
            return function(*positional, **named)

        return called

    def _put(self, name: str, size: int, function: "Callable[[Any, Any, Any], Any]", what: str) -> None:
        import numpy as np

        block = c_double * self._n
        room = c_double * max(1, size)

        def array(address: "Optional[int]") -> Any:
            return np.frombuffer(memoryview(block.from_address(address)), dtype=np.float64).copy() if address else None

        def called(q: "Optional[int]", p: "Optional[int]", v: "Optional[int]", out: int) -> None:
            values: Any
            to = np.frombuffer(memoryview(room.from_address(out)), dtype=np.float64)[:size]
            try:
                values = function(array(q), array(p), array(v))
                if type(values) is not float:
                    if values is None:
                        raise ModelError(f"{what}: the function returned nothing (a `return` is missing)")
                    values = as_doubles(values, f"what {what} gave")
                values = np.asarray(values).reshape(-1)
                if values.shape != to.shape:
                    raise ModelError(f"{what} gave {values.size} numbers where {size} are wanted")
                to[:] = values
            except BaseException as error:  # it must not cross the border; call() raises it
                if getattr(pending, "error", None) is None:
                    pending.error = error
                to[:] = np.nan

        made = FUNCTION(called)
        self._kept.append(made)
        setattr(self.functions, name, made)

    def potential(self, V: "Callable[..., Any]", grad_V: "Optional[Callable[..., Any]]") -> None:
        value = self._function(V, "potential", False)
        self._put("V", 1, lambda q, p, v: value(q, None), "potential")
        if grad_V is None:
            self._put("grad_V", self._n, lambda q, p, v: _differences(lambda x: value(x, None), q), "potential")
        else:
            slope = self._function(grad_V, "grad_V", False)
            self._put("grad_V", self._n, lambda q, p, v: slope(q, None), "grad_V")

    def hamiltonian(self, H: "Callable[..., Any]", grad_H: "Optional[Callable[..., Any]]") -> None:
        import numpy as np

        n = self._n
        value = self._function(H, "hamiltonian", True)
        self._put("H", 1, lambda q, p, v: value(q, p), "hamiltonian")
        if grad_H is None:
            # Differences of H have an error of about 1e-10, and a solve cannot go on to the rounding of a double.
            self.tolerance = 1e-9
            self._put("H_q", n, lambda q, p, v: _differences(lambda x: value(x, p), q), "hamiltonian")
            self._put("H_p", n, lambda q, p, v: _differences(lambda x: value(q, x), p), "hamiltonian")

            def slope_p(q: Any, p: Any) -> Any:
                return _differences(lambda x: value(q, x), p, _SECOND)

            step = _SECOND
        else:
            both = self._function(grad_H, "grad_H", True)

            def parts(q: Any, p: Any) -> Any:
                found = both(q, p)
                try:
                    H_q, H_p = found
                except (TypeError, ValueError):
                    raise ModelError("grad_H gives a pair, the derivatives of H by q and by p") from None
                return H_q, H_p

            self._put("H_q", n, lambda q, p, v: parts(q, p)[0], "grad_H")
            self._put("H_p", n, lambda q, p, v: parts(q, p)[1], "grad_H")

            def slope_p(q: Any, p: Any) -> Any:
                return np.asarray(parts(q, p)[1], dtype=float)

            step = _FIRST

        def bent(q: Any, p: Any, v: Any) -> Any:
            length = np.abs(v).max()
            if length == 0:
                return np.zeros(n)
            by = step * max(1.0, np.abs(p).max()) / length
            return (slope_p(q, p + by*v) - slope_p(q, p - by*v)) / (2*by)

        self._put("H_pp_v", n, bent, "hamiltonian")

    def held_by(self, constraints: Any, G: "Optional[Callable[..., Any]]", q: "Doubles") -> None:
        """Takes the constraints: a function, or a list of functions, each of which gives one number or several."""
        import numpy as np

        listed = list(constraints) if isinstance(constraints, (list, tuple)) else [constraints]
        if not all(callable(one) for one in listed):
            raise ModelError("constraints: with callback=True they are all functions, or all formulas")
        functions = [self._function(one, f"constraint {k + 1}", False) for k, one in enumerate(listed)]

        def g(x: Any) -> Any:
            return np.concatenate([as_doubles(f(x, None), f"constraint {k + 1}").reshape(-1) for k, f in enumerate(functions)])

        m = self.constraints = g(q).size
        self._put("g", m, lambda x, p, v: g(x), "constraints")
        if G is None:
            self._put("G", m * self._n, lambda x, p, v: _differences(g, x), "constraints")
        else:
            jacobian = self._function(G, "G", False)
            self._put("G", m * self._n, lambda x, p, v: jacobian(x, None), "G")


def is_function(value: Any) -> bool:
    """Whether this is a Python function, and neither a text nor an expression."""
    from .symbolic import is_sympy

    if isinstance(value, (list, tuple)):
        return any(is_function(part) for part in value)
    return callable(value) and not is_sympy(value)
