"""What a user sees while something runs, and Ctrl-C."""

from __future__ import annotations

import atexit
import signal
import sys
import threading
import time
import weakref
from ctypes import byref, c_int, c_void_p
from types import FrameType
from typing import Any, Callable, List, Optional, Union

from ._library import FAILED, INT_POINTER, NOTE, PROGRESS, STOPPED, Watch, call, last_error, taken
from .errors import Interrupted, ModelError, SolveFailed

__all__ = ["Progress", "Watching", "watched_text"]

#: None: shown if a run takes more than a second; True: at once; False: never; or a function of (fraction, seconds left).
Progress = Union[None, bool, Callable[[float, Optional[float]], Any]]

_QUIET_SECONDS = 1.0


def _clock(seconds: Optional[float]) -> str:
    if seconds is None:
        return ""
    if seconds < 90:
        return f", {seconds:.0f} s left"
    return f", {seconds / 60:.0f} min left" if seconds < 5400 else f", {seconds / 3600:.1f} h left"


def _in_notebook() -> bool:
    shell: Any = sys.modules.get("IPython")
    if shell is None:
        return False
    running = shell.get_ipython()
    return running is not None and hasattr(running, "kernel")


class _Line:
    """One line that is written over: on a terminal by a carriage return, in a notebook by a display handle."""

    def __init__(self, always: bool):
        self._notebook = _in_notebook()
        self._shown = always or self._notebook or sys.stderr is not None and sys.stderr.isatty()
        self._display: Any = None
        self._width = 0

    def show(self, text: str) -> None:
        if not self._shown:
            return
        if self._notebook:
            from IPython.display import display

            box = {"text/plain": text}
            if self._display is None:
                self._display = display(box, raw=True, display_id=True)
            else:
                self._display.update(box, raw=True)
        else:
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
        self._width = len(text)

    def clear(self) -> None:
        if not self._width:
            return
        if self._notebook:
            self._display.update({"text/plain": ""}, raw=True)
        else:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


#: What is open, in all threads. A thread that Python leaves behind at its end must not call it any more.
_open: "weakref.WeakSet[Watching]" = weakref.WeakSet()
_SECONDS_AT_THE_END = 5.0


@atexit.register
def _end_all() -> None:
    for one in list(_open):
        one.leave()
    until = time.monotonic() + _SECONDS_AT_THE_END
    while _open and time.monotonic() < until:
        time.sleep(0.001)


class Watching:
    """Holds the watch of one call of the library. Use it as a context; then ask ``interrupted``.

    While it is open, Ctrl-C sets the flag of the watch, so that the library ends after its step.
    """

    def __init__(self, progress: Progress, what: str):
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise ModelError(f"progress is {progress!r}; it is True, False, or a function of (fraction, seconds left)")
        self._progress = progress
        self._what = what
        self._line = None if progress is False or callable(progress) else _Line(progress is True)
        self._begun = time.monotonic()
        self._stop = c_int(0)
        self._replaced: Any = None
        self._hook: Any = None
        self.notes: List[str] = []
        self.interrupted = False
        self.error: Optional[BaseException] = None
        self._functions = (PROGRESS(self._tell), NOTE(self._note))
        self.watch = Watch(None, self._functions[0], self._functions[1], INT_POINTER(self._stop))

    def _tell(self, _: Any, done: int, wanted: int, left: float) -> None:
        try:
            fraction = done / wanted if wanted > 0 else 0.0
            seconds_left = left if left >= 0 else None
            if callable(self._progress):
                self._progress(fraction, seconds_left)
            elif self._line is not None and (self._progress or time.monotonic() - self._begun > _QUIET_SECONDS):
                part = f"{100 * fraction:3.0f} %{_clock(seconds_left)}" if wanted > 0 else "at work"
                self._line.show(f"{self._what}: {part}")
        except BaseException as error:  # it must not cross the border; __exit__ raises it
            self.error = error
            self._stop.value = 1

    def _note(self, _: Any, sentence: bytes) -> None:
        self.notes.append(sentence.decode("utf-8", "replace"))

    def stop(self) -> None:
        """Ends what is watched after its step."""
        self._stop.value = 1

    @property
    def stopped(self) -> bool:
        """Whether what is watched is to end."""
        return bool(self._stop.value)

    def leave(self) -> None:
        """Ends the thread of what is watched too, without a word."""
        self.error = SystemExit()
        self.stop()

    def _on_lost(self, lost: Any) -> None:
        """Takes the error of a signal's handler that came before the first line of a function that the library called:
        no `try` of this package holds it, and ctypes reports it as one that nobody can have."""
        if lost.exc_value is None or "ctypes callback" not in (lost.err_msg or ""):
            self._hook(lost)
            return
        self.error = lost.exc_value
        self.stop()

    def _on_signal(self, number: int, frame: Optional[FrameType]) -> None:
        self.interrupted = True
        self._stop.value = 1

    def __enter__(self) -> "Watching":
        _open.add(self)
        # Handlers run in the main thread. One of the caller's own is left alone; _tell or _on_lost notices what it raises.
        if threading.current_thread() is threading.main_thread():
            self._hook, sys.unraisablehook = sys.unraisablehook, self._on_lost
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                self._replaced = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        _open.discard(self)
        if self._hook is not None:
            sys.unraisablehook = self._hook
        if self._replaced is not None:
            signal.signal(signal.SIGINT, self._replaced)
        if self._line is not None:
            self._line.clear()
        if isinstance(self.error, KeyboardInterrupt):
            self.interrupted, self.error = True, None
        error, self.error = self.error, None
        if error is not None:
            raise error


def watched_text(progress: Progress, what: str, name: str, *arguments: Any) -> bytes:
    """The text that a function hands out behind a watch. Ctrl-C and a failure are exceptions without a result."""
    text = c_void_p()
    with Watching(progress, what) as watching:
        status = call(name, *arguments, byref(watching.watch), byref(text))
    sentence = last_error() if status in (FAILED, STOPPED) else ""
    found = taken(text)
    if watching.interrupted:
        raise Interrupted(sentence or f"{what} was stopped at its end")
    if status in (FAILED, STOPPED):
        raise SolveFailed(sentence)
    return found
