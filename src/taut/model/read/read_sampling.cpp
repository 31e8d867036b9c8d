// Reads [sampling]: a density on the manifold, and the measure with respect to which it is one.
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

namespace taut {

namespace {

const std::vector<std::string> sampling_keys{"density", "temperature", "measure", "kernel"};
const std::vector<std::string> measures{"surface", "conditioned", "rigid"};

}  // namespace

void ModelReader::read_sampling() {
  const Value& t = table("sampling", &sampling_keys);
  if (t.table.empty()) return;
  if (root_.find("particles")) {
    fail_key(*root_.find("sampling"), "[sampling] beside [particles]",
             "models of formulas are sampled: write the system with [system]");
    return;
  }
  SamplingSettings& sampling = model_.sampling;
  if (const Entry* e = t.find("density")) {
    Formula f;
    if (formula(e->value, "the log density", Use::position, f)) sampling.density = std::move(f);
  }
  sampling.temperature = run_number(t, "temperature", "the temperature");
  if (sampling.temperature && !(*sampling.temperature > 0))
    fail(t.find("temperature")->value, "the temperature is " + number_text(*sampling.temperature),
         "it is kT in the units of the potential, and positive");
  if (const Entry* e = t.find("measure")) {
    sampling.measure = text_of_entry(*e, "the measure");
    if (sampling.measure && !contains(measures, *sampling.measure))
      fail(e->value, "unknown measure " + ticked(*sampling.measure),
           known_names("known here:", *sampling.measure, measures));
  }
  if (const Entry* e = t.find("kernel")) sampling.kernel = text_of_entry(*e, "the kernel");
}

}  // namespace taut
