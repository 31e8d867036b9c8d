#include <taut/measure/growth.hpp>
#include <taut/measure/period.hpp>
#include <taut/measure/periodogram.hpp>
#include <taut/method/tableau.hpp>
#include <taut/solve/dense_systems.hpp>
#include <taut/study/formula.hpp>
#include <taut/study/measure.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

const History& StudyMeasurement::member(const StudyQuantity& quantity) const {
  const std::vector<History>& all = members(quantity.run);
  if (quantity.member < 0) {
    if (all.size() != 1)
      refuse(study_, quantity.place, "the run `" + quantity.run + "` is a family: say which `member`");
    return all.front();
  }
  if (quantity.member >= static_cast<int>(all.size()))
    refuse(study_, quantity.place, "the run `" + quantity.run + "` has no such member");
  return all[static_cast<std::size_t>(quantity.member)];
}

StudyMeasurement::Window StudyMeasurement::window(const StudyQuantity& quantity) const {
  const History& history = member(quantity);
  const std::vector<double> all = series(history, *quantity.of, quantity.reference);
  const double slack = 1e-6 * std::abs(history.step);
  const double from = quantity.from ? constant(*quantity.from) - slack : -std::numeric_limits<double>::max();
  const double to = quantity.to ? constant(*quantity.to) + slack : std::numeric_limits<double>::max();
  Window part;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (history.time[k] < from || history.time[k] > to || std::isnan(all[k])) continue;
    part.time.push_back(history.time[k]);
    part.value.push_back(all[k]);
  }
  if (part.value.empty()) refuse(study_, quantity.place, "the run has no sample in this window");
  return part;
}

double StudyMeasurement::reduced(const StudyQuantity& quantity) const {
  const std::string& how = quantity.measure;
  if (how == "final") return last(member(quantity), *quantity.of, quantity.reference);
  if (how == "at") {
    const History& history = member(quantity);
    const double time = constant(*quantity.time), slack = 1e-6 * std::abs(history.step);
    for (std::size_t k = 0; k < history.samples(); ++k)
      if (std::abs(history.time[k] - time) <= slack)
        return series(history, *quantity.of, quantity.reference)[k];
    refuse(study_, quantity.place, "the run has no sample at this time");
  }
  const Window part = window(quantity);
  if (how == "max") return *std::max_element(part.value.begin(), part.value.end());
  if (how == "min") return *std::min_element(part.value.begin(), part.value.end());
  if (how == "slope") return fit_line(part.time, part.value).slope;
  if (how == "period") {
    if (const auto period = mean_period(part.time, part.value)) return *period;
    refuse(study_, quantity.place, "`of` rises through zero less than twice in this window");
  }
  if (how == "mean") {
    double sum = 0;
    for (const double value : part.value) sum += value;
    return sum / static_cast<double>(part.value.size());
  }
  // The growth is that of the running maximum, counted from the start of the run.
  StudyQuantity whole = quantity;
  whole.from.reset();
  const Window all = window(whole);
  std::vector<double> time, size;
  double largest = 0;
  for (std::size_t k = 0; k < all.value.size(); ++k) {
    largest = std::max(largest, std::abs(all.value[k]));
    if (all.time[k] < part.time.front()) continue;
    time.push_back(all.time[k]);
    size.push_back(largest);
  }
  return growth_exponent(time, size).slope;
}

std::vector<double> StudyMeasurement::every(const History& history, const Expression& of,
                                            double interval) const {
  const std::vector<double> all = series(history, of, "");
  std::vector<double> values;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (std::abs(history.time[k] - static_cast<double>(values.size()) * interval) <=
        1e-6 * std::abs(history.step))
      values.push_back(all[k]);
  return values;
}

// Measures a band: the frequencies at which the periodogram is at least 1/20 of its maximum.
double StudyMeasurement::spectral(const StudyQuantity& quantity) const {
  const double interval = constant(*quantity.interval);
  const Periodogram p = periodogram(every(member(quantity), *quantity.of, interval), interval);
  if (p.power.empty()) refuse(study_, quantity.place, "the run has fewer than two values at this interval");
  const auto peak = std::max_element(p.power.begin(), p.power.end());
  if (quantity.measure == "peak") return *peak;
  if (quantity.measure == "peak-frequency")
    return p.frequency[static_cast<std::size_t>(peak - p.power.begin())];
  double low = 0, high = 0;
  for (std::size_t k = 0; k < p.power.size(); ++k) {
    if (p.power[k] < *peak / 20) continue;
    if (low == 0) low = p.frequency[k];
    high = p.frequency[k];
  }
  return quantity.measure == "band-low" ? low : high;
}

double StudyMeasurement::order(const StudyQuantity& quantity) const {
  std::vector<double> step, error;
  for (const History& history : members(quantity.run)) {
    step.push_back(std::abs(history.step));
    error.push_back(last(history, *quantity.of, quantity.reference));
  }
  const std::size_t skip =
      quantity.last > 0 ? step.size() - std::min(step.size(), static_cast<std::size_t>(quantity.last)) : 0;
  return growth_exponent(std::span(step).subspan(skip), std::span(error).subspan(skip)).slope;
}

// Returns the coefficient of h^power in the expansion of the value at the end of the runs: the polynomial in
// h through all members.
double StudyMeasurement::coefficient(const StudyQuantity& quantity) const {
  const std::vector<History>& all = members(quantity.run);
  const int n = static_cast<int>(all.size());
  if (quantity.power >= n) refuse(study_, quantity.place, "the family has too few members for this power");
  double radius = 0;
  for (const History& history : all) radius = std::max(radius, std::abs(history.step));
  DenseMatrix powers(n, n);
  std::vector<double> value;
  for (int i = 0; i < n; ++i) {
    const History& history = all[static_cast<std::size_t>(i)];
    for (int j = 0; j < n; ++j) powers(i, j) = std::pow(history.step / radius, static_cast<double>(j));
    value.push_back(last(history, *quantity.of, ""));
  }
  const auto coefficients = least_squares(powers, value, 0);
  if (!coefficients) refuse(study_, quantity.place, "two members of the family have the same step");
  return (*coefficients)[static_cast<std::size_t>(quantity.power)] / std::pow(radius, quantity.power);
}

double StudyMeasurement::value(const StudyQuantity& quantity,
                               const std::map<std::string, double>& before) const {
  std::vector<std::string> names;
  std::vector<double> values;
  for (const auto& [name, value] : before) {
    names.push_back(name);
    values.push_back(value);
  }
  for (const auto& [name, value] : constants_.all()) {
    names.push_back(name);
    values.push_back(static_cast<double>(value));
  }
  return StudyFormula(study_, *quantity.of, names)(values);
}

// Returns entries of the tableaux of gauss, radau and lobatto: A21, Ahat12, b1, c2, … counted from 1; two
// numbers with a comma beyond nine stages.
double StudyMeasurement::tableau(const StudyQuantity& quantity) const {
  const std::string& method = quantity.method;
  const std::size_t open = method.find('(');
  const std::string family = method.substr(0, open);
  const int stages = open == std::string::npos ? 0 : std::atoi(method.c_str() + open + 1);
  if (stages < 1 || stages > 32 || (family != "lobatto" && family != "gauss" && family != "radau"))
    refuse(study_, quantity.place, "tableaux there are of gauss(s), radau(s) and lobatto(s)");
  const Tableau<Float128> t = family == "lobatto" ? lobatto_tableau(stages)
                              : family == "gauss" ? gauss_tableau(stages)
                                                  : radau_tableau(stages);
  const std::string& entry = quantity.entry;
  const std::size_t digit = std::min(entry.find_first_of("0123456789"), entry.size());
  const std::string what = entry.substr(0, digit), index = entry.substr(digit);
  const bool matrix = what == "A" || what == "Ahat";
  const std::size_t comma = index.find(',');
  const int row =
      matrix && comma == std::string::npos ? std::atoi(index.substr(0, 1).c_str()) : std::atoi(index.c_str());
  const int column = !matrix ? 1
                     : comma == std::string::npos
                         ? std::atoi(index.c_str() + std::min<std::size_t>(1, index.size()))
                         : std::atoi(index.c_str() + comma + 1);
  if (row < 1 || row > stages || column < 1 || column > stages)
    refuse(study_, quantity.place, "there is no such entry in this tableau");
  if (what == "A") return static_cast<double>(t.A(row - 1, column - 1));
  if (what == "Ahat") return static_cast<double>(t.A_hat(row - 1, column - 1));
  if (what == "b") return static_cast<double>(t.b[row - 1]);
  if (what == "c") return static_cast<double>(t.c[row - 1]);
  refuse(study_, quantity.place, "a tableau has A, Ahat, b and c");
}

Measured StudyMeasurement::measure(const StudyQuantity& quantity,
                                   const std::map<std::string, double>& before) const {
  const std::string& how = quantity.measure;
  if (how == "value") return value(quantity, before);
  if (how == "tableau") return tableau(quantity);
  if (how == "stability") return stability(quantity);
  if (how == "symplectic-defect" || how == "reversal-defect") return trial(quantity);
  if (how == "order") return order(quantity);
  if (how == "coefficient") return coefficient(quantity);
  if (how == "peak" || how == "peak-frequency" || how == "band-low" || how == "band-high")
    return spectral(quantity);
  const History& history = member(quantity);
  if (how == "steps") return static_cast<double>(history.steps);
  if (how == "failure-time")
    return history.failed ? static_cast<double>(history.steps + 1) * history.step : nothing;
  if (how == "position-projections") return static_cast<double>(history.projections.position);
  if (how == "momentum-projections") return static_cast<double>(history.projections.momentum);
  if (how == "iterations-mean") return history.iterations_mean;
  if (how == "gradients-mean") return history.gradients_mean;
  if (how == "iterations-max") return static_cast<double>(history.iterations_max);
  if (history.failed && how != "max" && how != "min" && how != "at")
    refuse(study_, quantity.place,
           "the run `" + quantity.run + "` failed at step " + std::to_string(history.steps + 1));
  return reduced(quantity);
}

// Evaluates a published formula, which uses the constants and the start of the run.
double StudyMeasurement::published(const StudyQuantity& quantity) const {
  std::vector<std::string> names;
  std::vector<double> values;
  if (!quantity.run.empty()) {
    const History& history = members(quantity.run).front();
    names = history.names;
    const auto start = history.state(0);
    values.assign(start.begin(), start.end());
    for (const auto& [name, value] : history.parameters) {
      names.push_back(name);
      values.push_back(value);
    }
  }
  for (const auto& [name, value] : constants_.all()) {
    names.push_back(name);
    values.push_back(static_cast<double>(value));
  }
  return StudyFormula(study_, *quantity.published_formula, names)(values);
}

// Returns how far off an equal value may be, relative to a large one.
double StudyMeasurement::tolerance(const StudyQuantity& quantity) const {
  const double size = quantity.accept == Accept::equal ? std::max(1.0, std::abs(published(quantity))) : 1;
  return size * (quantity.tolerance ? constant(*quantity.tolerance) : 1e-9);
}

bool StudyMeasurement::agrees(const StudyQuantity& quantity, const Measured& measured) const {
  if (const std::string* text = std::get_if<std::string>(&measured)) return *text == quantity.published;
  const double value = std::get<double>(measured);
  switch (quantity.accept) {
    case Accept::digits:  // if nothing was published, only a second computation judges
      return quantity.published.empty() || rounds_to(value, *as_printed(quantity.published));
    case Accept::cut:
      return cut_to(value, *as_printed(quantity.published));
    case Accept::within:
      return std::abs(value - as_printed(quantity.published)->value) <= tolerance(quantity);
    case Accept::below:
      return value < constant(*quantity.low);
    case Accept::above:
      return value > constant(*quantity.low);
    case Accept::between:
      return value >= constant(*quantity.low) && value <= constant(*quantity.high);
    case Accept::equal:
      return std::abs(value - published(quantity)) <= tolerance(quantity);
    case Accept::text:
      return false;
  }
  return false;
}

std::string StudyMeasurement::accepted(const StudyQuantity& quantity) const {
  const auto range = [](double low, double high) {
    return fmt::format("{:.12g} .. {:.12g}", std::min(low, high), std::max(low, high));
  };
  // If nothing was published, the digits of the second computation are what is to be met.
  const bool by_second = quantity.accept == Accept::digits && quantity.published.empty();
  const auto printed = as_printed(by_second ? quantity.independent : quantity.published);
  switch (quantity.accept) {
    case Accept::digits:
      return printed ? range(printed->value - printed->unit / 2, printed->value + printed->unit / 2) : "";
    case Accept::cut:
      return range(printed->value, printed->value + std::copysign(printed->unit, printed->value));
    case Accept::within:
      return fmt::format("{:.12g} ± {:.3g}", printed->value, tolerance(quantity));
    case Accept::below:
      return fmt::format("< {:.6g}", constant(*quantity.low));
    case Accept::above:
      return fmt::format("> {:.6g}", constant(*quantity.low));
    case Accept::between:
      return range(constant(*quantity.low), constant(*quantity.high));
    case Accept::equal:
      return fmt::format("{:.9g} ± {:.3g}", published(quantity), tolerance(quantity));
    case Accept::text:
      return quantity.published;
  }
  return "";
}

}  // namespace taut
