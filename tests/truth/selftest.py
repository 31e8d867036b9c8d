"""The oracle must see errors: the program gets another model than the oracle, and each change has to be found."""
import copy

import compare
import generate


def changed_constant(model):
    """H of the program has one more term, of the size of a thousandth."""
    key = next(iter(model.potentials))
    model.potentials[key].append("0.001*" + model.coordinates[0])


def changed_sign(model):
    key = next(iter(model.potentials))
    model.potentials[key][0] = "-(" + model.potentials[key][0] + ")"


def changed_step(model):
    model.step = "(" + model.step + ")*(1 + 1e-7)"


def changed_start(model):
    """A momentum along the constraints, or across them, that differs in its tenth digit."""
    name = "p_" + model.coordinates[-1]
    model.initial[name] = repr(float(model.initial[name]) + 1e-10)


def seen(model, change, program):
    """Whether the comparison finds that the program has run a changed model."""
    other = copy.deepcopy(model)
    change(other)
    return compare.check(other, program, ["interpret"], compare.oracle_answer(model)).kind


def self_test(program):
    """Each change must be found in nearly all models; the few are those that do not depend on what was changed."""
    good = True
    for change in (changed_constant, changed_sign, changed_step, changed_start):
        kinds = []
        for number in range(7000, 7040):
            model = generate.model(number)
            if compare.check(model, program, ["interpret"]).kind == "agree":
                kinds.append(seen(model, change, program))
        found = sum(kind != "agree" for kind in kinds)
        print("%s: found in %d of %d models" % (change.__name__.replace("_", " "), found, len(kinds)))
        good = good and found >= 0.9 * len(kinds) > 0
    return 0 if good else 1
