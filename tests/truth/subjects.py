"""What is looked at. Each subject takes the number of a case, and returns its outcome and the files that
show a failure.
"""
import compare
import examples
import exports
import files
import generate
import particle_generate
from selftest import self_test  # noqa: F401
from shrink import particle_candidates, shrunk


def formulas(number, program, backends):
    model = generate.model(number)
    outcome = compare.check(model, program, backends)
    if not outcome.failed():
        return outcome, {}
    small = shrunk(model, outcome, lambda candidate: compare.check(candidate, program, backends))
    return outcome, {"model.toml": model.text(), "shrunk.toml": small.text()}


def starts(number, program, backends):
    """The models of `formulas` before their first step: H and lambda at the start, and the projected start."""
    model = generate.model(number)
    model.steps = 0
    outcome = compare.check(model, program, backends)
    return outcome, {"model.toml": model.text()} if outcome.failed() else {}


def particles(number, program, backends):
    model = particle_generate.model(number)
    outcome = compare.check(model, program, backends)
    if not outcome.failed():
        return outcome, {}
    small = shrunk(
        model, outcome, lambda candidate: compare.check(candidate, program, backends), particle_candidates
    )
    return outcome, {"model.toml": model.text(), "shrunk.toml": small.text()}


SUBJECTS = {
    "formulas": formulas,
    "starts": starts,
    "particles": particles,
    "examples": examples.check,
    "exports": exports.check,
    "files": files.check,
}


def default_count(what):
    """All examples, and a hundred of what there is no end of."""
    return len(list(examples.examples())) if what == "examples" else 100
