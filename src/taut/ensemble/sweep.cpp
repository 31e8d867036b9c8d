#include <taut/ensemble/sweep.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace taut {

Sweep::Sweep(const Ensemble& e)
    : names(e.variations.names()),
      quantities(e.run.quantities().columns(e.run.coordinates())),
      rows(static_cast<std::size_t>(e.size())) {
  const std::vector<std::string> state = e.run.columns();
  const auto half = state.begin() + static_cast<std::ptrdiff_t>(state.size() / 2);
  coordinates.assign(state.begin(), half);
  momenta.assign(half, state.end());
}

void Sweep::add(const Unit& unit) {
  for (int k = 0; k < unit.count; ++k) {
    SweepRow& row = rows[static_cast<std::size_t>(unit.first() + k)];
    int at = 0;
    const auto take = [&] { return unit.at(k, at++); };
    const auto take_all = [&](std::vector<double>& into, std::size_t count) {
      into.clear();
      for (std::size_t j = 0; j < count; ++j) into.push_back(take());
    };
    // The columns are those of an ensemble, in their order.
    take_all(row.q, coordinates.size());
    take_all(row.p, momenta.size());
    ++at;  // t, which the ending has
    row.energy_initial = take();
    row.energy_final = take();
    row.energy_error = take();
    row.position = take();
    row.momentum = take();
    at += 2;  // how far the start was moved
    take_all(row.quantities, quantities.size());
    take_all(row.values, names.size());
    row.ending = unit.endings[static_cast<std::size_t>(k)];
  }
}

std::string to_csv(const Sweep& s) {
  std::vector<std::string> head = s.names;
  for (const char* name : {"ended", "steps", "time", "energy_initial", "energy_final", "energy_max_error",
                           "position_max", "momentum_max"})
    head.emplace_back(name);
  for (const auto* more : {&s.quantities, &s.coordinates, &s.momenta})
    head.insert(head.end(), more->begin(), more->end());
  std::string text = fmt::format("{}\n", fmt::join(head, ","));
  for (const SweepRow& r : s.rows) {
    for (const double x : r.values) text += fmt::format("{:.17g},", x);
    text += fmt::format("{},{},{:.17g}", name_of(r.ending.kind), r.ending.steps, r.ending.time);
    for (const double x : {r.energy_initial, r.energy_final, r.energy_error, r.position, r.momentum})
      text += fmt::format(",{:.17g}", x);
    for (const auto* more : {&r.quantities, &r.q, &r.p})
      for (const double x : *more) text += fmt::format(",{:.17g}", x);
    text += '\n';
  }
  return text;
}

Json to_json(const Sweep& s) {
  Json list = Json::list();
  for (const SweepRow& r : s.rows) {
    Json values = Json::object(), quantities = Json::object();
    for (std::size_t k = 0; k < s.names.size(); ++k) values[s.names[k]] = r.values[k];
    for (std::size_t k = 0; k < s.quantities.size(); ++k) quantities[s.quantities[k]] = r.quantities[k];
    Json row = Json::object(
        {{"values", std::move(values)},
         {"ended", name_of(r.ending.kind)},
         {"steps", r.ending.steps},
         {"time", r.ending.time},
         {"q", r.q},
         {"p", r.p},
         {"energy",
          Json::object(
              {{"initial", r.energy_initial}, {"final", r.energy_final}, {"max_error", r.energy_error}})},
         {"residual", Json::object({{"position_max", r.position}, {"momentum_max", r.momentum}})},
         {"quantities", std::move(quantities)}});
    if (r.ending.failed())
      row["failure"] = Json::object({{"constraint", r.ending.constraint}, {"residual", r.ending.residual}});
    list.push_back(std::move(row));
  }
  return list;
}

std::string to_text(const Sweep& s, std::size_t most) {
  std::string text = "  ";
  for (const std::string& name : s.names) text += fmt::format("{:>13} ", name);
  text +=
      fmt::format("{:>11} {:>11} {:>11} {:>10} {}\n", "max|H-H0|", "max|g|", "max|G H_p|", "steps", "ended");
  for (std::size_t k = 0; k < std::min(most, s.rows.size()); ++k) {
    const SweepRow& r = s.rows[k];
    text += "  ";
    for (const double x : r.values) text += fmt::format("{:>13.6g} ", x);
    text += fmt::format("{:>11.3g} {:>11.3g} {:>11.3g} {:>10} {}\n", r.energy_error, r.position, r.momentum,
                        r.ending.steps, name_of(r.ending.kind));
  }
  if (s.rows.size() > most)
    text += fmt::format("  … and {} more, which --csv and --json print\n", s.rows.size() - most);
  return text;
}

}  // namespace taut
