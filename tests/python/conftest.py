"""The tests use the package of this tree, and the library and program that ctest names."""

import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
os.environ.setdefault("TAUT_LIBRARY", os.path.join(ROOT, "build", "release", "src", "taut", "capi", "libtaut.so.0"))
os.environ.setdefault("TAUT_PROGRAM", os.path.join(ROOT, "build", "release", "cli", "taut"))


@pytest.fixture
def pendulum():
    import taut

    return taut.Model("pendulum")
