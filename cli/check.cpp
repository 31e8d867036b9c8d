#include <taut/certificate/certificate.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <cmath>

#include "commands.hpp"
#include "typed.hpp"

namespace taut::cli {

namespace {

constexpr const char* check_notes = R"text(
Measures on this model, with this step, what the method claims: its order, whether it preserves dq^dp on what it keeps, whether
negative steps undo it, whether it stays on the manifold, whether its energy drifts. "none": the method does not claim it, and it is
not judged. Residuals, drift and iterations are those of a run of the model's length, of 2000 to 20000 steps, or as long as --steps
or --until say. Exit status: 0 all claims hold; 1 one does not; 2 the input is wrong.)text";

// Writes counts, orders and ratios as they are, defects with their power of ten.
std::string number_text(const Check& check, double x) {
  if (x == 0) return "0";
  if (check.name == "order" || check.name == "energy error ratio") return fmt::format("{:.3g}", x);
  return x >= 1 && x < 1e15 && x == std::floor(x) ? fmt::format("{:.0f}", x) : fmt::format("{:.1e}", x);
}

std::string_view verdict(const Check& check) {
  if (!check.pass) return "FAIL";
  return check.claimed && check.measured ? "pass" : "";
}

std::string line(const Check& check) {
  const std::string claimed = check.claimed ? number_text(check, *check.claimed) : "none";
  std::string measured = check.measured ? number_text(check, *check.measured) : "-";
  if (!check.uncertainty.empty()) measured += " " + check.uncertainty;
  std::string text =
      fmt::format("{:22}{:10}{:24}{:6}{}", check.name, claimed, measured, verdict(check), check.note);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

void print(const Certificate& c) {
  fmt::print("{}, {}, step {}: {}\n", harmless(c.model), c.method, c.step,
             c.pass() ? "pass" : "does not pass");
  if (c.moved)
    fmt::print("start moved onto the manifold: q by {:.1e}, p by {:.1e}\n", c.moved->q, c.moved->p);
  fmt::print("{:22}{:10}measured\n", "", "claimed");
  for (const Check& check : c.checks) fmt::print("{}\n", line(check));
}

int check(const TypedModel& typed, bool json, bool further) {
  const RunRequest request = typed.request();
  const ModelRun model = read_model_run(typed.problem, request, typed.set);
  model.check_precision();
  const Certificate certificate = certify(model, request.steps || request.until, further);
  if (json)
    fmt::print("{}\n", to_json(certificate));
  else
    print(certificate);
  const int written = finish_output();
  if (!certificate.warning.empty()) fmt::print(stderr, "taut: {}\n", certificate.warning);
  if (!certificate.error.empty()) fmt::print(stderr, "taut: {}\n", certificate.error);
  return certificate.pass() ? written : 1;
}

}  // namespace

void add_check(Program& program) {
  const auto typed = std::make_shared<TypedModel>();
  const auto json = std::make_shared<bool>(false), further = std::make_shared<bool>(false);
  Command command{
      .name = "check",
      .what = "Measure what a method claims, on this model: pass or fail",
      .examples =
          R"text(  taut check pendulum                              does the method keep what it claims, here?
  taut check examples/double-pendulum.toml --method 'lobatto(4)' --step 0.02
)text",
      .notes = check_notes,
      .action = [typed, json, further] { return check(*typed, *json, *further); }};
  typed->add_problem(command);
  typed->add_method(command);
  typed->add_length(command);
  typed->add_set(command);
  typed->add_time_transform(command);
  command.add(flag("--further", *further,
                   "also the modified energy, and the stability of the manifold under each formulation"));
  command.add(flag("--json", *json, "print one JSON object"));
  typed->add_solve(command);
  typed->add_precision(command);
  program.add(std::move(command));
}

}  // namespace taut::cli
