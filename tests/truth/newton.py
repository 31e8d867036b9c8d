"""A plain damped Newton iteration with a Jacobian by differences: first in floats, then to the last of 30
digits.
"""
from arithmetic import Digits, NoValue
from linear import Singular, inverse


class NoSolution(Exception):
    """The equations of the oracle have no solution near by, or none that this iteration finds."""


def size_of(values):
    return max((abs(v) for v in values), default=0)


def jacobian(residual, z, at):
    little = 1e-4
    columns = []
    for k in range(len(z)):
        kept = z[k]
        z[k] = kept + little
        above = residual(z)
        z[k] = kept - little
        columns.append([(a - b) / (2 * little) for a, b in zip(above, residual(z))])
        z[k] = kept
    return inverse([list(row) for row in zip(*columns)]) if z else []


def in_floats(residual, z):
    """Returns a root good to some nine digits, and the inverse of the Jacobian there."""
    r = residual(z)
    for _ in range(25):
        J = jacobian(residual, z, r)
        step = product(J, r)
        damping = 1.0
        while damping > 1e-3:
            tried = [a - damping * b for a, b in zip(z, step)]
            try:
                found = residual(tried)
                if size_of(found) < size_of(r) or size_of(found) < 1e-11:
                    break
            except NoValue:
                pass
            damping /= 2
        else:
            break
        z, r = tried, found
        if size_of(step) < 1e-8 * (1 + size_of(z)):
            break
    if size_of(r) > 1e-6:
        raise NoSolution("residual %.1e" % size_of(r))
    return z, jacobian(residual, z, r)


def product(A, x):
    return [sum(a * b for a, b in zip(row, x)) for row in A]


def sharp_jacobian(residual, z):
    """The inverse Jacobian at z by differences of all digits, for equations that are too stiff for those of
    floats.
    """
    little = Digits.number("1e-20")
    at, columns = residual(z), []
    for k in range(len(z)):
        moved = z[:k] + [z[k] + little] + z[k + 1 :]
        columns.append([float((a - b) / little) for a, b in zip(residual(moved), at)])
    return inverse([list(row) for row in zip(*columns)])


def to_all_digits(residual, z, J, goal):
    """Corrects z by the given inverse Jacobian, or by a better one if that fails, until a correction is
    below the goal.
    """
    last, renewed = None, 0
    for _ in range(60):
        correction = product(J, [float(r) for r in residual(z)])
        moved = size_of(correction) / (1 + float(size_of(z)))
        if moved != moved or (last is not None and moved > 0.5 * last):
            if renewed == 8:
                break
            J, last, renewed = sharp_jacobian(residual, z), None, renewed + 1
            continue
        z = [a - Digits.number(c) for a, c in zip(z, correction)]
        if moved < goal:
            return z
        last = moved
    raise NoSolution("no more digits")


def find(residual_of, rough, exact, guess):
    """Solves residual_of(system)(z) = 0 for the exact system; also returns the inverse Jacobian."""
    try:
        z, J = in_floats(residual_of(rough), list(guess))
        return to_all_digits(residual_of(exact), [Digits.number(v) for v in z], J, 1e-22), J
    except (Singular, OverflowError) as error:
        raise NoSolution(str(error))
