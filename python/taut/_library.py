"""libtaut.so: where it is, what it has, and how its errors become exceptions."""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from typing import Any, Callable, Dict, List, Optional, Tuple

from .errors import LibraryMissing, ModelError, TautError

__all__ = ["FUNCTION", "INT_POINTER", "Functions", "Handle", "View", "Watch", "candidates", "call", "library", "path_of",
           "pending", "take_text"]

ABI_VERSION = 1
OK, FAILED, BAD_INPUT, STOPPED, BAD_CALL, NO_MEMORY, INTERNAL = range(7)

PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, c_int64, c_int64, c_double)
NOTE = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


FUNCTION = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, c_void_p)
# ctypes.pointer() would look the type up again, and another interpreter in the process has put its own there.
INT_POINTER = POINTER(c_int)


class Functions(ctypes.Structure):
    """taut_functions: what the library calls in the place of formulas."""

    _fields_ = [(name, FUNCTION) for name in ("V", "grad_V", "H", "H_q", "H_p", "H_pp_v", "g", "G")]


#: The error that a function of the caller raised while the library called it, one for each thread.
pending = threading.local()


class View(ctypes.Structure):
    """taut_view: an array that a handle of the library owns."""

    _fields_ = [("data", c_void_p), ("rank", c_int64), ("shape", c_int64 * 3), ("strides", c_int64 * 3)]


class Watch(ctypes.Structure):
    """taut_watch: what is called while something runs, and the flag that ends it."""

    _fields_ = [("user", c_void_p), ("progress", PROGRESS), ("note", NOTE), ("stop", INT_POINTER)]


_text = POINTER(c_void_p)  # a char** whose text is ours to free
_handle = POINTER(c_void_p)
_SIGNATURES: Dict[str, Tuple[Any, ...]] = {
    # name: result, arguments
    "taut_abi_version": (c_int,),
    "taut_version": (c_char_p,),
    "taut_last_error": (c_char_p,),
    "taut_last_error_json": (c_char_p,),
    "taut_free": (None, c_void_p),
    "taut_methods": (c_int, _text),
    "taut_problems": (c_int, _text),
    "taut_model_open": (c_int, c_char_p, c_char_p, _handle),
    "taut_model_parse": (c_int, c_char_p, c_char_p, c_char_p, c_char_p, _handle),
    "taut_model_free": (None, c_void_p),
    "taut_model_set_functions": (c_int, c_void_p, POINTER(Functions)),
    "taut_model_describe": (c_int, c_void_p, _text),
    "taut_evaluate_shape": (c_int, c_void_p, c_char_p, POINTER(c_int64), POINTER(c_int64)),
    "taut_evaluate": (c_int, c_void_p, c_char_p, c_int64, c_void_p, c_int64, c_void_p, c_int64, c_void_p),
    "taut_project": (c_int, c_void_p, c_int64, c_void_p, c_void_p, c_void_p),
    "taut_run_make": (c_int, c_void_p, c_char_p, POINTER(Watch), _handle),
    "taut_run_free": (None, c_void_p),
    "taut_run_summary": (c_int, c_void_p, _text),
    "taut_run_columns": (c_int, c_void_p, _text),
    "taut_run_view": (c_int, c_void_p, c_char_p, POINTER(View)),
    "taut_run_report": (c_int, c_void_p, _text),
    "taut_run_resume": (c_int, c_char_p, c_char_p, POINTER(Watch), _text),
    "taut_run_figures": (c_int, c_void_p, _text),
    "taut_stepper_new": (c_int, c_void_p, c_char_p, _handle),
    "taut_stepper_free": (None, c_void_p),
    "taut_stepper_step": (c_int, c_void_p, c_int64),
    "taut_stepper_view": (c_int, c_void_p, c_char_p, POINTER(View)),
    "taut_stepper_restart": (c_int, c_void_p),
    "taut_stepper_summary": (c_int, c_void_p, _text),
    "taut_stepper_save": (c_int, c_void_p, _text, POINTER(c_size_t)),
    "taut_stepper_restore": (c_int, c_void_p, c_char_p, c_size_t),
    "taut_ensemble_make": (c_int, c_void_p, c_char_p, POINTER(c_char_p), c_int64, c_void_p, c_int64, POINTER(Watch),
                           _handle),
    "taut_ensemble_free": (None, c_void_p),
    "taut_ensemble_summary": (c_int, c_void_p, _text),
    "taut_ensemble_columns": (c_int, c_void_p, _text),
    "taut_ensemble_failures": (c_int, c_void_p, _text),
    "taut_ensemble_view": (c_int, c_void_p, c_char_p, POINTER(View)),
    "taut_sampling_make": (c_int, c_void_p, c_char_p, POINTER(Watch), _handle),
    "taut_sampling_free": (None, c_void_p),
    "taut_sampling_summary": (c_int, c_void_p, _text),
    "taut_sampling_columns": (c_int, c_void_p, _text),
    "taut_sampling_view": (c_int, c_void_p, c_char_p, POINTER(View)),
    "taut_free_energy": (c_int, c_void_p, c_char_p, POINTER(Watch), _text),
    "taut_analyse": (c_int, c_void_p, c_char_p, c_char_p, POINTER(Watch), _text),
    "taut_check": (c_int, c_void_p, c_char_p, POINTER(Watch), _text),
    "taut_compare": (c_int, c_void_p, c_char_p, POINTER(Watch), _text),
}
# Functions that were added to the interface after its first version.
_LATER = ("taut_model_set_functions", "taut_stepper", "taut_ensemble", "taut_sampling", "taut_free_energy", "taut_analyse",
          "taut_check", "taut_compare", "taut_run_resume")

_HOW_TO_GET_IT = (
    "Install the package libtaut0, or the wheel of taut, which has it inside; in a clone of the repository build it with "
    "`./taut --version && cmake --build build/release --target taut_shared`. "
    "The environment variable TAUT_LIBRARY names the file if it is elsewhere."
)


def candidates() -> "List[str]":
    """Where the library is looked for, in this order."""
    chosen = os.environ.get("TAUT_LIBRARY")
    if chosen:
        return [chosen]
    here = os.path.dirname(os.path.abspath(__file__))
    clone = os.path.dirname(os.path.dirname(here))
    return [
        os.path.join(here, "libtaut.so.0"),
        os.path.join(here, "libtaut.so"),
        "libtaut.so.0",
        os.path.join(clone, "build", "release", "src", "taut", "capi", "libtaut.so.0"),
        os.path.join(clone, "build", "release", "libtaut.so.0"),
    ]


def _load() -> ctypes.CDLL:
    tried: List[str] = []
    for path in candidates():
        if os.path.isabs(path) and not os.path.exists(path):
            tried.append(f"  {path}: there is no such file")
            continue
        try:
            return _declared(ctypes.CDLL(path), path)
        except OSError as error:
            tried.append(f"  {path}: {error}")
    raise LibraryMissing("the library libtaut.so was not found.\n" + "\n".join(tried) + "\n" + _HOW_TO_GET_IT)


def _declared(found: ctypes.CDLL, path: str) -> ctypes.CDLL:
    try:
        version = found.taut_abi_version()
        for name, (result, *arguments) in _SIGNATURES.items():
            if name.startswith(_LATER) and not hasattr(found, name):
                continue  # an older library of the same interface; call() says so
            function = getattr(found, name)
            function.restype = result
            function.argtypes = arguments
    except AttributeError as error:
        raise LibraryMissing(f"{path} does not fit this package: {error}. {_HOW_TO_GET_IT}") from None
    if version != ABI_VERSION:
        raise LibraryMissing(f"{path} has the binary interface {version}, and this package needs {ABI_VERSION}. "
                             "Install the two of the same version.")
    return found


_lock = threading.Lock()
_loaded: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """The library, loaded at its first use: `import taut` stays quick, and works where only the documentation is built."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _load()
    return _loaded


def last_error() -> str:
    """The sentence of the last call of this thread that failed."""
    text: bytes = library().taut_last_error()
    return text.decode("utf-8", "replace").rstrip("\n") if text else "the library gave no reason"


def call(name: str, *arguments: Any) -> int:
    """Calls a function of the library. Wrong input raises; TAUT_FAILED and TAUT_STOPPED come back to the caller."""
    function = getattr(library(), name, None)
    if function is None:
        raise LibraryMissing(f"the library has no {name}: it is older than this package. {_HOW_TO_GET_IT}")
    status = int(function(*arguments))
    error = getattr(pending, "error", None)
    if error is not None:
        pending.error = None
        raise error
    if status in (OK, FAILED, STOPPED):
        return status
    sentence = last_error()
    if status in (BAD_INPUT, BAD_CALL):
        raise ModelError(sentence)
    if status == NO_MEMORY:
        raise MemoryError(sentence)
    raise TautError(sentence)


def take_text(name: str, *arguments: Any) -> str:
    """The text that a function hands out through its last argument."""
    return take_bytes(name, *arguments).decode("utf-8")


def take_bytes(name: str, *arguments: Any) -> bytes:
    text = c_void_p()
    if call(name, *arguments, byref(text)) != OK:
        raise TautError(last_error())
    return taken(text)


def taken(text: c_void_p) -> bytes:
    """The bytes of a text that the library handed out, which is freed."""
    try:
        return ctypes.cast(text, c_char_p).value or b""
    finally:
        library().taut_free(text)


def take_json(name: str, *arguments: Any) -> Any:
    return json.loads(take_text(name, *arguments))


class Handle:
    """Something that the library made. It is freed with the last object that uses it."""

    __slots__ = ("pointer", "_free", "_keeps", "__weakref__")

    def __init__(self, pointer: c_void_p, free: "Callable[[c_void_p], None]", keeps: Any = None):
        self.pointer = pointer
        self._free = free
        self._keeps = keeps  # what must live as long, for example functions that the library calls

    def keep(self, what: Any) -> Any:
        """Keeps something alive as long as this, and returns it."""
        self._keeps = (self._keeps, what)
        return what

    def __del__(self) -> None:
        if self.pointer:
            self._free(self.pointer)
            self.pointer = c_void_p()


def path_of(value: Any, what: str) -> str:
    """A path that somebody gave as a text, as bytes or as an object with a path."""
    try:
        place = os.fsdecode(value)
    except TypeError:
        raise ModelError(f"{what} is {value!r}; the path of a file or a folder is wanted") from None
    if not place or "\0" in place:
        raise ModelError(f"{what} is {place!r}, which is the path of nothing")
    return place


def encode(text: str) -> bytes:
    """A text as the library takes it. It ends at a zero, so it cannot contain one."""
    if "\0" in text:
        raise ModelError("a text must not contain a character with the number 0")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:  # half of a pair of surrogates
        raise ModelError(f"{text!r} is no text that UTF-8 can hold: {error.reason}") from None
