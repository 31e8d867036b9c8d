// Measures the kernels of bench/gpu/hand_written.cpp: rate FILE.ptx. It prints ns per step and trajectory,
// the best of five calls, and how far the constraints are missed at the end.
#include <taut/backend/cuda_driver.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

namespace {

using namespace taut;

struct Problem {
  const char* name;
  int numbers;
  long slots, steps;
  double h;
};

std::vector<double> start_of(const Problem& problem) {
  std::vector<double> x(static_cast<std::size_t>(problem.numbers * problem.slots));
  const auto set = [&](int k, long i, double value) {
    x[static_cast<std::size_t>(k * problem.slots + i)] = value;
  };
  const double height = std::sqrt(3.0) / 2;
  for (long i = 0; i < problem.slots; ++i) {
    const double spread = static_cast<double>(i) / static_cast<double>(problem.slots);
    if (problem.numbers == 4) {
      set(1, i, -1);
      set(2, i, spread);
    } else {
      for (int n = 0; n < 6; ++n) {
        set(2 * n, i, 0.5 * n);
        set(2 * n + 1, i, n % 2 == 0 ? 0 : height);
      }
      set(12, i, -height * spread);
      set(13, i, 0.5 * spread);
    }
  }
  return x;
}

double largest_residual(const Problem& problem, const std::vector<double>& x) {
  const auto at = [&](int k, long i) { return x[static_cast<std::size_t>(k * problem.slots + i)]; };
  double worst = 0;
  for (long i = 0; i < problem.slots; ++i)
    for (int rod = 0; rod < (problem.numbers == 4 ? 1 : 5); ++rod) {
      const double dx = problem.numbers == 4 ? at(0, i) : at(2 * rod, i) - at(2 * rod + 2, i);
      const double dy = problem.numbers == 4 ? at(1, i) : at(2 * rod + 1, i) - at(2 * rod + 3, i);
      const double off = std::abs(dx * dx + dy * dy - 1) / 2;
      worst = off > worst || std::isnan(off) ? off : worst;
    }
  return worst;
}

void measure(const std::string& ptx, Problem problem) {
  const CudaKernel kernel(cuda_driver(), ptx, problem.name);
  CudaQueue queue(cuda_driver());
  std::vector<double> x = start_of(problem);
  const std::size_t bytes = x.size() * sizeof(double);
  std::uint64_t there = queue.allocate(bytes);
  queue.copy_in(there, x.data(), bytes);
  queue.wait();
  std::array<void*, 4> arguments{&there, &problem.slots, &problem.steps, &problem.h};
  double best = 1e300;
  for (int call = 0; call < 5; ++call) {
    const auto began = std::chrono::steady_clock::now();
    queue.launch(kernel, problem.slots, arguments);
    queue.wait();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  queue.copy_out(x.data(), there, bytes);
  std::printf("hand-written %s: %.5g ns, %d registers, %d bytes of local memory, max |g| %.1e\n",
              problem.name, 1e9 * best / static_cast<double>(problem.slots * problem.steps),
              kernel.registers(), kernel.local_bytes(), largest_residual(problem, x));
}

}  // namespace

int main(int, char** arguments) {
  std::ifstream file(arguments[1]);
  std::ostringstream text;
  text << file.rdbuf();
  try {
    measure(text.str(), {"pendulum", 4, 1 << 20, 2000, 0.05});
    measure(text.str(), {"chain", 24, 1 << 18, 1000, 0.02});
  } catch (const DeviceError& error) {
    std::printf("%s.\n", error.what());
    return 2;
  }
  return 0;
}
