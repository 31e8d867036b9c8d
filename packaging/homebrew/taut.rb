# Untried: no Homebrew has built this. It is parsed by tests/python/test_packaging.py.
class Taut < Formula
  desc "Integrates constrained Hamiltonian systems on their manifold"
  homepage "https://example.org/taut"
  # The address and the checksum of the release go here when it is published.
  url "https://example.org/taut.git", tag: "v0.1.0"
  version "0.1.0"
  license "Apache-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "tomlplusplus" => :build
  depends_on "eigen"
  depends_on "fmt"
  depends_on "gcc" # libquadmath, and __float128
  depends_on :linux
  depends_on "zlib"

  fails_with :clang

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-D", "TAUT_NATIVE=OFF", "-D", "TAUT_BUILD_TESTS=OFF",
           "-D", "TAUT_BUILD_BENCH=OFF", *std_cmake_args
    system "cmake", "--build", "build", "--target", "taut_cli", "taut_shared"
    system "cmake", "--install", "build"
  end

  test do
    assert_match "max |H - H0|", shell_output("#{bin}/taut run pendulum --steps 100")
  end
end
