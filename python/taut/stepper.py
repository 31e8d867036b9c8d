"""One step at a time, with live views of the state."""

from __future__ import annotations

import ctypes
import threading
import time
from ctypes import byref, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any, Dict, Optional

from ._library import FAILED, Handle, call, last_error, library, take_json
from .arrays import as_states, view_of
from .errors import Interrupted, ModelError, SolveFailed
from .progress import Watching

if TYPE_CHECKING:
    from .arrays import Doubles
    from .model import Model

__all__ = ["Stepper"]


class Stepper:
    """A method on a model, made by :meth:`taut.Model.stepper`.

    ``q`` and ``p`` are views of the state itself: they follow the steps, and what you write into them counts from the
    next step on. A state off the manifold is refused there. Several threads may use one: they take turns.

    >>> import taut
    >>> s = taut.Model("pendulum").stepper(method="rattle", step=0.01)
    >>> s.step(100)
    >>> round(s.t, 12), bool(abs(s.q @ s.q - 1) < 1e-15)
    (1.0, True)
    >>> s.p[:] = 0           # the pendulum is stopped, and let go again
    >>> s.step()
    """

    def __init__(self, model: "Model", options: "Dict[str, Any]"):
        self._model = model
        self._options = dict(options)
        # A stepper of the library belongs to one thread at a time, and other threads run while it is at work.
        self._lock = threading.Lock()
        self._worker: Optional[int] = None
        pointer = c_void_p()
        if call("taut_stepper_new", model._handle.pointer, model._options(options), byref(pointer)) == FAILED:
            raise SolveFailed(last_error())
        self._handle = Handle(pointer, library().taut_stepper_free)
        self._time = view_of(self._handle, "taut_stepper_view", "t")
        self._q: Doubles = view_of(self._handle, "taut_stepper_view", "q", writable=True)
        self._p: Doubles = view_of(self._handle, "taut_stepper_view", "p", writable=True)
        self._pace = 1  # steps that one call of the library makes in about 50 ms
        self._remember()

    def _remember(self) -> None:
        self._last = (self.q.tobytes(), self.p.tobytes())

    def _begin(self) -> None:
        """Waits until no other thread works with this."""
        if not self._lock.acquire(False):
            self._wait()
        self._worker = threading.get_ident()

    def _wait(self) -> None:
        if self._worker == threading.get_ident():  # it would wait for itself
            raise ModelError("the stepper is in the middle of its work: what is called from there, a function of the model or a "
                             "handler of a signal, cannot use it")
        self._lock.acquire()

    def _end(self) -> None:
        self._worker = None
        self._lock.release()

    def _take_changes(self) -> None:
        if (self.q.tobytes(), self.p.tobytes()) != self._last:
            self._restart()

    def restart(self) -> None:
        """Begins anew at what stands in ``q`` and ``p``. ``step`` calls it if they were changed."""
        self._begin()
        try:
            self._restart()
        finally:
            self._end()

    def _restart(self) -> None:
        try:
            call("taut_stepper_restart", self._handle.pointer)
        finally:
            self._remember()

    @property
    def q(self) -> "Doubles":
        """The coordinates, a view that follows the steps. ``s.q = …`` and ``s.q[:] = …`` both write into it."""
        return self._q

    @q.setter
    def q(self, value: Any) -> None:
        self._write(self._q, value, "q")

    @property
    def p(self) -> "Doubles":
        """The momenta, likewise."""
        return self._p

    @p.setter
    def p(self, value: Any) -> None:
        self._write(self._p, value, "p")

    def _write(self, into: "Doubles", value: Any, name: str) -> None:
        given = as_states(value, len(into), name)
        if given.ndim != 1:
            raise ModelError(f"{name} has the shape {given.shape}; a stepper has one state of {len(into)} numbers")
        into[:] = given

    @property
    def t(self) -> float:
        """The time."""
        return float(self._time.flat[0])

    @property
    def energy(self) -> float:
        """H at the present state."""
        return float(self._model.H(self.q, self.p))

    @property
    def model(self) -> "Model":
        """The model that is stepped."""
        return self._model

    def step(self, n: int = 1) -> None:
        """Makes n steps. If one fails, the stepper stands at the last good state and SolveFailed says why; after Ctrl-C it
        stands where it has come to."""
        given: Any = n
        is_whole = hasattr(given, "__index__") and not isinstance(given, bool) or isinstance(given, float) and given % 1 == 0
        if not is_whole or n < 0:
            raise ModelError(f"step({n!r}): n is a whole number of steps, not negative")
        if not self._lock.acquire(False):  # _begin and _end in line: a step may take less than a call
            self._wait()
        self._worker = threading.get_ident()
        try:
            self._take_changes()
            try:
                if n <= self._pace:
                    status = call("taut_stepper_step", self._handle.pointer, int(n))
                else:
                    status = self._make_many(int(n))
            finally:
                self._remember()
            if status == FAILED:
                raise SolveFailed(last_error())
        finally:
            self._worker = None
            self._lock.release()

    def _make_many(self, n: int) -> int:
        """Makes the steps in calls between which Ctrl-C is heard."""
        status, left = 0, n
        with Watching(False, "step") as watching:
            while left > 0 and status != FAILED and not watching.stopped:
                part = min(left, self._pace)
                begun = time.perf_counter()
                status = call("taut_stepper_step", self._handle.pointer, part)
                left -= part
                seconds = time.perf_counter() - begun
                self._pace = max(1, min(16 * part, int(0.05 * part / max(seconds, 1e-9))))
        if watching.interrupted and status != FAILED:
            raise Interrupted(f"stopped after {n - left} of {n} steps: the stepper stands at t = {self.t:g}")
        return status

    @property
    def summary(self) -> "Dict[str, Any]":
        """Steps, energies, residuals and iterations since the stepper was made or restarted."""
        self._begin()
        try:
            found: Dict[str, Any] = take_json("taut_stepper_summary", self._handle.pointer)
        finally:
            self._end()
        return found

    def save(self) -> bytes:
        """All that the next step depends on. :meth:`restore` goes on from there with the same bits."""
        data, size = c_void_p(), c_size_t()
        self._begin()
        try:
            self._take_changes()
            call("taut_stepper_save", self._handle.pointer, byref(data), byref(size))
        finally:
            self._end()
        try:
            return ctypes.string_at(data, size.value)
        finally:
            library().taut_free(data)

    def restore(self, state: bytes) -> None:
        """Goes back to a state of :meth:`save`. Bytes that are damaged, or of another model or method, are refused."""
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise ModelError(f"restore({state!r}): the bytes that save() gave are wanted")
        saved = bytes(state)
        self._begin()
        try:
            call("taut_stepper_restore", self._handle.pointer, saved, len(saved))
            self._remember()
        finally:
            self._end()

    def __reduce__(self) -> Any:
        from .pickling import packed_stepper, restore

        return restore, ("stepper", *packed_stepper(self))

    def __repr__(self) -> str:
        s = self.summary
        return f"<a stepper: {s.get('method')}, step {s.get('step'):g}, {s.get('steps')} steps, t = {self.t:g}>"
