"""Lagrangians, and functions that are called for real."""

import math
import threading

import numpy as np
import pytest

import taut
from taut.formula import Graph, text_of
from taut.legendre import derivative
from taut.parse import parse

ROD = "(x^2 + y^2 - 1)/2"
COMMON = dict(coordinates="x y", parameters={"g": 1.0}, start={"x": 1.0})


@pytest.mark.parametrize("text", [
    "x^3*sin(2*x)/(1 + y^2)", "sqrt(1 + x^2)*exp(-x)", "log(2 + cos(x))", "atan2(y, x)*tan(x/3)", "asin(x/3) - acos(x/4)",
    "sinh(x)*cosh(x) - tanh(x)", "atan(x)^2", "abs(x - 2)", "(1 + x)^(y/2)", "2^x - -x"])
def test_derivatives_agree_with_differences(text):
    slope = text_of(derivative(parse(text, Graph()), "x")).replace("^", "**")
    names = {**vars(math), "abs": abs}

    def f(x):
        return eval(text.replace("^", "**"), {**names, "x": x, "y": 0.7})

    for x in (0.3, 0.9):
        wanted = (f(x + 1e-5) - f(x - 1e-5)) / 2e-5
        assert eval(slope, {**names, "x": x, "y": 0.7}) == pytest.approx(wanted, rel=1e-8)


def test_a_natural_lagrangian_is_mass_and_potential():
    model = taut.Model(coordinates="x y", lagrangian="m*(v_x^2 + v_y^2)/2 - m*g*y", constraints=[ROD],
                       parameters={"m": 2.0, "g": 9.81}, start={"x": 1.0, "v_y": 0.5})
    assert model.description["form"] == "natural" and model.start[1].tolist() == [0.0, 1.0]
    assert "rattle" in model.methods
    assert model.H([1.0, 0.5], [1.0, 2.0]) == pytest.approx(5/4 + 2*9.81*0.5, rel=1e-15)


def test_the_double_pendulum_in_angles_agrees_with_rods():
    # The same mechanism twice: two angles and a mass that depends on them, and four coordinates with two rods.
    angles = taut.Model(coordinates="a b", lagrangian=lambda q, v: (
        v[0]**2 + v[1]**2/2 + v[0]*v[1]*np.cos(q[0] - q[1]) + 2*np.cos(q[0]) + np.cos(q[1])),
        start={"a": 0.5, "b": 1.0, "v_a": 0.3})
    rods = taut.Model(coordinates="x1 y1 x2 y2", mass=1.0, potential="y1 + y2",
                      constraints=["(x1^2 + y1^2 - 1)/2", "((x2 - x1)^2 + (y2 - y1)^2 - 1)/2"])
    at = np.array([math.sin(0.5), -math.cos(0.5)])
    second = at + [math.sin(1.0), -math.cos(1.0)]
    speed = 0.3*np.array([math.cos(0.5), math.sin(0.5)])
    start = ([*at, *second], [*speed, *speed])
    a = angles.run("lobatto(4)", step=0.02, until=5.0).q[-1]
    q = rods.run("lobatto(4)", step=0.02, until=5.0, start=start, project_start=True).q[-1]
    assert q[:2] == pytest.approx([math.sin(a[0]), -math.cos(a[0])], abs=1e-8)
    assert q[2:] - q[:2] == pytest.approx([math.sin(a[1]), -math.cos(a[1])], abs=1e-8)


@pytest.mark.parametrize("wrong, words", [
    (dict(coordinates="x", lagrangian="v_x^4"), "second degree"),
    (dict(coordinates="x y", lagrangian="v_x^2/2 + y*v_x"), "does not depend on every velocity"),
    (dict(coordinates="x", lagrangian="v_x^2/2", mass=1.0), "leave out"),
    (dict(coordinates="x", lagrangian="v_x^2/2", start={"v_x": 1.0, "p_x": 1.0}), "not both"),
    (dict(coordinates="x", mass=1.0, potential="x", callback=True), "no function was given"),
    (dict(coordinates="x", mass=1.0, potential=lambda q: q[0], grad_V=lambda q: [1.0]), "callback=True"),
    (dict(coordinates="x", mass=1.0, potential=lambda q: q[0], G=lambda q: [1.0], callback=True), "given as a formula"),
    (dict(coordinates="x y", mass=1.0, potential="x", constraints=["x", lambda q: q[1]], callback=True), "all functions, or all formulas"),
    (dict(coordinates="x", mass=1.0, potential="x", constraints=lambda q: [q[0], q[0]], callback=True), "at most as many"),
])
def test_what_makes_no_sense_is_refused_in_words(wrong, words):
    with pytest.raises(taut.ModelError, match=words):
        taut.Model(**wrong)


def test_functions_with_their_gradients_give_the_bits_of_the_formulas():
    formulas = taut.Model(mass=1.0, potential="g*y", constraints=[ROD], **COMMON)
    functions = taut.Model(mass=1.0, potential=lambda q, g: g*q[1], grad_V=lambda q, g: [0.0, g],
                           constraints=lambda q: (q[0]*q[0] + q[1]*q[1] - 1)/2, G=lambda q: q, callback=True, **COMMON)
    for method in ("rattle", "shake", "yoshida4", "lobatto(3)"):
        a, b = (m.run(method, step=0.05, steps=100) for m in (formulas, functions))
        assert np.abs(a.q - b.q).max() < 1e-14 and np.abs(a.p - b.p).max() < 1e-14, method
        assert np.abs(a.multipliers - b.multipliers).max() < 1e-9  # second derivatives of g are differences
    assert (formulas.run("rattle", step=0.05, steps=100).q == functions.run("rattle", step=0.05, steps=100).q).all()
    assert functions.run(steps=1, step=0.1).summary["backend"] == "interpreted by Python"


def test_functions_without_gradients_come_near():
    formulas = taut.Model(hamiltonian="sqrt(1 + p_x^2 + p_y^2) + g*y", constraints=[ROD], **COMMON)
    functions = taut.Model(hamiltonian=lambda q, p, g: math.sqrt(1 + p[0]**2 + p[1]**2) + g*q[1],
                           constraints=[lambda q: (q @ q - 1)/2], callback=True, **COMMON)
    for method in ("midpoint", "lobatto(3)"):
        a, b = (m.run(method, step=0.05, steps=20) for m in (formulas, functions))
        assert np.abs(a.q - b.q).max() < 1e-8, method


def test_a_branch_that_no_formula_has():
    # A free flight against a linear spring: for half a period, pi, it turns the momentum round exactly.
    model = taut.Model(coordinates="x", mass=1.0, potential=lambda q: q[0]**2/2 if q[0] < 0 else 0.0,
                       start={"x": 1.0, "p_x": -1.0}, callback=True)
    r = model.run("verlet", step=0.001, until=2.0 + math.pi)
    assert r["p_x"][-1] == pytest.approx(1.0, abs=1e-5) and r["x"][-1] == pytest.approx(1.0, abs=1e-3)


def test_an_error_of_a_function_comes_out_as_it_is():
    calls = []

    def V(q):
        calls.append(1)
        if len(calls) > 100:
            raise ZeroDivisionError("mine")
        return q[1]

    model = taut.Model(coordinates="x y", mass=1.0, potential=V, constraints=[ROD], start={"x": 1.0}, callback=True)
    with pytest.raises(ZeroDivisionError, match="mine"):
        model.run("rattle", step=0.1, steps=10**6)
    with pytest.raises(taut.ModelError, match="gave 2 numbers where 1"):
        taut.Model(coordinates="x", mass=1.0, potential=lambda q: [1.0, 2.0], callback=True).run("verlet", step=0.1, steps=1)


def test_what_functions_cannot_do_is_refused_in_words():
    model = taut.Model(mass=1.0, potential=lambda q, g: g*q[1], constraints=[ROD], callback=True, **COMMON)
    for call, words in ((lambda: model.run(backend="compile"), "cannot be compiled"),
                        (lambda: model.run(precision="quad"), "double precision"),
                        (lambda: model.run(out="nowhere"), "resume"),
                        (lambda: model.run(parameters={"g": 2.0}), "another model"),
                        (lambda: model.ensemble(vary={"p_y": [0.0, 0.1]}), "no ensembles"),
                        (model.to_toml, "no text"), (model.to_sympy, "no text"), (model.__reduce__, "no text")):
        with pytest.raises(taut.ModelError, match=words):
            call()


def test_two_threads_call_their_own_functions():
    found = {}

    def work(g):
        model = taut.Model(coordinates="x y", mass=1.0, potential=lambda q: g*q[1], grad_V=lambda q: [0.0, g],
                           constraints=[ROD], start={"x": 1.0}, callback=True)
        found[g] = model.run("rattle", step=0.01, steps=500).q

    threads = [threading.Thread(target=work, args=(g,)) for g in (1.0, 2.0)]
    [t.start() for t in threads], [t.join() for t in threads]
    for g, q in found.items():
        formulas = taut.Model(mass=1.0, potential="g*y", constraints=[ROD], coordinates="x y", parameters={"g": g},
                              start={"x": 1.0})
        assert (formulas.run("rattle", step=0.01, steps=500).q == q).all()
