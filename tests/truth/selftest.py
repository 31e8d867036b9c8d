"""The oracle must see errors: the program gets another model than the oracle, and each change has to be
found.
"""
import copy
import platform
import subprocess

import compare
import exports
import files
import foreign
import generate
import particle_generate
import readers
from arithmetic import Digits, NoValue
from newton import NoSolution
from particle_system import ParticleSystem
from program import fused_in


def changed_force(model):
    """H of the program has one more term, of the size of a thousandth."""
    key = next(iter(model.potentials))
    model.potentials[key].append("0.001*" + model.coordinates[0])


def changed_sign(model):
    key = next(iter(model.potentials))
    model.potentials[key][0] = "-(" + model.potentials[key][0] + ") + 1e-3"


def changed_step(model):
    model.step = "(" + model.step + ")*(1 + 1e-7)"


def changed_start(model):
    """A momentum that differs in its tenth digit."""
    name = "p_" + model.coordinates[-1]
    model.initial[name] = repr(float(model.initial[name]) + 1e-10)


def changed_mass(model):
    mass = ParticleSystem(model.text(), Digits).mass
    model.mass = [repr(float(m) * (1 + 1e-6)) for m in mass]


def changed_place(model):
    model.position[0][0] = repr(float(model.position[0][0]) + 1e-10)


def changed_potential(model):
    """The first potential that is a formula becomes larger by a part in a million."""
    for table in model.tables:
        if table.name != "surface" and "potential" in table.keys:
            table.keys["potential"] = "1.000001*(" + table.keys["potential"] + ")"
            return
    changed_place(model)


CHANGES = (
    (generate, (changed_force, changed_sign, changed_step, changed_start)),
    (particle_generate, (changed_mass, changed_place, changed_potential)),
)


def compared(models, numbers, program):
    """Models that agree, each with the oracle's answer."""
    for number in numbers:
        model = models.model(number)
        try:
            expected = compare.oracle_answer(model)
        except (NoValue, NoSolution):
            continue
        if compare.check(model, program, ["interpret"], expected).kind == "agree":
            yield model, expected


def found_in(model, expected, change, program):
    other = copy.deepcopy(model)
    change(other)
    return compare.check(other, program, ["interpret"], expected).kind != "agree"


def self_test(program):
    """Each change must be found in nearly all models; the few are those that do not depend on what was
    changed.
    """
    good = True
    for models, changes in CHANGES:
        known = list(compared(models, range(7000, 7012), program))
        for change in changes:
            found = sum(found_in(model, expected, change, program) for model, expected in known)
            print(
                "%s of %s: found in %d of %d models"
                % (change.__name__.replace("_", " "), models.__name__, found, len(known))
            )
            good = good and found >= 0.8 * len(known) and len(known) >= 8
    for test in (damaged_exports, damaged_file, fused_unit):
        seen = test(program)
        print("%s: %s" % (test.__name__.replace("_", " "), "found" if seen else "not found"))
        good = good and seen
    return 0 if good else 1


def damaged_exports(program):
    """Each export is compared with rows of which one number differs in its last bit."""
    made, _, every = exports.model(7000)
    folder, columns, rows = exports.kept(program, made.text(), "binary", every)
    rows[1][1] += 2.0**-22 * max(1.0, abs(rows[1][1]))  # beyond the 32 bits of DCD
    samples = exports.Kept(ParticleSystem(made.text(), Digits), columns, rows)
    for check in exports.FORMATS:
        try:
            check(program, folder, samples)
            return False
        except (exports.Wrong, readers.Damaged):
            continue
    return True


def damaged_file(program):
    """A file of particles in which two numbers are exchanged is seen, in every format."""
    kept = foreign.file_of
    seen = set()

    def exchanged(number):
        chance, form, content, text, name, keys = kept(number)
        content.position[0], content.position[1] = content.position[1], content.position[0]
        return chance, form, content, text, name, keys

    try:
        foreign.file_of = exchanged
        for number in range(7000, 7016):
            outcome, _ = files.check(number, program, [])
            if outcome.kind in ("differ", "refused", "stopped"):
                seen.add(kept(number)[1])
    finally:
        foreign.file_of = kept
    return seen == set(foreign.FORMATS)


def fused_unit(program):
    """A unit that was compiled with fused operations is seen, and one without them is none."""
    text = "double f(double a, double b, double c) { return a * b + c; }"
    found = []
    for contract in ("fast", "off"):
        unit = program.file("", contract + ".so")
        subprocess.run(
            ["g++", "-O2", "-ffp-contract=" + contract, "-shared", "-fPIC", "-x", "c++", "-", "-o", unit]
            + (["-mfma"] if platform.machine() == "x86_64" else []),
            input=text.encode(),
            check=True,
        )
        found.append(bool(fused_in(unit)))
    return found == [True, False]
