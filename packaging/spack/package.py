# Untried: no Spack has built this. It is parsed by tests/python/test_packaging.py.
from spack.package import *


class Taut(CMakePackage):
    """Integrates constrained Hamiltonian systems by maps that are symplectic on the manifold and stay on it."""

    homepage = "https://example.org/taut"
    # The address of the archive goes here when a release is published: url = "…/taut-0.1.0.tar.gz"
    git = "https://example.org/taut.git"

    license("Apache-2.0")

    version("0.1.0", tag="v0.1.0")

    variant("native", default=False, description="Compile for the processor of this machine")
    variant("mpi", default=False, description="Build taut-mpi, ensembles on several processes")
    variant("python", default=True, description="Install the Python module")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("eigen@3.4:")
    depends_on("fmt@9:")
    depends_on("cli11@2:")
    depends_on("nlohmann-json@3.11:")
    depends_on("tomlplusplus@3:")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    depends_on("python@3.8:", when="+python", type=("build", "run"))
    depends_on("py-numpy", when="+python", type="run")

    conflicts("%clang", msg="libquadmath comes with gcc")

    generator("ninja")

    @property
    def build_targets(self):
        return ["taut_cli", "taut_shared"] + (["taut_mpi"] if self.spec.satisfies("+mpi") else [])

    def cmake_args(self):
        return [
            self.define_from_variant("TAUT_NATIVE", "native"),
            self.define_from_variant("TAUT_MPI", "mpi"),
            self.define("TAUT_BUILD_TESTS", False),
            self.define("TAUT_BUILD_BENCH", False),
        ]

    @run_after("install")
    def install_module(self):
        if self.spec.satisfies("+python"):
            install_tree("python/taut", join_path(python_platlib, "taut"))
