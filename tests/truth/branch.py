"""Follows a solution of the equations of a step from h = 0, where it is the state itself, towards h.

A root that is found for h, and to which this way does not lead, belongs to another branch of solutions: the one
of the step turned round before h. No method is asked for such a root.
"""
from arithmetic import NoValue
from linear import Singular
from newton import NoSolution, size_of
from stages import FieldStep, descent

NONE = (NoSolution, NoValue, Singular, OverflowError, ZeroDivisionError)


def follow(residual_at, z, h, goal):
    """The part of h that is reached; z solves residual_at(0)."""
    before, now, t, portion = None, list(z), 0.0, 1 / 64
    while t < 1:
        portion = min(portion, 1 - t)
        if portion < 1e-7:
            return t
        guess = now
        if before:
            guess = [b + (b - a) * portion / (t - before[0]) for a, b in zip(before[1], now)]
        try:
            found = descent(residual_at((t + portion) * h), list(guess), goal)
            if size_of([a - b for a, b in zip(found, guess)]) > 0.05 * (1 + size_of(found)):
                raise NoSolution("it is far from where the last ones lead")
        except NONE:
            portion /= 2
            continue
        before, now = (t, now), found
        t += portion
        portion *= 1.5
    return 1


def reached(step, s, q, p, h):
    """The part of h to which the solution of one step is followed; 1 if this kind of step is not."""
    if isinstance(step, FieldStep):
        rest = (q + p) * step.tableau.s + [0.0] * (s.m if step.lands else 0)
        return follow(lambda t: step.residual(s, q, p, t), rest, h, 1e-5)
    if hasattr(step, "step"):
        inner = step.step
        return follow(lambda t: inner.residual(s, q, p, t), inner.guess(s, q, p, 0.0), h, 1e-7)
    return 1


def least_reached(step, s, q, p, h):
    """The same for a composition: the least part of one of its substeps, up to the first that fails."""
    for sub, part in getattr(step, "steps", [(step, 1)]):
        so_far = reached(sub, s, q, p, part * h)
        if so_far < 1:
            return so_far
        q, p = sub.make(s, q, p, part * h)
    return 1
