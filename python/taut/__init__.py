"""taut: constrained mechanics that stays on its manifold.

>>> import taut
>>> model = taut.Model("pendulum")
>>> r = model.run(method="rattle", step=0.05, until=10.0)
>>> r.t[-1]
10.0
>>> abs(model.g(r.q)).max() < 1e-15
True

The guide is docs/guide/python.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from ._library import library as _library
from ._library import take_json as _take_json
from .display import Table
from .errors import Interrupted, LibraryMissing, ModelError, SolveFailed, TautError, TracingError
from .model import Model
from .result import Failure, Result
from .stored import load, resume

if TYPE_CHECKING:
    from .judgement import Comparison

__all__ = [
    "Failure", "Interrupted", "LibraryMissing", "Model", "ModelError", "Result", "SolveFailed", "TautError",
    "TracingError", "compare", "load", "methods", "problems", "resume", "version",
]


def version() -> str:
    """The version of the library.

    >>> import taut
    >>> taut.version().count(".")
    2
    """
    return str(_library().taut_version().decode())


def methods() -> Table:
    """The methods, as ``taut methods --json`` lists them.

    >>> import taut
    >>> [row["order"] for row in taut.methods() if row["name"] == "rattle"]
    [2]
    """
    found = _take_json("taut_methods")
    rows = found if isinstance(found, list) else found["methods"]
    return Table(rows, ["name", "order", "symmetric", "symplectic", "what"])


def problems() -> Table:
    """The models that come with the library."""
    found = _take_json("taut_problems")
    return Table(found if isinstance(found, list) else found["problems"], ["name", "description", "default_method"])


def compare(model: Any, methods: "Sequence[str]", **options: Any) -> "Comparison":
    """Runs several methods on a model, or on the one of that name, side by side: :meth:`taut.Model.compare`."""
    return (model if isinstance(model, Model) else Model(model)).compare(methods, **options)
