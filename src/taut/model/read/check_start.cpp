// Checks the start: everything has a value there, and a derivative.
#include <taut/model/code/system.hpp>
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/wording.hpp>

namespace taut {

void ModelReader::check_start() {
  const auto start = [&](std::string_view text) {
    const std::string name(text);
    const What what = names_.at(name);
    if (what == What::parameter) return values_.at(name);
    if (what == What::velocity)  // if momenta are given, those of L are found from its values at rest
      return velocities_.empty()
                 ? Float128(0)
                 : velocities_[static_cast<std::size_t>(coordinate_number_.at(name.substr(2)))].value;
    if (what == What::coordinate)
      return model_.q[static_cast<std::size_t>(coordinate_number_.at(name))].value;
    return model_.p[static_cast<std::size_t>(coordinate_number_.at(name.substr(2)))].value;
  };
  for (const auto& [v, what, f] : watched_) {
    const auto values = evaluate(*f, start);
    report_not_finite(*v, *f, values, what, " at the start");
  }
  if (!errors_.empty()) return;
  check_derivatives();
}

// Constraints that leave nothing that moves may be too many because some follow from others. Then these are
// what the model is refused for.
void ModelReader::refuse_surplus() {
  const std::vector<int> found =
      errors_.empty() ? dependent_at_start(derive(model_), model_) : std::vector<int>{};
  if (found.empty()) return fail(*surplus_, surplus_sentence_, surplus_note_);
  const int m = static_cast<int>(model_.constraints.size()) - model_.dynamics.velocity_constraints;
  std::vector<std::string> names;
  for (const int k : found)
    names.push_back(k < m ? "constraint " + std::to_string(k + 1)
                          : "velocity constraint " + std::to_string(k - m + 1));
  fail(*surplus_,
       found.size() == 1 ? "the gradient of " + names.front() + " vanishes at the start"
                         : "the gradients of " + listed(names) + " combine to zero at the start",
       "leave " + std::string(found.size() == 1 ? "it" : "one of them") +
           " out, or solve them all in the sense of least squares: redundant = \"least-squares\" in [run]");
  errors_.front().more = "As they are, " + surplus_sentence_ + ".\n";
}

void ModelReader::check_derivatives() {
  model_.derived = std::make_shared<const System>(derive(model_));
  const System& system = *model_.derived;
  const auto bad = derivative_not_finite(system, model_);
  if (bad) {
    const Value& v = *watched_[bad->formula < 0 ? 0
                                                : watched_.size() - model_.constraints.size() +
                                                      static_cast<std::size_t>(bad->formula)]
                          .v;
    fail(*v.source, v.kind == Value::Kind::text ? v.place({0, v.text.size()}) : v.span,
         "the derivative of " +
             (bad->formula < 0
                  ? std::string(model_.form == Model::Form::hamiltonian ? "the hamiltonian" : "the potential")
                  : "constraint " + std::to_string(bad->formula + 1)) +
             " with respect to " + ticked(bad->name) + " is not finite at the start");
  } else if (const auto beyond = gradient_beyond_numbers(system, model_)) {
    const auto constraint = static_cast<std::size_t>(beyond->constraint);
    const Value& v = *watched_[watched_.size() - model_.constraints.size() + constraint].v;
    fail(*v.source, v.place({0, v.text.size()}),
         "the gradient of constraint " + std::to_string(constraint + 1) + " is " + number_text(beyond->size) +
             " at the start, and its square is too " + (beyond->size > 1 ? "large" : "small") +
             " for a number",
         "a constraint may be multiplied by a constant: that changes lambda and nothing else");
  } else if (made_from_ == nullptr && singular_kinetic(system, model_)) {
    const Value& v = *watched_.front().v;
    fail(*v.source, v.kind == Value::Kind::text ? v.place({0, v.text.size()}) : v.span,
         "H_pp, the second derivative of the hamiltonian by the momenta, is singular at the start",
         "velocities must determine momenta");
  }
}

}  // namespace taut
