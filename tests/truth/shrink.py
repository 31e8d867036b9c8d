"""Makes a model that fails smaller while it fails in the same way."""
import copy
import re
import time

from arithmetic import Digits, NoValue
from evaluate import function_of
from formula import children, names, parse, replaced, size, text_of
from linear import Singular
from newton import NoSolution
from system import System
from well_posed import Unfit, tangent


def same_failure(a, b):
    """The same kind, and for a refusal the same words apart from places and numbers."""
    words = lambda note: re.sub(r"[^a-z ]+", "", note.lower().split(". ")[0])[-60:]
    return a.kind == b.kind and (a.kind == "differ" or words(a.note) == words(b.note))


def shrunk(model, outcome, check, candidates=None, seconds=90):
    """check(model) gives an Outcome. Returns the smallest model that was found in the time."""
    end = time.monotonic() + seconds
    smaller = True
    while smaller and time.monotonic() < end:
        smaller = False
        for candidate in (candidates or formula_candidates)(model):
            if time.monotonic() > end:
                break
            try:
                repaired = repair(candidate) if candidates is None else candidate
                if same_failure(check(repaired), outcome):
                    model, smaller = repaired, True
                    break
            except (NoValue, NoSolution, Singular, Unfit, KeyError, OverflowError, IndexError):
                continue
    return model


def formula_candidates(model):
    for change in (
        fewer_steps,
        plain_title,
        without_constraint,
        without_term,
        without_coordinate,
        without_parameter,
        plain_mass,
        smaller_formula,
        plain_start,
    ):
        yield from change(model)


def fewer_steps(model):
    if model.options:
        yield changed(model, options=[])
    if model.project:
        yield changed(model, project=False)
    if model.steps > 1:
        yield changed(model, steps=1)


def plain_title(model):
    if model.title:
        yield changed(model, title="")


def changed(model, **fields):
    made = copy.deepcopy(model)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def without_constraint(model):
    for k in range(len(model.constraints)):
        yield changed(model, constraints=model.constraints[:k] + model.constraints[k + 1 :])


def without_term(model):
    for key, terms in model.potentials.items():
        for k in range(len(terms)):
            made = copy.deepcopy(model)
            del made.potentials[key][k]
            yield made


def with_values(model, table):
    """All formulas, with names replaced by numbers."""
    table = {name: parse("(" + str(value) + ")") for name, value in table.items()}
    made = copy.deepcopy(model)
    write = lambda text: text_of(replaced(parse(text), table)) if names(parse(text)) & set(table) else text
    made.constraints = [write(text) for text in model.constraints]
    made.potentials = {key: [write(text) for text in terms] for key, terms in model.potentials.items()}
    return made


def without_coordinate(model):
    if len(model.coordinates) < 2:
        return
    for k, name in enumerate(model.coordinates):
        momentum = "p_" + name
        made = with_values(
            model, {name: model.initial.get(name, "0"), momentum: model.initial.get(momentum, "0")}
        )
        del made.coordinates[k]
        made.initial.pop(name, None)
        made.initial.pop(momentum, None)
        if isinstance(made.mass, list):
            del made.mass[k]
            for row in made.mass:
                if isinstance(row, list):
                    del row[k]
        yield made


def without_parameter(model):
    for name, value in model.parameters.items():
        if any(name in names(parse(str(other))) for other in model.parameters.values()):
            continue
        made = with_values(model, {name: value})
        del made.parameters[name]
        yield made


def plain_mass(model):
    if model.mass is not None and model.mass != "1":
        yield changed(model, mass="1")


def smaller_trees(tree):
    """The tree with one of its parts replaced by a child of that part, or by 1."""
    for child in children(tree):
        yield child
    if size(tree) > 1:
        yield ("number", "1")
    first = 2 if tree[0] == "call" else 1
    for k, child in enumerate(children(tree)):
        for smaller in smaller_trees(child):
            yield tree[: first + k] + (smaller,) + tree[first + k + 1 :]


def smaller_formula(model):
    for key, terms in model.potentials.items():
        for k, text in enumerate(terms):
            for tree in smaller_trees(parse(text)):
                made = copy.deepcopy(model)
                made.potentials[key][k] = text_of(tree)
                yield made
    for k, text in enumerate(model.constraints):
        for tree in smaller_trees(parse(text)):
            made = copy.deepcopy(model)
            made.constraints[k] = text_of(tree)
            yield made


def plain_start(model):
    for name, value in model.initial.items():
        for digits in (0, 1):
            if len(str(value)) > 4 and not name.startswith("p_"):
                made = copy.deepcopy(model)
                made.initial[name] = repr(round(float(value), digits))
                yield made


def repair(model):
    """Moves the constants of the constraints and the momenta so that the start is consistent again."""
    made = copy.deepcopy(model)
    s = System(made.text(), Digits)
    place = dict(s.known)
    place.update((name, Digits.number(float(made.initial.get(name, 0)))) for name in made.coordinates)
    for k, text in enumerate([] if made.project else made.constraints):
        off = function_of(parse(text), place, Digits)([])
        if abs(off) > 1e-12:
            made.constraints[k] = "(%s) - (%r)" % (text, float(off))
    if not made.project:
        tangent(made)
    return made


def particle_candidates(model):
    """Fewer steps, fewer tables, fewer keys, fewer terms of a table, the last particle left out."""
    yield from fewer_steps(model)
    if model.box:
        yield changed(model, box=None)
    for name in ("mass", "velocity"):
        if getattr(model, name) is not None:
            yield changed(model, **{name: None})
    for k, table in enumerate(model.tables):
        yield changed(model, tables=model.tables[:k] + model.tables[k + 1 :])
        for key in table.keys:
            made = copy.deepcopy(model)
            del made.tables[k].keys[key]
            yield made
        if (
            isinstance(table.keys.get("between"), list)
            and len(table.keys["between"]) > 1
            and "for" not in table.keys
        ):
            made = copy.deepcopy(model)
            made.tables[k].keys["between"].pop()
            yield made
    if model.lattice:
        yield changed(model, lattice=None)
    elif model.count > 1:
        made = changed(model, count=model.count - 1)
        made.position.pop()
        for listed in (made.velocity, made.mass if isinstance(made.mass, list) else None):
            if listed:
                listed.pop()
        yield made
