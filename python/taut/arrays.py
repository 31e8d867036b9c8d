"""Arrays at the border to the library: views of its memory, and checked copies of what people pass."""

from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING, Any, Tuple

from ._library import Handle, View, call, encode
from .errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Doubles = NDArray[np.float64]

__all__ = ["Memory", "view_of", "as_doubles", "as_states", "refuse_masked"]


class Memory:
    """The base of an array that the library owns: as long as the array lives, so does the handle."""

    __slots__ = ("handle", "__array_interface__")

    def __init__(self, handle: Handle, address: int, shape: "Tuple[int, ...]", strides: "Tuple[int, ...]", writable: bool):
        self.handle = handle
        self.__array_interface__ = {
            "version": 3, "typestr": "<f8", "shape": shape, "strides": strides, "data": (address, not writable),
        }


def array_of(handle: Handle, view: View, writable: bool = False) -> "Doubles":
    """An array of numpy on the memory of a view."""
    import numpy as np

    shape = tuple(int(view.shape[k]) for k in range(view.rank))
    if not view.data or 0 in shape:
        return np.empty(shape, dtype=np.float64)
    strides = tuple(int(view.strides[k]) for k in range(view.rank))
    array: Doubles = np.asarray(Memory(handle, int(view.data), shape, strides, writable))
    return array


def view_of(handle: Handle, function: str, name: str, writable: bool = False) -> "Doubles":
    """What a function such as taut_run_view shows by a name."""
    view = View()
    call(function, handle.pointer, encode(name), byref(view))
    return array_of(handle, view, writable)


def refuse_masked(value: Any, what: str) -> None:
    """A masked value has a number behind its mask, which nobody means."""
    mask: Any = getattr(value, "mask", None)
    if hasattr(mask, "any") and mask.any():
        raise ModelError(f"{what} has masked values; fill them, or leave them out")


def as_doubles(value: Any, what: str) -> "Doubles":
    """An array of doubles, whatever real numbers it was made of. Complex numbers, texts and objects are refused."""
    import numpy as np

    refuse_masked(value, what)
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise ModelError(f"{what} is no array of numbers: {error}") from None
    if array.dtype.kind == "O":
        for one in array.ravel():  # numpy would take None for NaN, "1" and True for 1, and a masked number for that behind it
            if one is None or isinstance(one, (str, bytes, bool, np.bool_)):
                raise ModelError(f"{what} is no array of real numbers: {one!r} is among them")
            refuse_masked(one, what)
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"{what} is no array of real numbers: {error}") from None
    if array.dtype.kind not in "fiu":
        raise ModelError(f"{what} has the dtype {array.dtype}; real numbers are wanted")
    return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)


def as_states(value: Any, n: int, what: str) -> "Doubles":
    """An array whose last axis has one number for each coordinate."""
    array = as_doubles(value, what)
    if array.ndim == 0 or array.shape[-1] != n:
        raise ModelError(f"{what} has the shape {array.shape}; its last axis has {n} numbers, one for each coordinate")
    return array
