"""Models, runs and their arrays."""

import gc
import glob
import json
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import ROOT

import taut

EXAMPLES = sorted(os.path.basename(path)[:-5] for path in glob.glob(os.path.join(ROOT, "examples", "*.toml")))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_bits_as_the_program(name):
    printed = subprocess.run([os.environ["TAUT_PROGRAM"], "run", name, "--steps", "20", "--json"],
                             stdout=subprocess.PIPE, check=True).stdout
    wanted = json.loads(printed)
    r = taut.Model(name).run(steps=20)
    assert r.summary["q"] == wanted["q"] and r.summary["p"] == wanted["p"]
    n = len(wanted["q"])  # a model that depends on t has one coordinate more, `time`
    assert r.q[-1].tolist()[:n] == wanted["q"] and r.p[-1].tolist()[:n] == wanted["p"]


def test_arrays_are_views_that_keep_the_run_alive(pendulum):
    r = pendulum.run(steps=100, every=10)
    assert r.q.__array_interface__["data"] == r.q.__array_interface__["data"]
    assert r["x"].__array_interface__["data"][0] == r.q[:, 0].__array_interface__["data"][0]
    assert not r.q.flags.owndata and not r.q.flags.writeable
    q, copy = r.q, r.q.copy()
    del r
    gc.collect()
    [pendulum.run(steps=100, every=10) for _ in range(20)]
    assert (q == copy).all()


def test_a_traced_function_a_text_and_sympy_give_the_same_run():
    import sympy

    x, y, L = sympy.symbols("x y L")
    common = dict(coordinates="x y", mass=1.0, parameters={"L": 1.0}, start={"x": 1.0})
    runs = [taut.Model(potential=v, constraints=[g], **common).run(step=0.01, steps=200) for v, g in (
        ("y", "(x^2 + y^2 - L^2)/2"), (lambda q: q[1], lambda q, L: (q[0]**2 + q[1]**2 - L**2)/2),
        (y, (x**2 + y**2 - L**2)/2))]
    assert (runs[0].q == runs[1].q).all()
    assert np.abs(runs[0].q - runs[2].q).max() < 1e-12


def test_a_failed_run_carries_its_result(pendulum):
    with pytest.raises(taut.SolveFailed) as caught:
        pendulum.run(step=3.0, steps=10)
    assert caught.value.failure.kind and "step" in str(caught.value) and len(caught.value.result.t) >= 1


def test_wrong_input_is_refused_in_words(pendulum):
    with pytest.raises(taut.ModelError, match=r":\d+:\d+: unknown name `L0`"):
        taut.Model(text=pendulum.to_toml().replace("- L^2", "- L0^2"))
    for wrong, words in (({"method": "ratle"}, "rattle"), ({"stepp": 1}, "stepp"), ({"step": float("nan")}, "finite"),
                         ({"steps": 1, "until": 2.0}, "both"), ({"start": {"x": 0.5}}, "constraint"),
                         ({"start": ([1.0], [0.0])}, "coordinates"), ({"start": 7}, "pair")):
        with pytest.raises(taut.ModelError) as caught:
            pendulum.run(**wrong)
        assert words in str(caught.value)
    stepper = pendulum.stepper(step=0.1)
    for wrong in ("a", 1.5, -1, True, None, [1]):
        with pytest.raises(taut.ModelError, match="whole number of steps"):
            stepper.step(wrong)
    with pytest.raises(taut.ModelError):
        taut.Model("no-such-model")
    with pytest.raises(KeyError, match="no column `z`. There are t, energy, x, y, p_x, p_y"):
        pendulum.run(steps=1)["z"]


def test_events_are_where_formulas_cross_zero(pendulum):
    # From the side at rest, T/4 = K(1/sqrt 2) by Gauss: pi/2 over the arithmetic-geometric mean of 1 and 1/sqrt 2.
    quarter = 1.8540746773013719
    r = pendulum.run("kahan-li8", step=0.05, until=20.0, at=[0.12345, 2*quarter],
                     events=[{"when": lambda q: q[0], "direction": "down", "name": "low"}, "when=y - 2"])
    assert [row["name"] for row in r.events] == ["low"]*len(r.events)
    assert np.allclose([row["time"] for row in r.events], [quarter, 5*quarter, 9*quarter], atol=1e-9)
    assert np.allclose(r.at[1]["q"], [-1, 0], atol=1e-9)
    stopped = pendulum.run("kahan-li8", step=0.05, until=20.0, events="when=x, do=stop")
    assert abs(stopped.summary["time"] - quarter) < 1e-9 and len(stopped.events) == 1
    with pytest.raises(taut.ModelError, match="stepper does not look for events"):
        pendulum.stepper(events="when=x")


def test_steps_of_other_sizes_follow_a_function(pendulum):
    import sympy

    runs = [pendulum.run("adaptive(rattle)", step=0.05, until=3.0, interval=0.5, step_function=f)
            for f in ("1 + x^2", lambda q: 1 + q[0]**2, 1 + sympy.Symbol("x")**2)]
    assert runs[0].t.tolist() == pytest.approx([0, 0.5, 1, 1.5, 2, 2.5, 3], abs=1e-12)
    assert (runs[0].q == runs[1].q).all() and np.abs(runs[0].q - runs[2].q).max() < 1e-12


def test_a_start_may_be_arrays_formulas_and_velocities(pendulum):
    import sympy

    x, y = sympy.symbols("x y")
    for start, q, p in (({"q": [0.6, -0.8]}, [0.6, -0.8], [0, 0]), ({"p": np.array([0, 1.5])}, [1, 0], [0, 1.5]),
                        ({"x": "sin(0.3)", "y": "-cos(0.3)"}, [np.sin(0.3), -np.cos(0.3)], [0, 0]),
                        ({x: sympy.sqrt(2)/2, y: -sympy.sqrt(2)/2}, [0.5**0.5, -0.5**0.5], [0, 0]),
                        ({"v_y": 0.5}, [1, 0], [0, 0.5])):
        r = pendulum.run(steps=1, step=0.01, start=start)
        np.testing.assert_allclose(r.q[0], q, rtol=1e-15)
        np.testing.assert_allclose(r.p[0], p, rtol=1e-15)
    falling = taut.Model(coordinates="x y", lagrangian="(v_x^2 + v_y^2)/2 - y", constraints=["x^2 + y^2 - 1"],
                         start={"x": 0.6, "y": -0.8, "v_x": 0.8})
    assert falling.start[1].tolist() == pytest.approx([0.8, 0.6])  # the constraint says how y moves
    assert falling.run(steps=1, step=0.01, start={"v_x": 0.4}).p[0].tolist() == pytest.approx([0.4, 0.3])
    with pytest.raises(taut.ModelError, match="q has 1 numbers"):
        pendulum.run(steps=1, start={"q": [1.0]})


def test_a_thermostat_has_a_seed(pendulum):
    beads = taut.Model(text='[particles]\ndimension = 2\ncount = 3\nmass = 1.0\nposition = ["i", "0"]\n'
                       '[[rods]]\nbetween = ["i", "i+1"]\nfor = "i in 0..1"\n[thermostat]\ntemperature = 1.0\nfriction = 1.0\nseed = 3\n')
    ends = [beads.run(step=0.01, steps=20, seed=seed).q[-1].tolist() for seed in (None, 3, 4)]
    assert ends[0] == ends[1] != ends[2]
    with pytest.raises(taut.ModelError, match="draws no random numbers"):
        pendulum.run(steps=1, seed=3)


def test_an_event_may_be_its_formula_alone(pendulum):
    import sympy

    wanted = pendulum.run(step=0.05, until=3.0, events="when=x").events
    assert len(wanted) == 1
    for event in ("x", sympy.Symbol("x"), lambda q: q[0], ["x"]):
        assert pendulum.run(step=0.05, until=3.0, events=event).events == wanted
    assert pendulum.section(lambda q: q[0], step=0.05, until=3.0).t.tolist() == [wanted[0]["time"]]
    assert pendulum.run(step=0.05, until=3.0, at=1.5).at[0]["time"] == 1.5
    made = taut.Model(coordinates="x", mass=1.0, potential="x^2/2", start={"x": 1.0}, events="x")
    assert len(made.run("verlet", step=0.1, until=5.0).events) == 2


def test_all_digits_of_a_wide_run_are_there(pendulum, tmp_path):
    # The summary of the program has them; numbers of Python keep 17.
    r = pendulum.run(step=0.05, steps=10, precision="quad", out=tmp_path)
    digits = r.decimals["q"][0]
    assert float(digits) == r.summary["q"][0] and len(digits.as_tuple().digits) > 30
    assert pickle.loads(pickle.dumps(r)).decimals == r.decimals and taut.load(tmp_path).decimals["q"][0] == digits
    x, y = r.decimals["q"]
    assert abs(x*x + y*y - 1) < 1e-27


def test_tables_of_pandas_and_xarray(pendulum):
    e = pendulum.ensemble(q0=[[1.0, 0.0], [0.0, -1.0]], parameters={"gravity": [1.0, 2.0]}, step=0.05, steps=10, every=5)
    table, data = e.to_pandas(), e.to_xarray()
    assert set(table.columns[:3]) == {"gravity", "x(0)", "y(0)"}
    assert table["x"].tolist() == e["x"][:, -1].tolist() and data["x"].values.tolist() == e["x"].tolist()
    assert data.coords["x(0)"].values.tolist() == [1.0, 0.0] and data.coords["gravity"].values.tolist() == [1.0, 2.0]
    assert taut.methods().to_pandas()["name"][0] == "shake"
    assert pendulum.section("x", step=0.05, until=30.0).to_pandas().shape[1] == 5
    for found in (pendulum.section("x", until=30.0), pendulum.lyapunov(until=10.0), pendulum.spectrum("x", until=50.0),
                  pendulum.orbit(7.4, step=0.05), pendulum.indicators(until=20.0)):
        assert "Planar pendulum" in repr(found) or "spectrum of x" in repr(found)
        assert repr(found).count("\n") >= 2 and "<td" in found._repr_html_()


def test_wrong_kinds_of_arguments_are_refused_in_words(pendulum, tmp_path):
    for wrong in ({"set": [1]}, {"parameters": 3}, {"quantities": ["x"]}, {"progress": "yes"}, {"events": 3}, {"at": "x"},
                  {"report": str(tmp_path / "no" / "r.html")}, {"report": str(tmp_path)}, {"method": "\ud800"}):
        with pytest.raises((taut.ModelError, TypeError)) as caught:
            pendulum.run(steps=1, **wrong)
        assert isinstance(caught.value, taut.ModelError) and len(str(caught.value)) > 20, wrong


def test_ctrl_c_while_the_step_is_compiled_is_a_keyboard_interrupt(tmp_path):
    code = """
import os, signal, threading, taut
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    taut.Model("double-pendulum").run(steps=1000, backend="specialise")
except KeyboardInterrupt as stopped:
    print("stopped", stopped.result)
"""
    said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.path.join(ROOT, "python")}).stdout
    assert said == "stopped None\n"


def test_a_flag_ends_the_compiler_without_a_signal(tmp_path):
    # Nothing interrupts the wait for the compiler here: it looks at the flag, as it must if a signal comes between two looks.
    code = """
import time, taut
begun, told = time.perf_counter(), []
def stop(fraction, left):
    told.append(fraction)
    if time.perf_counter() - begun > 0.3:
        raise KeyboardInterrupt
try:
    taut.Model("double-pendulum").run(steps=1000, backend="specialise", progress=stop)
except KeyboardInterrupt as stopped:
    print("stopped", stopped.result, set(told))
"""
    said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.path.join(ROOT, "python")}).stdout
    assert said == "stopped None {0.0}\n"


def test_what_an_ensemble_has_made_comes_with_the_exception(pendulum):
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt) as caught:
        pendulum.ensemble(size=10**4, steps=10**6, backend="interpret")
    assert caught.value.result.summary["size"] == 10**4
    with pytest.raises(taut.SolveFailed) as caught:
        pendulum.ensemble(q0=[[1.0, 1.0], [2.0, 0.0]], steps=5)
    assert [row["kind"] for row in caught.value.result.failures] == ["start-refused"]*2


def test_pickles_of_ensembles_come_back(pendulum):
    e = pendulum.ensemble(q0=[[1.0, 0.0], [0.0, -1.0], [3.0, 0.0]], p0=[[0, 1], [1, 0], [0, 0]], steps=20, every=5)
    again = pickle.loads(pickle.dumps(e))
    for name in ("q", "p", "ends", "samples"):
        assert np.array_equal(getattr(again, name), getattr(e, name), equal_nan=True)
    assert again.values.keys() == e.values.keys() and np.array_equal(again["x"], e["x"], equal_nan=True)
    assert again["max|g|"].tolist() == e["max|g|"].tolist()
    assert again.summary == e.summary and again.failures == e.failures and len(again) == 3
    assert pickle.dumps(again) == pickle.dumps(e)
    with pytest.raises(KeyError):
        again["z"]


@pytest.mark.parametrize("name", ["q", "t", "energy", "residual", "x"])
def test_a_column_of_a_coordinate_is_that_coordinate(name, tmp_path):
    model = taut.Model(coordinates=name, mass=1.0, potential=f"{name}^2/2", start={name: 1.0})
    r = model.run("verlet", step=0.1, steps=5, out=tmp_path)
    for one in (r, pickle.loads(pickle.dumps(r)), taut.load(tmp_path)):
        assert one[name].tolist() == r.q[:, 0].tolist() and one["p_" + name].tolist() == r.p[:, 0].tolist()
        assert one.t.tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5]) and one.energy[0] == 0.5
        assert one.to_pandas()[name].tolist() == r.q[:, 0].tolist()


def test_what_is_assigned_counts_or_is_refused(pendulum):
    s, other = pendulum.stepper(step=0.01), pendulum.stepper(step=0.01)
    s.q, s.p = [0.6, -0.8], [0.0, 0.0]
    other.q[:], other.p[:] = [0.6, -0.8], [0.0, 0.0]
    s.step(10)
    other.step(10)
    assert s.q.tolist() == other.q.tolist() and abs(s.q[0] - 0.6) < 0.01
    for wrong in ([1.0], [[0.6, -0.8]], "ab", 3):
        with pytest.raises(taut.ModelError, match="q has the"):
            s.q = wrong
    with pytest.raises(TypeError):
        pendulum.parameters["L"] = 2.0  # it would change nothing
    with pytest.raises(AttributeError):
        pendulum.run(steps=1).q = 0


def test_values_over_leading_axes(pendulum):
    q = np.array([[[1.0, 2.0], [3.0, 4.0]]])
    assert pendulum.H(q, [1.0, 1.0]).tolist() == [[3.0, 5.0]]
    assert pendulum.g(q).shape == (1, 2, 1) and pendulum.G(q).tolist() == [[[[1.0, 2.0]], [[3.0, 4.0]]]]
    assert np.array_equal(pendulum.g(np.asfortranarray(q)), pendulum.g(q))
    on, p = pendulum.project([[1.0, 0.1]], [[0.3, 0.2]])
    assert abs(on @ on.T - 1).max() < 1e-15 and abs((on*p).sum()) < 1e-15


def test_pickles_come_back_and_damaged_ones_are_refused(pendulum):
    r = pendulum.run(steps=50, every=5)
    again = pickle.loads(pickle.dumps(r))
    assert (again.q == r.q).all() and (again["x"] == r["x"]).all() and again.summary == r.summary
    model = pickle.loads(pickle.dumps(taut.Model("pendulum", parameters={"gravity": 2.0})))
    assert model.parameters["gravity"] == 2.0
    whole = pickle.dumps(r)
    refused = 0
    for at in range(200, len(whole) - 80, 97):
        broken = bytearray(whole)
        broken[at] ^= 1
        try:
            other = pickle.loads(bytes(broken))
        except Exception:
            refused += 1
        else:
            assert (other.q == r.q).all()
    assert refused > 5


@pytest.mark.parametrize("kind", ["csv", "binary", "compressed"])
def test_a_folder_gives_the_numbers_of_its_run(kind, tmp_path):
    model = taut.Model("double-pendulum")
    r = model.run(steps=60, every=7, out=tmp_path, format=kind, quantities={"A": "x1*y2"})
    again = taut.load(tmp_path)
    for name in ("t", "q", "p", "energy", "residuals"):
        assert np.array_equal(getattr(again, name), getattr(r, name)), name
        assert not getattr(again, name).flags.writeable
    assert np.array_equal(again["A"], r["A"]) and np.array_equal(again["p_y1"], r["p_y1"])
    assert again.columns["momenta"] == r.columns["momenta"] and again.summary["q"] == r.summary["q"]
    assert "A" in again.to_pandas() and "y2" in again.to_pandas()
    with pytest.raises(taut.ModelError, match="no column"):
        again.multipliers


def test_a_trajectory_without_its_end_is_read_and_damage_is_named(pendulum, tmp_path):
    r = pendulum.run(steps=1000, every=1, out=tmp_path, format="binary")
    path = tmp_path / "trajectory.taut"
    whole = path.read_bytes()
    assert np.array_equal(taut.load(tmp_path).q, r.q)
    (tmp_path / "summary.json").unlink()
    path.write_bytes(whole[:-100])  # the end is missing: a run that was killed
    short = taut.load(tmp_path)
    assert "not come to its end" in short.summary["error"] and np.array_equal(short.q, r.q[:len(short)])
    for at in range(0, len(whole), 997):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        with pytest.raises(taut.ModelError, match="damaged|no trajectory"):
            taut.load(tmp_path)
    with pytest.raises(taut.ModelError, match="no samples"):
        taut.load(tmp_path / "nowhere")


def test_ctrl_c_stops_after_a_step_with_what_there_is(pendulum):
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt) as caught:
        pendulum.run(steps=10**12, every=10**6, backend="interpret")
    assert caught.value.result.summary["steps"] > 0 and "at t = " in str(caught.value)


def test_progress_is_called_and_its_errors_come_out(pendulum):
    seen = []
    pendulum.run(steps=3 * 10**6, every=10**6, backend="interpret", progress=lambda f, left: seen.append(f))
    assert seen and all(0 <= f <= 1 for f in seen)

    def bad(fraction, left):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        pendulum.run(steps=10**12, every=10**6, backend="interpret", progress=bad)


def test_ten_thousand_runs_leak_nothing(pendulum):
    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4096

    for _ in range(500):
        pendulum.run(steps=1).q
    before = resident()
    for _ in range(10000):
        pendulum.run(steps=1).q
    assert resident() - before < 2**20


def test_notebook_forms(pendulum):
    r = pendulum.run(steps=20, every=2)
    assert "<svg" in r._repr_html_() and "rattle" in r._repr_html_()
    assert 'srcdoc="' in r.report()._repr_html_()
    assert "\\begin{aligned}" in pendulum._repr_latex_()
    assert list(r.to_pandas().columns[:2]) == ["x", "y"]
    assert dict(r.to_xarray().sizes)["coordinate"] == 2
