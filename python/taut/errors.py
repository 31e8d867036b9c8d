"""What taut raises. Every message is the sentence that the program would print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from .result import Failure

__all__ = ["TautError", "LibraryMissing", "ModelError", "TracingError", "SolveFailed", "Interrupted"]


class TautError(Exception):
    """The base of all errors of this package."""


class LibraryMissing(TautError, ImportError):
    """libtaut.so was not found, or it does not fit this package."""


class ModelError(TautError, ValueError):
    """The input is wrong: a model, an option, a start. Errors in a text keep their ``file:line:column``."""


class TracingError(ModelError, TypeError):
    """A Python function did something that no formula can say, such as a branch on a value."""


class SolveFailed(TautError, RuntimeError):
    """A run ended before its time. ``result`` holds what there is up to the last good step: a Result, an Ensemble of which
    all trajectories failed, or None if nothing had begun.

    >>> import taut
    >>> try:
    ...     taut.Model("pendulum").run(step=3.0, until=30.0)
    ... except taut.SolveFailed as failed:
    ...     print(failed.failure.kind, failed.failure.stage, len(failed.result.t))
    not-converged position 1
    """

    def __init__(self, sentence: str, result: Any = None):
        super().__init__(sentence)
        self.result = result

    @property
    def failure(self) -> "Optional[Failure]":
        """What failed, where, and how far off."""
        found: Optional[Failure] = getattr(self.result, "failure", None)
        return found


class Interrupted(TautError, KeyboardInterrupt):
    """Ctrl-C stopped a run after its step. ``result`` holds what there is up to there: a Result, an Ensemble, or None if it
    had not begun."""

    def __init__(self, sentence: str, result: Any = None):
        super().__init__(sentence)
        self.result = result
