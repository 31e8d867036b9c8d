"""Functions and SymPy expressions become formulas with the same values."""

import glob
import math
import os
import random
import re

import numpy as np
import pytest
import sympy
from conftest import ROOT
from hypothesis import given, settings, strategies as st

import taut
from taut.formula import Graph, text_of, write_texts
from taut.parse import parse, parse_value
from taut.symbolic import from_sympy
from taut.trace import trace

EXAMPLES = sorted(glob.glob(os.path.join(ROOT, "examples", "*.toml")))


def value_of(text, x, y):
    """The value of a formula by Python's own rules, which share no code with the reader of the package."""
    return eval(text.replace("^", "**"), {"x": x, "y": y, "pi": math.pi, **vars(math)})


def traced(function):
    graph = Graph()
    return trace(function, graph, ["x", "y"], ["p_x", "p_y"], ["L"], "hamiltonian", True)


def test_operators_and_functions_of_numpy():
    def f(q, p):
        x, y = q
        return (-x**2/(2*y) + np.sin(q).sum() + np.float64(2)*np.arctan2(y, x) - (x - (y + 1))
                + np.hypot(x, y) + 2**-x + np.array([1.0, 2.0]) @ (q*x) + np.linalg.norm([3, 4]))

    text = text_of(traced(f)[0])
    for x, y in ((0.3, 0.7), (1.7, 2.5)):
        assert value_of(text, x, y) == pytest.approx(f(np.array([x, y]), None), rel=1e-15)


expressions = st.recursive(
    st.sampled_from(["x", "y"]) | st.floats(0.1, 9).map(repr) | st.integers(1, 9).map(str),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})")
    | inner.map(lambda a: f"(-{a})") | inner.map(lambda a: f"({a}^2)") | inner.map(lambda a: f"sin({a})"), max_leaves=12)


@settings(max_examples=150, deadline=None)
@given(expressions)
def test_texts_keep_their_values(source):
    once = text_of(parse(source, Graph()))
    assert text_of(parse(once, Graph())) == once
    try:
        wanted = value_of(source, 0.37, 1.9)
    except (ZeroDivisionError, OverflowError):
        return
    assert value_of(once, 0.37, 1.9) == wanted


@pytest.mark.parametrize("function, words", [
    (lambda q, p: math.sin(q[0]), "numpy"),
    (lambda q, p: 1 if q[0] > 0 else 0, "branches on a value: `x > 0`"),
    (lambda q, p: np.where(q > 0, q, 1).sum(), "branches"),
    (lambda q, p: max(q[0], q[1]), "branches"),
    (lambda q, p: np.log1p(q[0]), "numpy.log(1 + x)"),
    (lambda q, p: q[0] % 2, "not smooth"),
    (lambda q, p: None, "returned nothing"),
    (lambda q, p: "abc", "no formula"),
    (lambda q, p: float("nan"), "nan"),
])
def test_what_no_formula_can_say_is_refused_in_words(function, words):
    with pytest.raises(taut.TracingError) as caught:
        traced(function)
    assert words in str(caught.value)


def test_shared_parts_get_names_and_long_sums_do_not_recurse():
    def f(q, p):
        r = np.sqrt(q[0]**2 + q[1]**2 + q[0]*q[1] + 1)
        return r + 1/r + r**3

    definitions, texts = write_texts(traced(f), ["part_1"])
    assert [name for name, _ in definitions] == ["part_2"] and texts[0].count("part_2") == 3
    assert text_of(traced(lambda q, p: sum(q[0]*k for k in range(1, 5001)))[0]).count("+") == 4999


def test_sympy_keeps_quotients_and_names_what_it_refuses():
    x, y = sympy.symbols("x y")
    assert text_of(from_sympy(sympy.Rational(1, 3)*x, Graph(), "H")) == "x/3"
    with pytest.raises(taut.ModelError, match="Piecewise"):
        from_sympy(x + sympy.Piecewise((x, x > 0), (0, True)), Graph(), "H")
    with pytest.raises(taut.ModelError, match="plain symbol"):
        from_sympy(sympy.Function("x")(y), Graph(), "H")
    for unfinished in (sympy.Integral(sympy.sin(x), x), sympy.Derivative(sympy.sin(x), x)):
        with pytest.raises(taut.ModelError, match="doit"):
            from_sympy(unfinished, Graph(), "H")
        from_sympy(unfinished.doit(), Graph(), "H")


def test_functions_of_the_time_are_coordinates_and_their_derivatives_velocities():
    from sympy.physics.mechanics import dynamicsymbols

    a, b, va, vb = *dynamicsymbols("a b"), *dynamicsymbols("a b", 1)
    g = sympy.Symbol("g")
    L = va**2 + vb**2/2 + va*vb*sympy.cos(a - b) + 2*g*sympy.cos(a) + g*sympy.cos(b)
    made = taut.Model(coordinates=[a, b], lagrangian=L, parameters={g: 1}, start={a: 0.5, b: 1, va: 0.3})
    text = taut.Model(coordinates="a b", lagrangian="v_a^2 + v_b^2/2 + v_a*v_b*cos(a - b) + 2*g*cos(a) + g*cos(b)",
                      parameters={"g": 1}, start={"a": 0.5, "b": 1, "v_a": 0.3})
    np.testing.assert_allclose(made.start, text.start, rtol=1e-15)
    q, p = [0.3, 0.7], [0.2, 0.1]
    assert made.H(q, p) == pytest.approx(text.H(q, p), rel=1e-14)
    matrix = taut.Model(coordinates=[a, b], mass=1, potential=b, constraints=sympy.Matrix([a**2 + b**2 - 1]), start={a: 1})
    assert matrix.g([2.0, 0.0]).tolist() == [3.0]
    with pytest.raises(taut.ModelError, match="doit"):
        taut.Model(coordinates=[a], lagrangian=va.diff(sympy.Symbol("t")))


@pytest.mark.filterwarnings("ignore:elementwise comparison failed")
@pytest.mark.parametrize("branch", [
    lambda q: np.where(q == 0, 1, q).sum(), lambda q: q[0] if np.array_equal(q, [0, 0]) else q[1],
    lambda q: q[0] if (q != 0).all() else q[1], lambda q: np.sinc(q[0])])
def test_a_branch_whose_error_somebody_swallows_is_an_error(branch):
    # NumPy before 1.25 takes an error inside `array == 0` for False.
    with pytest.raises(taut.TracingError, match="branches on a value: `x [!=]= 0"):
        taut.Model(coordinates="x y", mass=1.0, potential=branch, start={"x": 0.3})
    with pytest.raises(taut.TracingError, match="`mass` may be a function of q"):
        taut.Model(coordinates="x y", mass=1.0, potential=lambda q: np.linalg.solve(np.eye(2), q)[0])
    with pytest.raises(taut.ModelError, match="q\\[0\\] is x, q\\[1\\] is y"):
        taut.Model(coordinates="x y", mass=1.0, potential=lambda x, y: x*y)


@pytest.mark.parametrize("path", EXAMPLES, ids=os.path.basename)
def test_every_example_goes_to_text_and_to_sympy_and_back(path):
    model = taut.Model(path)
    again = taut.Model(text=model.to_toml(), folder=os.path.dirname(path))
    assert again.description["start"] == model.description["start"]
    if model.description["particles"]:
        with pytest.raises(taut.ModelError, match="particles"):
            model.to_sympy()
        return
    back = taut.Model(**model.to_sympy()._asdict())
    assert back.coordinates == model.coordinates
    rng = random.Random(1)
    q0, p0 = model.start
    q = q0 + np.array([rng.uniform(-0.1, 0.1) for _ in q0])
    p = p0 + np.array([rng.uniform(-0.1, 0.1) for _ in q0])
    assert back.H(q, p) == pytest.approx(model.H(q, p), rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(back.g(q), model.g(q), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(back.G(q), model.G(q), rtol=1e-12, atol=1e-12)
    for key in ("quantities", "events"):
        assert len(back.description[key]) == len(model.description[key])
    asked, had = ({**one.description["run"], "every": 0, "step-function": 0} for one in (back, model))
    assert model.description["form"] == "split" or asked == had
    assert back.description["velocity_constraints"] == model.description["velocity_constraints"]
    if model.description["velocity_constraints"]:  # whose rows G does not have by itself
        a, b = (one.run(steps=20, every=1) for one in (model, back))
        np.testing.assert_allclose(b.q, a.q, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(b.p, a.p, rtol=1e-11, atol=1e-11)
        free = taut.Model(**model.to_sympy()._replace(velocity_constraints=[], run={"step": 0.01, "steps": 20})._asdict())
        assert np.abs(free.run("lobatto(3)", every=1).q[-1] - a.q[-1]).max() > 1e-6
    if model.description["forces"]:  # which H does not know
        method, step = (model.description["run"][key] for key in ("method", "step"))
        a, b = (one.run(method, step, steps=20, every=1) for one in (model, back))
        np.testing.assert_allclose(b.q, a.q, rtol=1e-12, atol=1e-12)
        assert abs(a.summary["work"]) > 1e-6


def test_vectors_and_matrices_are_read_as_the_library_reads_them():
    definitions = {
        "r": "[x, y, a*x]", "M": "[[x, 2, 3], [4, y, 6], [7, 8, a]]", "N": "[[1, x], [y, 2], [3, a]]",
        "w": "-cross(r, M[2])/a + 2*r - M*r", "n": "norm(w)", "s": "[N[1], N[2]]",
    }
    formulas = ["dot(w, r)", "n^2*norm(r)^2", "(M*N)[2][1] + transpose(N)[2][3]", "(transpose(N)*w)[2]", "cross(N[1], N[3])",
                "s[2][1] - (r + [0, 1, 2])[3]^2", "norm([3*x, -4*x])", "(M - transpose(M)/2)[3][2]", "dot(s*[x, 1], [1, y])"]
    model = taut.Model(coordinates="x y", mass=1, potential="x", definitions=definitions, parameters={"a": 1.5},
                       quantities={f"q_{k}": text for k, text in enumerate(formulas)}, start={"x": 0.3, "y": 0.7})
    there = model.run("verlet", step=0.01, steps=1, every=1)
    symbolic, values = model.to_sympy(), {"a": 1.5, "x": 0.3, "y": 0.7}
    for k in range(len(formulas)):
        expression = symbolic.quantities[f"q_{k}"]
        here = float(expression.subs({symbol: values[symbol.name] for symbol in expression.free_symbols}))
        assert here == pytest.approx(there[f"q_{k}"][0], rel=1e-14), formulas[k]
    listed = taut.Model(coordinates="x y", lagrangian="dot(v, v)/2 - norm(r)", start={"x": 1.0},
                        definitions={"v": ["v_x", "v_y"], "r": ["x", "y"]})
    assert listed.H([3.0, 4.0], [1.0, 2.0]) == pytest.approx(7.5, rel=1e-15)


@pytest.mark.parametrize("text, words", [
    ("r", "a vector of 2; here a number is wanted"), ("[1]", "at least two"), ("r[3]", "from 1 to 2"), ("r[x]", "from 1 to 2"),
    ("x[1]", "no components"), ("r + 1", "a vector of 2 and a number"), ("r*r", "`*` is not defined"), ("sin(r)", "numbers only"),
    ("dot(r, [1, 2, 3])", "a vector of 3"), ("transpose(r)", "of a matrix"), ("norm(x)", "a number"), ("[x, r]", "differ"),
    ("cross([1, 2, 3, 4], [1, 2, 3, 4])", "`cross`"), ("norm(r, r)", "takes 1"), ("r[1", "too early"), ("2^r", "not defined"),
])
def test_what_is_no_number_in_the_end_is_refused(text, words):
    graph = Graph()
    with pytest.raises(taut.ModelError, match=re.escape(words)):
        parse(text, graph, {"r": parse_value("[x, 2*x]", graph)})


def test_what_an_author_wrote_is_typeset_as_it_was_written():
    shown = taut.Model("governor")._repr_latex_()
    # The model has a T and a V of its own, and no L.
    assert "L &= T - V" in shown and "F_{\\phi} &= \\mathrm{torque}" in shown and "V &= -2 \\, m" in shown
    shown = taut.Model("foucault-pendulum")._repr_latex_()
    assert "\\mathcal{L} &= \\frac{{v_{x}}^{2}" in shown and "0 &= \\frac{{x}^{2} + {y}^{2} + {z}^{2} - {L}^{2}}{2}" in shown
    shown = taut.Model("car-axis")._repr_latex_()
    assert "\\mathcal{M} &= \\frac{{\\epsilon}^{2} \\, M}{2}" in shown and "\\sin\\left(\\omega \\, t\\right)" in shown
    assert "M &= \\begin{pmatrix} m_{1}" in taut.Model("squeezing-mechanism")._repr_latex_()
    rolling = taut.Model(text="""
definitions = { v = ["v_x", "v_y"], e = "[[1, 2], 3*[x, y]]" }
initial = { y = 1.0 }
[system]
coordinates = ["x", "y"]
lagrangian = "dot(v, v)/2 - norm(e[2])"
velocity-constraints = ["v[1] = x*v_y"]
""")._repr_latex_()
    assert "L &= \\frac{{v}_{[1]} \\, {v}_{[1]} + {v}_{[2]} \\, {v}_{[2]}}{2} - \\sqrt{" in rolling
    assert "0 &= {v}_{[1]} - x \\, v_{y}" in rolling and "v &= \\begin{pmatrix} v_{x} \\\\ v_{y} \\end{pmatrix}" in rolling
    assert "e &= \\begin{pmatrix} 1 & 2 \\\\ 3 \\, x & 3 \\, y \\end{pmatrix}" in rolling
    damped = taut.Model(text='[system]\ncoordinates = ["x"]\nmass = 2\npotential = "x^2"\n[damping]\nx = "1 + 1"\n')
    assert "F_{x} &= -\\left(1 + 1\\right) \\, p_{x}" in damped._repr_latex_()
    for path in EXAMPLES:
        model = taut.Model(path)
        assert model.description["particles"] == (model._repr_latex_() is None), path


def test_greek_letters_are_names():
    angle, omega = sympy.symbols("θ ω")
    model = taut.Model(coordinates=[angle, "φ"], mass=1, potential=-omega**2 * sympy.cos(angle), start={angle: 1, "v_φ": 0.5},
                       parameters={omega: 2}, quantities={"Λ": "p_φ*π"}, run={"step": 0.01, "steps": 10})
    shown = model._repr_latex_()
    assert "\\theta" in shown and "\\omega" in shown
    assert '"ω" = ' in model.to_toml()  # every reader of TOML takes it so
    run = model.run()
    assert run.summary["quantities"]["Λ"] == pytest.approx(0.5 * np.pi, abs=1e-15)
    back = taut.Model(**model.to_sympy()._asdict())
    assert (back.run().q == run.q).all()
    other = taut.Model(text=model.to_toml(), parameters={"ω": 3})
    assert other.parameters["ω"] == 3 and other.to_toml().count("ω") == model.to_toml().count("ω")
    with pytest.raises(taut.ModelError, match="cannot be a name"):
        taut.Model(coordinates=[sympy.Symbol("é")], mass=1, potential="0")


def test_settings_stand_in_the_text(pendulum):
    text = taut.Model("pendulum", parameters={"L": 2.0}, start={"p_y": 0.25}, set={"run.steps": 7}).to_toml()
    moving = taut.Model(text=taut.Model("pendulum", start={"v_y": 0.25}).to_toml())
    assert moving.start[1].tolist() == [0.0, 0.25] and "v_y" not in moving.parameters
    again = taut.Model(text=text)
    assert again.parameters["L"] == 2.0 and again.start[1][1] == 0.25 and again.description["run"]["steps"] == 7
