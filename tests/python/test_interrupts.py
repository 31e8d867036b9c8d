"""Ctrl-C: every call that may take long ends soon, with a KeyboardInterrupt and with what there is."""

import json
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import ROOT

import taut

TORUS = os.path.join(ROOT, "examples", "sampling", "torus.toml")
LONG, MANY = 10**7, 4 * 10**6


def _stepped():
    stepper = taut.Model("pendulum").stepper("rattle", 0.01)
    stepper.step(100 * LONG)


CALLS = {
    "run": lambda: taut.Model("pendulum").run(steps=1000 * LONG, every=LONG, backend="interpret"),
    "sample": lambda: taut.Model(TORUS).sample(LONG, warmup=100),
    "free_energy": lambda: taut.Model(TORUS).free_energy("z", [0.1, 0.2], draws=LONG // 10, temperature=1.0),
    "compare": lambda: taut.Model("pendulum").compare(["rattle", "lobatto(4)"], step=0.01, steps=1000 * LONG),
    "check": lambda: taut.Model("double-pendulum").check("lobatto(4)", steps=100 * LONG, backend="interpret"),
    "section": lambda: taut.Model("pendulum").section("when=x", steps=1000 * LONG, backend="interpret"),
    "lyapunov": lambda: taut.Model("double-pendulum").lyapunov(steps=100 * LONG),
    "orbit": lambda: taut.Model("pendulum").orbit(period=7.4, step=1e-7),
    "spectrum": lambda: taut.Model("pendulum").spectrum("x", steps=1000 * LONG, every=100 * LONG, backend="interpret"),
    "indicators": lambda: taut.Model("double-pendulum").indicators(steps=100 * LONG),
    "step": _stepped,
    "multiplier": lambda: taut.Model("double-pendulum").multiplier(np.ones((MANY, 4)), np.ones((MANY, 4))),
    "project": lambda: taut.Model("double-pendulum").project(np.ones((MANY, 4)), np.ones((MANY, 4))),
}

CODE = """
import os, signal, sys, threading, time
sys.path.insert(0, os.path.dirname({here!r}))
import test_interrupts
began = []
def press():
    while time.process_time() < first + 0.8:  # of the processor: on a busy machine the call has begun by then, too
        time.sleep(0.01)
    began.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
first = time.process_time()
threading.Thread(target=press).start()
try:
    test_interrupts.CALLS[{name!r}]()
except KeyboardInterrupt as stopped:
    result = getattr(stopped, "result", None)
    print(type(stopped).__name__, time.perf_counter() - began[0], type(result).__name__, flush=True)
"""


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_is_heard_within_a_second_or_two(name):
    code = CODE.format(here=os.path.abspath(__file__), name=name)
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=50,
                          env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")})
    assert done.returncode == 0 and done.stdout, done.stderr
    kind, seconds, result = done.stdout.split()
    # A call is interrupted between pieces of 50 ms; the rest is for a machine that does other things too.
    assert float(seconds) < 5 and kind in ("Interrupted", "KeyboardInterrupt")
    assert result == {"run": "Result", "sample": "Draws"}.get(name, "NoneType")


def test_the_draws_until_then_come_with_the_exception():
    seen = []

    def stop(fraction, left):
        seen.append(threading.current_thread() is threading.main_thread())
        if fraction > 0.001:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        taut.Model(TORUS).sample(LONG, warmup=50, chains=2, progress=stop, thin=1)
    assert all(seen)  # the watch is called in the thread of the call
    draws = caught.value.result
    assert draws.array.shape == (2, len(draws), 4) and len(draws) > 0
    whole = taut.Model(TORUS).sample(min(len(draws), 1000), warmup=50, chains=2)
    assert (draws.array[:, :len(whole)] == whole.array[:, :len(draws)]).all()


def test_steps_in_many_calls_have_the_bits_of_one(pendulum):
    whole, parts = pendulum.stepper("rattle", 0.01), pendulum.stepper("rattle", 0.01)
    parts._pace = 7
    for _ in range(5):
        whole._pace = 10**9  # all in one call
        whole.step(20001)
        parts._pace = 7
        parts.step(20001)
    assert whole.q.tobytes() == parts.q.tobytes() and whole.p.tobytes() == parts.p.tobytes() and whole.t == parts.t
    assert {**whole.summary} == {**parts.summary}


def test_values_of_many_states_are_those_of_single_ones():
    model = taut.Model("double-pendulum")
    rng = np.random.RandomState(1)
    q, p = rng.normal(size=(60001, 4)), rng.normal(size=(60001, 4))  # more than two calls
    for at in (0, 24999, 25000, 50000, 60000):
        assert model.H(q, p)[at] == model.H(q[at], p[at])
        assert (model.G(q)[at] == model.G(q[at])).all() and (model.multiplier(q, p)[at] == model.multiplier(q[at], p[at])).all()
    near, v = q.copy(), p.copy()
    near[:] = model.start[0] + q / 1e3
    near[25001] = np.nan
    on, tangent = model.project(near, v)
    assert np.isnan(on[25001]).all() and np.isnan(on).sum() == 4
    for at in (0, 24999, 25000, 60000):
        assert (on[at] == model.project(near[at], v[at])[0]).all()


def test_a_stepper_stands_where_ctrl_c_found_it(pendulum):
    stepper, other = pendulum.stepper("rattle", 0.01), pendulum.stepper("rattle", 0.01)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt, match="stopped after [0-9]+ of"):
        stepper.step(1000 * LONG)
    made = round(stepper.t / 0.01)
    other.step(made)
    assert stepper.q.tobytes() == other.q.tobytes() and stepper.summary["steps"] == made


def test_a_run_that_was_interrupted_is_resumed_to_the_same_bits(pendulum, tmp_path):
    def stop(fraction, left):
        raise KeyboardInterrupt

    many = dict(steps=3 * 10**6, every=10**5, backend="interpret")
    whole = pendulum.run(**many)
    with pytest.raises(KeyboardInterrupt) as caught:
        pendulum.run(out=tmp_path / "r", progress=stop, **many)
    assert 0 < caught.value.result.summary["steps"] < many["steps"]
    with pytest.raises(KeyboardInterrupt) as caught:
        taut.resume(tmp_path / "r", progress=stop)
    assert isinstance(caught.value.result, taut.Result)
    again = taut.resume(tmp_path / "r")
    assert (again.q == whole.q).all() and (again.t == whole.t).all() and again.summary["q"] == whole.summary["q"]
    assert taut.resume(tmp_path / "r").summary == again.summary  # it is finished
    said = subprocess.run([os.environ["TAUT_PROGRAM"], "resume", str(tmp_path / "r"), "--json"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=True).stdout
    assert json.loads(said)["q"] == again.summary["q"]


def test_what_cannot_be_resumed_is_refused_in_words(pendulum, tmp_path):
    for wrong, words in ((lambda: taut.resume(tmp_path / "none"), "no checkpoint"),
                         (lambda: taut.resume(tmp_path, backend="warp"), "backend takes"),
                         (lambda: taut.resume(tmp_path, on_failure="hope"), "on-failure takes")):
        with pytest.raises(taut.ModelError, match=words):
            wrong()
    pendulum.ensemble(size=4, steps=5, out=tmp_path / "e")
    taut.Model(TORUS).sample(10, warmup=10, out=tmp_path / "s")
    for folder, what in (("e", "an ensemble"), ("s", "a sampling")):
        with pytest.raises(taut.ModelError, match=f"{what}: `taut resume"):
            taut.resume(tmp_path / folder)
    with pytest.raises(taut.ModelError, match="holds draws: `taut export .* --npy"):
        taut.load(tmp_path / "s")
    with pytest.raises(taut.SolveFailed) as failed:
        pendulum.run(step=3.0, steps=10, out=tmp_path / "f")
    with pytest.raises(taut.SolveFailed) as again:
        taut.resume(tmp_path / "f")
    assert str(again.value).split(":")[0] == str(failed.value).split(":")[0] and len(again.value.result) >= 1


SLOW = """#!/bin/sh
case $1 in --version) echo slow 3;; *) echo $$ >{at_work}.part; mv {at_work}.part {at_work}; exec sleep 10000;; esac
"""

COMPILES = """
import os, signal, sys, threading, time
import taut
def press():
    while not os.path.exists({at_work!r}):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
def stop(fraction, seconds_left):
    if os.path.exists({at_work!r}):
        raise KeyboardInterrupt
if not {by_progress}:
    threading.Thread(target=press, daemon=True).start()
try:
    taut.Model("double-pendulum").{call}steps=100, backend="specialise", progress=stop if {by_progress} else None)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("by_progress", [False, True])
@pytest.mark.parametrize("call", ["run(", "ensemble(size=4, "])
def test_ctrl_c_ends_the_compiler_that_works(call, by_progress, tmp_path):
    """The compiler is a script that would work for hours; without an end the test would wait for it. Ctrl-C may also be heard by
    another thread than the one that waits: what a call for progress raises does as much."""
    at_work, compiler = tmp_path / "at-work", tmp_path / "slow-compiler"
    compiler.write_text(SLOW.format(at_work=at_work))
    compiler.chmod(0o700)
    done = subprocess.run([sys.executable, "-c", COMPILES.format(at_work=str(at_work), call=call, by_progress=by_progress)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=50,
                          env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "python"), "CXX": str(compiler)})
    assert done.stdout == "interrupted\n", done.stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(at_work.read_text()), 0)
