"""Says whether the equations of a step at which the program gave up have a solution."""
import os
import re

from arithmetic import Floats, NoValue
from branch import least_reached
from evaluate import function_of
from formula import parse
from half_explicit import HalfExplicit, HalfExplicitEuler
from linear import Singular
from multistep import Multistep
from newton import NoSolution
from stages import BdfStep, FieldStep, StageStep, dirac_field, solution, underlying_field
from steps import Impulse, Midpoint, MixedMidpoint, Rattle, Step, SymplecticEuler
from system import System, plus

FOLDER = os.path.dirname(os.path.abspath(__file__))
# The coefficients of compositions are data, so they may come from the program's own table.
METHODS = os.path.join(FOLDER, "..", "..", "src", "taut", "method")
TABLE = os.path.join(METHODS, "composition_table.hpp")


class DriftAndKick(Step):
    """The adjoint of SymplecticEuler."""

    def equations(self, s, q, p, h, z):
        q1 = plus(q, s.velocity(p), h)
        return [], q1, plus(p, s.slope_of_V(q1), -h)


class Landing:
    """A map under two impulses: its unknowns are its own, then mu and nu."""

    def __init__(self, step):
        self.step = step

    def make(self, s, q, p, h):
        residual = self.step.residual(s, q, p, h)
        middle = self.step.inner([a + h / 2 * v for a, v in zip(q, s.H_p(q, p))], p)
        guesses = [self.step.guess(s, q, p, h), middle + [0.0] * (2 * s.m)]
        return self.step.state(s, q, p, h, solution(residual, guesses))


class Twice(Landing):
    """shake-velocity finds the impulse of the next step ahead."""

    def make(self, s, q, p, h):
        return super().make(s, *super().make(s, q, p, h), h)


class Composition:
    def __init__(self, steps):
        self.steps = steps

    def make(self, s, q, p, h):
        for step, part in self.steps:
            q, p = step.make(s, q, p, part * h)
        return q, p


def composition(name):
    with open(TABLE, encoding="utf-8") as file:
        text = file.read()
    row = re.search(r'CompositionScheme\{"%s",\s*\d+,\s*(\d+),\s*composition_digits::(\w+),[^}]*(true|false)\}'
                    % re.escape(name), text)  # fmt: skip
    if not row:
        return None
    stages, alternates = int(row[1]), row[3] == "true"
    digits = re.search(r"> %s = \{([^}]*)\}" % row[2], text)[1]
    half = [float(value) for value in re.findall(r'"([^"]+)"', digits)]
    size = 2 * stages if alternates else stages
    parts = half + half[: size - len(half)][::-1]
    if alternates:
        kinds = [Landing(DriftAndKick()), Landing(SymplecticEuler())]
        return Composition([(kinds[k % 2], part) for k, part in enumerate(parts)])
    return Composition([(Landing(Rattle()), part) for part in parts])


STAGES = {
    "lobatto": lambda s: StageStep("lobatto", s),
    "radau": lambda s: StageStep("radau", s),
    "radau-projected": lambda s: StageStep("radau", s, True),
    "gauss-projected": lambda s: StageStep("gauss", s, True),
    "gauss-unprojected": lambda s: StageStep("gauss", s),
    "gauss": lambda s: FieldStep(s, underlying_field),
    "dirac-gauss": lambda s: FieldStep(s, dirac_field, True),
    "impulse": lambda k: Landing(Impulse(k)),
    "half-explicit": HalfExplicit,
}
OTHERS = {
    "shake": Landing(Rattle()),
    "shake(two-step)": Landing(Rattle()),
    "shake-velocity": Twice(Rattle()),
    "rattle": Landing(Rattle()),
    "verlet": Landing(Rattle()),
    "symplectic-euler": Landing(SymplecticEuler()),
    "midpoint": Landing(Midpoint()),
    "mixed-midpoint": Landing(MixedMidpoint()),
    "implicit-midpoint": STAGES["gauss"](1),
    "hem": HalfExplicitEuler(),
}


def step_of(method):
    if method in OTHERS:
        return OTHERS[method]
    numbered = re.fullmatch(r"([a-z0-9-]+)\((\d+)\)", method)
    return STAGES[numbered[1]](int(numbered[2])) if numbered else composition(method)


def number(text, value):
    """A number of a model file, which may be a formula of its parameters."""
    if isinstance(value, str):
        return float(function_of(parse(value), System(text, Floats).known, Floats)([]))
    return float(value)


def verdict(cell, made):
    """`false` if a solution was found from the state after the last step that was made, `elsewhere` if it is
    not the one that leads back to the state as h vanishes.
    """
    s = System(cell.text, Floats)
    try:
        if cell.method.startswith("bdf("):
            bdf(cell, s, int(cell.method[4:-1]), made)
        elif cell.method.startswith("multistep"):
            off = multistep_off(cell, s, made)
            if off > 1e-8:
                return "elsewhere", "(rounding has grown: the points before it are %.1e from those of the program)" % off
        elif cell.method.startswith("bdf-variable"):
            # Its steps may be as short as they must: its equations, those of an Euler step, are then solvable.
            (state,) = cell.states(made, 1)
            STAGES["radau"](1).make(s, *state, cell.step / 2**20)
        else:
            (state,) = cell.states(made, 1)
            step = step_of(cell.method)
            step.make(s, *state, cell.step)
            so_far = least_reached(step, s, *state, cell.step)
            if so_far < 1:
                return "elsewhere", "(a root of another branch: that of the step ends at %.2f h)" % so_far
        return "false", "(a solution was found)"
    except (NoSolution, NoValue, Singular, OverflowError, ZeroDivisionError) as error:
        return "unsolvable", "(%s)" % error


def multistep_off(cell, s, made):
    """Makes the step that failed from points of our own. Returns how far these are from those of the program."""
    k = int(cell.method[len("multistep") :])
    states = cell.states(0, 1) + cell.states(made, 1)
    points = Multistep(k, os.path.join(METHODS, "multistep", "table.hpp")).make(s, *states[0], cell.step, made + 1)
    behind = points[-(k // 2 + 2)]  # the program shows the point in the middle of the formula
    return max(abs(a - b) / (1 + abs(b)) for a, b in zip(behind, states[1][0]))


def bdf(cell, s, k, made):
    """The first k - 1 steps are those of lobatto(5), or of radau(5)."""
    if made >= k - 1:
        BdfStep(k).make(s, cell.states(made, k), cell.step)
    else:
        (state,) = cell.states(made, 1)
        StageStep("radau", 5).make(s, *state, cell.step)
