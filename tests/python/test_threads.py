"""Threads, signals, other interpreters and the end of Python: nothing falls, and no error is lost."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from conftest import ROOT

import taut

BEGIN = """
import os, signal, sys, threading, time
import taut
pendulum = taut.Model("pendulum")
long = dict(steps=10**9, every=10**8, backend="interpret", progress=False)
"""


def _run(code):
    return subprocess.run([sys.executable, "-X", "faulthandler", "-c", BEGIN + code], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60, env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")})


def test_threads_take_turns_with_one_stepper():
    # The library takes a stepper for that of one thread; before there was a lock, this was a fault of memory.
    model = taut.Model("double-pendulum")
    shared, alone = model.stepper("lobatto(3)", 0.001), model.stepper("lobatto(3)", 0.001)
    wrong = []

    def go(n):
        try:
            for _ in range(200):
                shared.step(n)
                assert shared.summary["steps"] >= n and len(shared.save()) > 0
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=go, args=(n,)) for n in (1, 50, 100, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone.step(200 * 158)
    assert not wrong and shared.q.tobytes() == alone.q.tobytes() and shared.summary == alone.summary


def test_a_stepper_is_not_used_by_a_function_that_it_calls():
    made = []

    def V(q):
        for stepper in made:
            stepper.step()
        return q[1]

    model = taut.Model(coordinates="x y", mass=1.0, potential=V, constraints=["(x^2 + y^2 - 1)/2"], start={"x": 1.0}, callback=True)
    made.append(model.stepper("rattle", 0.01))
    with pytest.raises(taut.ModelError, match="in the middle of its work"):
        made[0].step(3)
    (stepper,), made[:] = made, []
    stepper.step(3)  # it goes on


def test_a_function_that_failed_once_is_forgotten():
    works = [True]

    def V(q):
        if not works[0]:
            raise ValueError("not now")
        return q[1]

    model = taut.Model(coordinates="x y", mass=1.0, potential=V, constraints=["(x^2 + y^2 - 1)/2"], start={"x": 1.0}, callback=True)
    stepper, other = model.stepper("rattle", 0.01), model.stepper("rattle", 0.01)
    stepper.step(3)
    works[0] = False
    for _ in range(2):
        with pytest.raises(ValueError, match="not now"):
            stepper.step(3)
    works[0] = True
    stepper.step(3)
    other.step(3)
    other.restart()
    other.step(3)
    assert stepper.summary["steps"] == 6 and stepper.q.tobytes() == other.q.tobytes()


def test_a_stepper_goes_back(pendulum):
    back = pendulum.stepper("rattle", -0.1)  # the model's runs end at a positive time
    back.step(30)
    there = pendulum.stepper("rattle", 0.1, q=back.q.copy(), p=back.p.copy())
    there.step(30)
    assert back.t == pytest.approx(-3.0) and abs(there.q - pendulum.start[0]).max() < 1e-13


@pytest.mark.parametrize("call", [
    "pendulum.run(**long)", "pendulum.stepper('rattle', 0.1).step(10**9)", "pendulum.sample(10**6, temperature=1.0, measure='rigid')",
    "called.run('verlet', step=0.01, steps=10**9, every=10**8)", "called.stepper('verlet', 0.01).step(10**9)"])
def test_python_ends_while_a_thread_of_its_own_goes_on(call):
    # Python ends such a thread at its next call of a function, in the middle of the library, which aborted.
    done = _run("called = taut.Model(coordinates='x', mass=1.0, potential=lambda q: q[0]**2/2, start={'x': 1.0}, callback=True)\n"
                f"threading.Thread(target=lambda: {call}, daemon=True).start()\ntime.sleep(0.4)\nprint('end')")
    assert done.returncode == 0 and done.stdout == "end\n" and done.stderr == "", done


@pytest.mark.parametrize("call", ["pendulum.run(**long)", "pendulum.stepper('rattle', 0.1).step(10**9)",
                                  "called.run('verlet', step=0.01, steps=10**9, every=10**8, progress=False)"])
def test_what_a_handler_raises_is_raised(call):
    done = _run("""
called = taut.Model(coordinates='x', mass=1.0, potential=lambda q: q[0]**2/2, start={'x': 1.0}, callback=True)
class Enough(Exception): pass
def enough(number, frame): raise Enough
signal.signal(signal.SIGALRM, enough)
hook = sys.unraisablehook
for k in range(5):
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try: %s
    except Enough: print(k, sys.unraisablehook is hook)
""" % call)
    assert done.returncode == 0 and done.stderr == "" and done.stdout == "".join(f"{k} True\n" for k in range(5)), done


def test_ctrl_c_in_the_main_thread_leaves_the_run_of_another():
    done = _run("""
ends = []
thread = threading.Thread(target=lambda: ends.append(pendulum.run(**{**long, "steps": 2*10**6}).summary["steps"]))
thread.start()
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)
except KeyboardInterrupt: print("here")
thread.join()
print(ends)
""")
    assert done.returncode == 0 and done.stdout == "here\n[2000000]\n", done


def test_another_interpreter_in_the_process_leaves_this_one_alone():
    done = _run("""
try: import _xxsubinterpreters as other
except ImportError: print(3); sys.exit()
one = other.create()
other.run_string(one, "import taut; taut.Model('pendulum').run(steps=3)")
print(pendulum.run(steps=3).summary["steps"])
""")
    assert done.returncode == 0 and done.stdout == "3\n", done


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_goes_on_with_what_its_parent_made(pendulum):
    many = dict(vary={"gravity": "linspace(1, 2, 64)"}, steps=50, threads=2)
    r, stepper, ends = pendulum.run(steps=10, every=1), pendulum.stepper("rattle", 0.1), pendulum.ensemble(**many)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        stepper.step(5)
        same = r.q.shape == (11, 2) and (pendulum.ensemble(**many).q == ends.q).all() and pendulum.run(steps=10).summary["steps"] == 10
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
