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


def test_import_loads_neither_numpy_nor_the_library():
    code = "import taut, sys; assert 'numpy' not in sys.modules; assert taut._library.__module__"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "python"),
                                                      "TAUT_LIBRARY": "/nowhere"}, check=True)


def test_a_missing_library_is_named_with_how_to_get_it():
    code = "import taut\ntry: taut.version()\nexcept taut.LibraryMissing as e: print(e)"
    said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "python"), "TAUT_LIBRARY": "/nowhere"}).stdout
    assert "/nowhere" in said and "libtaut0" in said
