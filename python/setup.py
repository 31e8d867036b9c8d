"""The parts of the package that pyproject.toml cannot say: its version and the tag of the wheel."""

import os
import re

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class PlatformWheel(bdist_wheel):
    """One wheel for every Python 3: no extension module is inside, but a library for this platform."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class PlatformDistribution(Distribution):
    """Its files belong to a platform, so that they stand at the top of the wheel."""

    def has_ext_modules(self):
        return True


def version():
    """The version of the project, from its CMakeLists.txt, or from the copy that make-wheel puts beside this file."""
    here = os.path.dirname(os.path.abspath(__file__))
    for name in ("CMakeLists.txt", os.path.join("..", "CMakeLists.txt")):
        path = os.path.join(here, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as text:
                return re.search(r"project\(\s*taut\s+VERSION\s+(\d+\.\d+\.\d+)", text.read()).group(1)
    raise SystemExit("setup.py: CMakeLists.txt, which has the version, was not found; make-wheel builds the wheel")


setup(version=version(), distclass=PlatformDistribution, cmdclass={"bdist_wheel": PlatformWheel})
