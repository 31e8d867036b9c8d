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


def test_a_mass_may_be_a_function_of_q():
    def mass(q, m1, m2):
        c = m2*np.cos(q[0] - q[1])
        return [[m1 + m2, c], [c, m2]]

    common = dict(coordinates="a b", potential="-2*cos(a) - cos(b)", parameters={"m1": 1.0, "m2": 1.0}, start={"a": 0.5})
    text = taut.Model(mass=[["m1 + m2", "m2*cos(a - b)"], ["m2*cos(a - b)", "m2"]], **common)
    traced = taut.Model(mass=mass, **common)
    assert (traced.run("lobatto(3)", step=0.01, steps=200).q == text.run("lobatto(3)", step=0.01, steps=200).q).all()
    one = taut.Model(coordinates="x", mass=lambda q: 1 + q[0]**2, potential="x^2", start={"x": 1.0})
    assert one.H([2.0], [5.0]) == pytest.approx(25/10 + 4, rel=1e-15)
    each = taut.Model(coordinates="x y", mass=lambda q: [1 + q[1]**2, 2.0], potential="x", start={"x": 1.0})
    assert each.H([0.0, 1.0], [2.0, 2.0]) == pytest.approx(4/4 + 4/4, rel=1e-15)
    constant = taut.Model(coordinates="x y", mass=lambda m1, m2: [m1, m2], potential="x", parameters={"m1": 2.0, "m2": 3.0})
    assert constant.description["form"] == "natural"
    with pytest.raises(taut.ModelError, match="gives 3 formulas; 1, 2 or 2 rows of 2"):
        taut.Model(coordinates="x y", mass=lambda q: [1.0, q[0], 1.0], potential="x")


def test_functions_may_ask_for_the_time():
    common = dict(coordinates="x y", mass=1.0, parameters={"omega": 1.5}, start={"x": 1.0, "v_y": 1.5})
    text = taut.Model(potential="y*cos(t)", constraints=["x*sin(omega*t) - y*cos(omega*t)"], **common)
    traced = taut.Model(potential=lambda q, t: q[1]*np.cos(t),
                        constraints=lambda q, t, omega: q[0]*np.sin(omega*t) - q[1]*np.cos(omega*t), **common)
    assert (traced.run("lobatto(3)", step=0.01, steps=200).q == text.run("lobatto(3)", step=0.01, steps=200).q).all()
    # A parameter of that name is the parameter; so is a coordinate.
    own = taut.Model(coordinates="x", mass=1.0, potential=lambda q, t: t*q[0], parameters={"t": 3.0}, start={"x": 1.0})
    assert own.coordinates == ["x"] and own.H([2.0], [0.0]) == 6.0
    energy = taut.Model(coordinates="x", hamiltonian=lambda q, p, t: p[0]**2/2 + q[0]*t, start={"x": 1.0})
    assert energy.coordinates == ["x", "time"]
    pushed = taut.Model(coordinates="x", lagrangian=lambda q, v, t: v[0]**2/2 + t*v[0] + q[0]*v[0], start={"x": 2.0, "v_x": 1.0})
    assert pushed.start[1][0] == 3.0  # p = v + t + x at t = 0
    assert pushed.run("lobatto(3)", step=0.1, steps=1, start={"v_x": 2.0}).p[0][0] == 4.0
    with pytest.raises(taut.ModelError, match="`t` would be the time"):
        taut.Model(coordinates="x", mass=1.0, potential=lambda q, t: q[0], callback=True).H([1.0], [0.0])
    with pytest.raises(taut.ModelError, match="neither q, p nor a parameter"):
        taut.Model(coordinates="x", mass=1.0, potential=lambda q, w: q[0])


def test_kinetic_energies_forces_and_events_come_from_python_too():
    def drag(q, v, t, c):
        return np.cos(t) - c*v[0]

    common = dict(coordinates="a", potential="-cos(a)", parameters={"c": 0.1}, start={"a": -0.5, "v_a": 0.2})
    made = taut.Model(kinetic=lambda q, v: v[0]**2/2, forces={"a": drag},
                      events=[{"when": lambda q: q[0], "direction": "up", "name": "through"}, "when=atan2(a, 2) - 9, do=stop"], **common)
    text = taut.Model(text='''[parameters]
c = 0.1
[system]
coordinates = ["a"]
kinetic = "v_a*v_a/2"
potential = "-cos(a)"
[[forces]]
on = "a"
force = "cos(t) - c*v_a"
[[events]]
when = "a"
direction = "up"
name = "through"
[[events]]
when = "atan2(a, 2) - 9"
do = "stop"
[initial]
a = -0.5
v_a = 0.2
''')
    a, b = (model.run("lobatto(3)", step=0.02, steps=500) for model in (made, text))
    np.testing.assert_allclose(a.q, b.q, rtol=0, atol=1e-13)
    assert a.summary["work"] == pytest.approx(b.summary["work"], abs=1e-12) and abs(a.summary["work"]) > 1e-3
    assert len(a.events) == len(b.events) > 0 and a.events[0]["name"] == "through"
    damped, forced = (taut.Model(coordinates="x", mass=2.0, potential="x^2/2", start={"x": 1.0}, parameters={"c": 0.3}, **one)
                      .run("lobatto(3)", step=0.02, steps=50).q for one in (dict(damping={"x": "c"}), dict(forces={"x": "-c*p_x"})))
    np.testing.assert_allclose(damped, forced, rtol=0, atol=1e-15)
    listed = taut.Model(kinetic="v_a^2/2", forces=[{"on": "a", "force": "cos(t)"}, {"on": "a", "force": drag}], **common)
    assert [force["on"] for force in listed.description["forces"]] == ["a", "a"]
    for wrong, words in ((dict(forces=["a"], mass=1.0, potential="a"), "is no force"), (dict(forces={"b": "1"}, mass=1.0, potential="a"), "`b`"),
                         (dict(damping=3, mass=1.0, potential="a"), "is no damping"), (dict(damping={"b": 1}, mass=1.0, potential="a"), "`b`"),
                         (dict(events=[3], mass=1.0, potential="a"), "no event"),
                         (dict(kinetic="v_a^2/2", lagrangian="v_a^2/2"), "leave out"),
                         (dict(forces={"a": "1"}, mass=1.0, potential=lambda q: q[0], callback=True), "do not go together"),
                         (dict(forces={"a": lambda q, p: p[0]}, mass=1.0, potential="a"), "neither q, v nor a parameter")):
        with pytest.raises(taut.ModelError, match=words):
            taut.Model(coordinates="a", **wrong)
    with pytest.raises(taut.ModelError, match="belongs to a model that is made from coordinates="):
        taut.Model("pendulum", forces={"x": "1"})
