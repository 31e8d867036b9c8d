"""One model through the program and through the oracle."""
import dataclasses

from arithmetic import NoValue
from model import Model
from newton import NoSolution
from oracle import Oracle
from particle_model import ParticleModel
from particle_system import ParticleSystem
from program import fused_in

# Noise of the size of one rounding in each operation of H and g moves an answer by its spread. The program
# also rounds in its derivatives, which have more operations than the formulas, and in its solves. The largest
# difference that docs/guide/trust.md reports is below a tenth of this; a wrong formula is off by far more.
SPREADS = 1000
# An answer whose tolerance is beyond this part of its size says nothing.
WORTHLESS = 1e-5


@dataclasses.dataclass
class Difference:
    what: str
    backend: str
    expected: list
    found: list
    tolerance: float

    def sentence(self):
        return "%s differs (%s): expected %s, found %s, tolerance %.1e" % (
            self.what,
            self.backend,
            self.expected,
            self.found,
            self.tolerance,
        )


FAILURES = {"differ", "refused"}
# What the program says of such a method, and uses its compiled formulas, which are compared as well.
NEVER_SPECIALISED = "methods that integrate a formulation are not specialised"


@dataclasses.dataclass
class Outcome:
    """kind is one of

    agree      within the tolerance
    differ     not so
    refused    exit status 2: the program calls a valid model wrong
    stopped    exit status 1: the program says that a step could not be done
    lost       the oracle itself has no answer
    worthless  rounding alone may change the answer by more than WORTHLESS
    """

    kind: str
    note: str = ""
    worst: float = 0.0  # the largest difference in spreads

    def failed(self):
        return self.kind in FAILURES


def values_of(answer):
    return {
        "energy at the start": [answer["energy"]["initial"]],
        "q": answer["q"],
        "p": answer["p"],
        "energy at the end": [answer["energy"]["final"]],
        "lambda": answer["lambda"],
    }


def oracle_answer(model):
    if isinstance(model, ParticleModel):
        oracle = Oracle(model.text(), ParticleSystem)
    else:
        oracle = Oracle(model.text())
    h = oracle.step_of(model.step)
    q, p = oracle.start(model.project)
    return oracle.answer(oracle_method(model), h, model.steps, q, p)


def oracle_method(model):
    """rattle on a Hamiltonian that is natural in disguise is lobatto(2), which needs no mass matrix."""
    disguised = isinstance(model, Model) and model.mass is None
    return "lobatto(2)" if disguised and model.method == "rattle" else model.method


def judge(expected, found, backend):
    """The first difference, or none; the largest difference in spreads; whether the answer is worthless."""
    worst, worthless = 0.0, False
    for what, values in expected.values.items():
        spread, size = expected.spread[what]
        tolerance = SPREADS * spread
        if tolerance > WORTHLESS * max(size, 1e-3):
            worthless = True
            continue
        got = values_of(found)[what]
        if len(got) != len(values) or any(v is None for v in got):
            return Difference(what, backend, printed(values), got, tolerance), worst, worthless
        off = max((abs(float(a - b)) for a, b in zip(values, got)), default=0.0)
        worst = max(worst, off / spread if spread else 0.0)
        if not off <= tolerance:
            return Difference(what, backend, printed(values), got, tolerance), worst, worthless
    return None, worst, worthless


def printed(values):
    return [float(v) for v in values]


def check(model, program, backends, expected=None):
    """Compares all backends with the oracle, and the bits of interpret and compile with each other."""
    try:
        expected = expected or oracle_answer(model)
    except (NoValue, NoSolution) as error:
        return Outcome("lost", str(error))
    worst, worthless = 0.0, False
    for backend in backends:
        status, found, said = program.run(model.text(), "--backend", backend, *model.more_options())
        if status == 2 and "not finite at the start" in said and starts_at_zero(model):
            return Outcome(
                "lost", "a formula such as sqrt(x^4), which has no derivative by the rules at x = 0"
            )
        if status != 0 or found is None:
            kind = "stopped" if status == 1 and found is not None and "error" in found else "refused"
            return Outcome(kind, "exit %d: %s" % (status, said.strip()[:600]))
        if found["backend"] != backend and NEVER_SPECIALISED not in said:
            return Outcome("refused", "%s was used in place of %s: %s" % (found["backend"], backend, said))
        difference, off, useless = judge(expected, found, backend)
        worst, worthless = max(worst, off), worthless or useless
        if difference:
            return Outcome("differ", difference.sentence(), worst)
    if "specialise" in backends:
        fused = [name for unit in program.new_units() for name in fused_in(unit)]
        if fused or not program.looked_at:
            return Outcome("differ", "fused instructions, or no unit to look at: %s" % fused[:3])
    if "interpret" in backends and "compile" in backends:
        different = bits_that_differ(model, program)
        if different:
            return Outcome("differ", different)
    return Outcome("worthless" if worthless else "agree", "", worst)


def starts_at_zero(model):
    return isinstance(model, Model) and any(float(value) == 0 for value in model.initial.values())


def bits_that_differ(model, program):
    """Runs further by both backends, to the last bit and to the same end, good or bad."""
    ends = []
    for backend in ("interpret", "compile"):
        status, found, _ = program.run(
            model.text(), "--backend", backend, "--steps", "25", "--on-jump", "warn", *model.more_options()
        )
        for key in ("seconds", "steps_per_second", "backend"):
            found.pop(key, None)
        ends.append((status, found))
    if ends[0] == ends[1]:
        return ""
    return "interpret and compile differ in bits: %s and %s" % tuple(ends)
