"""Values of a model at many states in one call."""

from __future__ import annotations

from ctypes import byref, c_int64
from typing import TYPE_CHECKING, Any, Iterator, Optional, Tuple

from ._library import FAILED, Handle, call, encode
from .arrays import as_states
from .errors import ModelError

if TYPE_CHECKING:
    from .arrays import Doubles

__all__ = ["evaluate", "project"]


def _parts(count: int, n: int) -> "Iterator[Tuple[int, int]]":
    """Where the states of one call begin, and how many they are: between calls Ctrl-C is heard."""
    size = max(1, 100000 // n)
    for begin in range(0, count, size):
        yield begin, min(size, count - begin)


def _together(q: Any, p: Any, n: int) -> "Tuple[Doubles, Optional[Doubles]]":
    import numpy as np

    q = as_states(q, n, "q")
    if p is None:
        return q, None
    p = as_states(p, n, "p")
    try:
        both = np.broadcast_arrays(q, p)
    except ValueError:
        raise ModelError(f"q has the shape {q.shape} and p has {p.shape}: the axes before the last one do not fit") from None
    return np.ascontiguousarray(both[0]), np.ascontiguousarray(both[1])


def evaluate(handle: Handle, n: int, what: str, q: Any, p: Any, rank: int) -> Any:
    """``what`` at every state; ``rank`` is that of one value: 0 for H, 1 for g, 2 for G."""
    import numpy as np

    q, p = _together(q, p, n)
    rows, columns = c_int64(), c_int64()
    call("taut_evaluate_shape", handle.pointer, encode(what), byref(rows), byref(columns))
    leading = q.shape[:-1]
    out = np.empty(leading + (rows.value, columns.value)[:rank], dtype=np.float64)
    count = q.size // n if n else 0
    each = rows.value * columns.value
    for begin, size in _parts(count if out.size else 0, n):
        at = 8 * n * begin
        call("taut_evaluate", handle.pointer, encode(what), size, q.ctypes.data + at, 8 * n,
             None if p is None else p.ctypes.data + at, 8 * n, out.ctypes.data + 8 * each * begin)
    return float(out) if out.ndim == 0 else out


def project(handle: Handle, n: int, q: Any, p: Any) -> "Tuple[Doubles, Doubles]":
    """Copies of q and p on the manifold. States for which no point was found are NaN."""
    import numpy as np

    q, p = _together(q, p, n)
    assert p is not None  # Model.project has looked
    q, p = q.copy(), p.copy()
    count = q.size // n if n else 0
    moved = np.empty((count, 2), dtype=np.float64)
    missed = False
    for begin, size in _parts(count, n):
        at = 8 * n * begin
        status = call("taut_project", handle.pointer, size, q.ctypes.data + at, p.ctypes.data + at,
                      moved.ctypes.data + 16 * begin)
        missed = missed or status == FAILED
    if missed:
        lost = np.isnan(moved[:, 0])
        q.reshape(count, n)[lost] = np.nan
        p.reshape(count, n)[lost] = np.nan
    return q, p
