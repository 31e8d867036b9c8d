// Measures kernels: rate FILE.ptx takes those of bench/gpu/hand_written.cpp, and rate FILE.ptx
// pendulum|chain one that taut made for the model of that name. It prints ns per step and trajectory, the
// best of five calls, and how far the constraints are missed at the end. A kernel of taut makes the steps
// after the first ones, when nothing stands out.
#include <taut/backend/cuda_driver.hpp>
#include <taut/mechanism/device_job.hpp>

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

// Arrays of one entry for each slot, on the device and here.
struct Copied {
  std::uint64_t to;
  const void* from;
  std::size_t bytes;
};
template <class T>
struct Column {
  Column(CudaQueue& queue, std::vector<T> values)
      : here(std::move(values)), there(queue.allocate(bytes())), all{there, here.data(), bytes()} {}
  T* pointer() const { return reinterpret_cast<T*>(there); }
  std::size_t bytes() const { return here.size() * sizeof(T); }
  std::vector<T> here;
  std::uint64_t there;
  Copied all;
};

// The state, its low parts, and what a tally holds after many steps: nothing stands out any more.
std::vector<double> slots_of(const Problem& problem) {
  std::vector<double> x = start_of(problem);
  const auto slots = static_cast<std::size_t>(problem.slots), n = static_cast<std::size_t>(problem.numbers);
  x.resize((2 * n + slot_sums) * slots);
  for (int sum = static_cast<int>(SlotSum::change_max); sum <= static_cast<int>(SlotSum::kinetic_owned);
       ++sum)
    if (sum != static_cast<int>(SlotSum::block_sum))
      std::fill_n(x.begin() + static_cast<std::ptrdiff_t>((2 * n + static_cast<std::size_t>(sum)) * slots),
                  slots, 1e300);
  return x;
}

void measure_own(const std::string& ptx, const Problem& problem, std::vector<double> constants) {
  const CudaKernel kernel(cuda_driver(), ptx, "taut_make_steps");
  CudaQueue queue(cuda_driver());
  const auto slots = static_cast<std::size_t>(problem.slots);
  Column<double> numbers(queue, slots_of(problem)), sums(queue, std::vector<double>(slots));
  Column<std::int64_t> steps(queue, std::vector<std::int64_t>(slots)),
      stop(queue, std::vector<std::int64_t>(slots, 1L << 60));
  Column<SlotState> states(queue, std::vector<SlotState>(slots, SlotState::running));
  DeviceJob job{.numbers = numbers.pointer(),
                .block_sums = sums.pointer(),
                .constants = nullptr,
                .steps = steps.pointer(),
                .stop = stop.pointer(),
                .states = states.pointer(),
                .slots = problem.slots,
                .block = 1L << 40,
                .most = problem.steps,
                .h = problem.h,
                .options = {}};
  std::array<void*, 2> arguments{&job, constants.data()};
  double best = 1e300;
  for (int call = 0; call < 5; ++call) {
    for (auto* column : {&steps.all, &stop.all, &numbers.all, &states.all})
      queue.copy_in(column->to, column->from, column->bytes);
    queue.wait();
    const auto began = std::chrono::steady_clock::now();
    queue.launch(kernel, problem.slots, arguments);
    queue.wait();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  queue.copy_out(steps.here.data(), steps.there, steps.bytes());
  queue.copy_out(numbers.here.data(), numbers.there, numbers.bytes());
  std::int64_t made = 0;
  for (const std::int64_t count : steps.here) made += count;
  std::printf(
      "taut %s: %.5g ns, %d registers, %d bytes of local memory, max |g| %.1e, %.5f of the steps made\n",
      problem.name, 1e9 * best / static_cast<double>(problem.slots * problem.steps), kernel.registers(),
      kernel.local_bytes(), largest_residual(problem, numbers.here),
      static_cast<double>(made) / static_cast<double>(problem.slots * problem.steps));
}

}  // namespace

int main(int count, char** arguments) {
  std::ifstream file(arguments[1]);
  std::ostringstream text;
  text << file.rdbuf();
  try {
    const Problem pendulum{"pendulum", 4, 1 << 20, 2000, 0.05}, chain{"chain", 24, 1 << 18, 1000, 0.02};
    const std::string which = count > 2 ? arguments[2] : "";
    if (which == "pendulum") {
      measure_own(text.str(), pendulum, {1, 0, 0.5});  // the numbers of its formulas, in their order
    } else if (which == "chain") {
      measure_own(text.str(), chain, {2.5, 5, -5, 1, 0.5});
    } else {
      measure(text.str(), pendulum);
      measure(text.str(), chain);
    }
  } catch (const DeviceError& error) {
    std::printf("%s.\n", error.what());
    return 2;
  }
  return 0;
}
