#include <taut/version.hpp>

#include <gpu_verification.hpp>

#include <fmt/core.h>

#include <string>

#include "commands.hpp"
#include "entry.hpp"

namespace taut::cli {

namespace {

constexpr const char* purpose =
    "Integrates constrained Hamiltonian systems on their manifold: q' = H_p, p' = -H_q - G'λ, g(q) = 0.";

void add_commands(Program& program) {
  add_problems(program);
  add_methods(program);
  add_run(program);
  add_ensemble(program);
  add_sweep(program);
  add_sample(program);
  add_free_energy(program);
  add_merge(program);
  add_resume(program);
  add_show(program);
  add_export(program);
  add_compile(program);
  add_check(program);
  add_completions(program);
  add_compare(program);
  add_reproduce(program);
  add_section(program);
  add_lyapunov(program);
  add_orbit(program);
  add_spectrum(program);
  add_indicators(program);
  add_map(program);
  add_lab(program);
}

// Names the processors for which this was compiled: a level such as x86-64-v3, or nothing in particular.
std::string built_for() {
  const std::string processor = TAUT_PROCESSOR;
  if (processor.empty()) return {};
  return processor == "native" ? ", for the processor it was built on" : ", for " + processor;
}

}  // namespace

}  // namespace taut::cli

int main(int argc, char** argv) {
  taut::cli::Program program{.what = taut::cli::purpose,
                             .version = fmt::format("taut {}{}\nensembles on a GPU: {}", taut::version,
                                                    taut::cli::built_for(), taut::cli::gpu_verification)};
  taut::cli::add_commands(program);
  return taut::cli::carry_out_words(program, argc, argv);
}
