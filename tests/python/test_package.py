"""The package as a whole: its examples, its types, its import."""

import doctest
import importlib
import os
import subprocess
import sys

import pytest
from conftest import ROOT

MODULES = sorted(name[:-3] for name in os.listdir(os.path.join(ROOT, "python", "taut")) if name.endswith(".py"))


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    module = importlib.import_module("taut" if name == "__init__" else "taut." + name)
    assert doctest.testmod(module).failed == 0


def test_the_guide():
    assert doctest.testfile(os.path.join(ROOT, "docs", "guide", "python.md"), module_relative=False).failed == 0


def test_types():
    subprocess.run(["/usr/bin/mypy", "--cache-dir", os.devnull, "taut"], cwd=os.path.join(ROOT, "python"), check=True)


def test_what_a_user_asks_for_has_types(tmp_path):
    arrays = ["m.g([1.0, 0.0])", "m.G(m.start[0])", "m.multiplier([1.0, 0.0], [0.0, 0.0])", "m.project([1.0, 0.0], [0.0, 0.0])[0]",
              "r.t", "r.q", "r['x']", "r.multipliers", "s.q", "e.q", "e['x']", "e.values['L']", "d['x']", "m.section('x')['x']",
              "m.lyapunov().values"]
    others = {"m.H([1.0, 0.0], [0.0, 0.0])": "float", "s.t": "float", "taut.compare(m, ['rattle'])": "Comparison", "m.check()": "Certificate",
              "r.failure": "Failure", "taut.methods()": "Table", "m.run()": "Result", "s.save()": "bytes"}
    script = tmp_path / "script.py"
    script.write_text("import taut\nm = taut.Model('pendulum')\nr = m.run()\ns = m.stepper()\n"
                      "e = m.ensemble(vary={'L': [1.0]})\nd = m.sample()\n"
                      + "".join(f"reveal_type({one})\n" for one in [*arrays, *others]))
    said = subprocess.run(["/usr/bin/mypy", "--strict", "--cache-dir", os.devnull, "--follow-imports", "silent", str(script)],
                          stdout=subprocess.PIPE, text=True, env={**os.environ, "MYPYPATH": os.path.join(ROOT, "python")})
    found = [line.split("Revealed type is ")[1] for line in said.stdout.splitlines() if "Revealed" in line]
    assert len(found) == len(arrays) + len(others), said.stdout
    for asked, kind in zip(arrays, found):
        assert kind.startswith('"numpy.ndarray['), (asked, kind)
    for (asked, wanted), kind in zip(others.items(), found[len(arrays):]):
        assert wanted in kind and kind != '"Any"', (asked, kind)


def test_import_loads_neither_numpy_nor_the_library():
    code = "import taut, sys; assert 'numpy' not in sys.modules; assert taut._library.__module__"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "python"),
                                                      "TAUT_LIBRARY": "/nowhere"}, check=True)


def test_a_missing_library_is_named_with_how_to_get_it():
    code = "import taut\ntry: taut.version()\nexcept taut.LibraryMissing as e: print(e)"
    said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "python"), "TAUT_LIBRARY": "/nowhere"}).stdout
    assert "/nowhere" in said and "libtaut0" in said
