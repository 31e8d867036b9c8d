"""The tests use the package of this tree, and the library and program that ctest names."""

import os
import sys

import pytest
from hypothesis import settings

# The suite looks at the same examples every time; TAUT_FRESH_EXAMPLES=1 looks at others.
settings.register_profile("same", derandomize=True)
if not os.environ.get("TAUT_FRESH_EXAMPLES"):
    settings.load_profile("same")

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
os.environ.setdefault("TAUT_LIBRARY", os.path.join(ROOT, "build", "release", "src", "taut", "capi", "libtaut.so.0"))
os.environ.setdefault("TAUT_PROGRAM", os.path.join(ROOT, "build", "release", "cli", "taut"))


@pytest.fixture
def pendulum():
    import taut

    return taut.Model("pendulum")
