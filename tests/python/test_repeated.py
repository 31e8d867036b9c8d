"""A run is repeated from what its summary, its folder or its description says of it, whatever was asked."""

import json
import pathlib
import re

import numpy as np
import pytest

import taut

OWN_METHOD = """
[parameters]
L = 1.0
[system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["(x^2 + y^2 - L^2)/2"]
[initial]
x = "L"
[methods.mine]
composition = [0.5, 0.5]
[run]
method = "rattle"
step = 0.01
steps = 500
"""
DECLARED = {"coordinates": "x y", "potential": "y", "mass": [1.0, 1.0], "constraints": ["(x^2 + y^2 - 1)/2"],
            "start": {"x": 1.0}}

# One or more options together, so that each changes something: model, options.
ASKED = {
    "method": ("pendulum", {"method": "yoshida4", "steps": 40}),
    "formulation": ("pendulum", {"method": "rk4", "formulation": "dirac", "steps": 40}),
    "projection": ("pendulum", {"method": "rk4", "projection": {"kind": "both", "tolerance": 1e-6}, "steps": 200}),
    "projection-tolerance": ("pendulum", {"method": "rk4", "projection": "position", "projection_tolerance": 1e-5, "steps": 200}),
    "step": ("pendulum", {"step": 0.03, "steps": 40}),
    "steps": ("pendulum", {"steps": 37}),
    "until": ("pendulum", {"until": 1.234}),
    "every": ("pendulum", {"steps": 40, "every": 3}),
    "time-transform": ("pendulum", {"method": "lobatto(2)", "time_transform": "x^2 + y^2 + 0.1", "step": 0.02, "until": 2.0}),
    "tolerance": ("double-pendulum", {"tolerance": 1e-3, "steps": 40}),
    "solver": ("double-pendulum", {"solver": "symmetric", "steps": 40}),
    "backend": ("pendulum", {"backend": "interpret", "steps": 40}),
    "precision": ("pendulum", {"precision": "long", "steps": 40}),
    "threads": ("lennard-jones-chain", {"threads": 2, "steps": 5}),
    "project-start": ("pendulum", {"set": {"x": 1.001}, "project_start": True, "steps": 40}),
    "plain-updates": ("pendulum", {"plain_updates": True, "steps": 400}),
    "on-failure": ("pendulum", {"on_failure": "halve", "steps": 40}),
    "on-jump": ("pendulum", {"on_jump": "warn", "steps": 40}),
    "lambda": ("pendulum", {"method": "lobatto(3)", "lambda": "stage", "steps": 40}),
    "local-error": ("pendulum", {"method": "bdf-variable(3)", "local_error": "estimate", "until": 0.5}),
    "first-guess": ("double-pendulum", {"method": "rattle", "first_guess": "multiplier", "tolerance": 1e-4, "steps": 40}),
    "stop-rule": ("double-pendulum", {"method": "rattle", "stop_rule": "change", "tolerance": 1e-4, "steps": 40}),
    "error-tolerance": ("pendulum", {"method": "bdf-variable(3)", "error_tolerance": 1e-4, "until": 0.5}),
    "step-function": ("kepler-on-sphere", {"method": "adaptive(kahan-li8)", "step_function": "x^2 + y^2 + 0.1", "step": 0.02,
                                           "until": 2.0}),
    "shortest-step": ("kepler-on-sphere", {"method": "adaptive(kahan-li8)", "shortest_step": 1e-7, "step": 0.02, "until": 1.0}),
    "longest-step": ("kepler-on-sphere", {"method": "adaptive(kahan-li8)", "longest_step": 10.0, "step": 0.02, "until": 1.0}),
    "interval": ("kepler-on-sphere", {"method": "adaptive(kahan-li8)", "interval": 0.25, "step": 0.02, "until": 1.0}),
    "events": ("pendulum", {"events": [{"when": "x", "do": "record"}, "when=y, do=stop"], "until": 9.0}),
    "at": ("pendulum", {"at": [0.123, 0.456], "steps": 40}),
    "set": ("pendulum", {"set": {"L": 2.0}, "steps": 40}),
    "quantities": ("pendulum", {"quantities": {"height": "L + y"}, "steps": 40}),
    "start": ("pendulum", {"start": {"x": 0.0, "y": -1.0, "p_x": 0.3, "p_y": 0.0}, "steps": 40}),
}
# Where the samples go, and what is kept of them, is not the run.
ELSEWHERE = {"out", "overwrite", "format", "checkpoint-every", "samples"}


def test_every_option_is_tried():
    """The options are those of the table of the C interface."""
    table = (pathlib.Path(__file__).parents[2] / "src/taut/capi/options.cpp").read_text().partition("takers() {")[2]
    known = set(re.findall(r'^      \{"([a-z-]+)",', table, re.MULTILINE))
    assert known >= {"method", "first-guess", "time-transform", "start", "at"}
    assert known - ELSEWHERE == set(ASKED)


def same(a, b):
    assert np.array_equal(a.t, b.t) and np.array_equal(a.q, b.q) and np.array_equal(a.p, b.p)
    assert a.columns == b.columns
    for name in a.columns["columns"]:
        assert np.array_equal(a[name], b[name], equal_nan=True), name
    gone = ("seconds", "steps_per_second")
    assert {k: v for k, v in a.summary.items() if k not in gone} == {k: v for k, v in b.summary.items() if k not in gone}


@pytest.mark.parametrize("option", sorted(ASKED))
def test_a_run_is_repeated_from_its_summary(option, tmp_path):
    name, asked = ASKED[option]
    first = taut.Model(name).run(**asked)
    options = json.loads(json.dumps(first.summary["options"]))
    said = {**options, **options.get("set", {}), "backend": first.summary["backend"]}
    for key, value in asked.items():
        word = key.replace("_", "-")
        there = {"quantities": "quantities.height", "set": "set",
                 "projection-tolerance": "projection"}.get(word, word)
        assert there in said, f"{word} is lost: {options}"
    same(first, taut.Model(name).run(**options))
    if option != "start":  # a run in a folder begins where its model says
        taut.Model(name).run(**asked, out=tmp_path / "out")
        kept = json.loads((tmp_path / "out" / "summary.json").read_text())
        assert kept["options"] == options


def test_a_method_of_the_model_is_repeated():
    model = taut.Model(text=OWN_METHOD)
    for asked in ({"method": "mine"}, {"method": "yoshida4(mine)"}, {"method": "own=composition(0.25, 0.5, 0.25)"}):
        first = model.run(**asked)
        same(first, taut.Model(text=OWN_METHOD).run(**first.summary["options"]))


RUNS = [
    {"method": "rattle", "step": 0.02, "steps": 50, "first-guess": "quadratic", "stop-rule": "change", "tolerance": 1e-4},
    {"method": "lobatto(2)", "step": 0.02, "until": 1.0, "time-transform": "x^2 + 0.5"},
    {"method": "bdf-variable(3)", "step": 0.001, "until": 0.5, "error-tolerance": 1e-4},
    {"method": "rattle", "step": 0.02, "steps": 50, "at": [0.123, 0.25]},
    {"method": "rk4", "step": 0.02, "steps": 50, "formulation": "underlying",
     "projection": {"kind": "both", "tolerance": 1e-6}},
    {"method": "adaptive(kahan-li8)", "step": 0.02, "until": 1.0, "step-function": "x^2 + 0.5", "longest-step": 1.0},
]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run["method"])
def test_what_a_model_says_of_its_run_is_in_its_description(run):
    said = {key: value for key, value in run.items() if key != "tolerance"}
    model = taut.Model(**DECLARED, run=said)
    described = model.description["run"]
    for key, value in said.items():
        assert described[key] == value or key.endswith(("function", "transform")), described
    back = taut.Model(**model.to_sympy()._asdict())
    more = {"tolerance": run["tolerance"]} if "tolerance" in run else {}
    a, b = model.run(**more), back.run(**more)
    np.testing.assert_allclose(b.q, a.q, rtol=0, atol=1e-9)
    for key in said:
        assert key in back.description["run"], key
