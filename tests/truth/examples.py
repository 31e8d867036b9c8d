"""The models of examples/ that are made of formulas, as their authors wrote them, by several methods."""
import dataclasses
import glob
import os
import tomllib

import compare
from arithmetic import NoValue
from formula import names, parse
from newton import NoSolution
from oracle import Oracle
from steps import ANY, NATURAL
from system import is_natural

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


@dataclasses.dataclass
class Example:
    name: str
    content: str
    method: str
    step: str
    steps: int = 2
    project: bool = False

    def text(self):
        return self.content


def has_no_steps_here(tables):
    """Whether the oracle has no steps for the model: forces, time, or H made from a Lagrangian."""
    system = tables["system"]
    formulas = [*system.get("constraints", []), *tables.get("definitions", {}).values()]
    formulas += [system[k] for k in ("potential", "hamiltonian") if k in system]
    if "forces" in tables or "damping" in tables or not ("mass" in system or "hamiltonian" in system):
        return True
    return any("t" in names(parse(f)) for f in formulas)


def examples():
    """One case for each method that takes the model. Long chains are left to the particles, and what the oracle
    cannot step to the theorems.
    """
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.toml"))):
        with open(path, encoding="utf-8") as file:
            content = file.read()
        tables = tomllib.loads(content)
        if "system" not in tables or len(tables["system"]["coordinates"]) > 16:
            continue
        if has_no_steps_here(tables):
            continue
        for method in {**(NATURAL if is_natural(tables) else {}), **ANY}:
            yield Example(os.path.basename(path), content, method, str(tables["run"]["step"]))


def check(number, program, backends):
    """The number is one of the cases; beyond the last there are no others."""
    cases = list(examples())
    example = cases[number % 1000000 % len(cases)]
    try:
        oracle = Oracle(example.content)
        expected = oracle.answer(example.method, oracle.step_of(example.step), example.steps, *oracle.start())
    except (NoValue, NoSolution) as error:
        return compare.Outcome("lost", example.name + ", " + str(error)), {}
    options = ["--method", example.method, "--steps", str(example.steps), "--backend", backends[0]]
    status, found, said = program.run(example.content, *options)
    if status or found is None:
        return compare.Outcome("refused", "%s, %s: %s" % (example.name, example.method, said)), {}
    difference, worst, worthless = compare.judge(expected, found, example.name + ", " + example.method)
    if difference:
        return compare.Outcome("differ", difference.sentence()), {}
    return compare.Outcome("worthless" if worthless else "agree", "", worst), {}
