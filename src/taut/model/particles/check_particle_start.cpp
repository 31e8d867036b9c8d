// Checks that everything in the whole system is finite at its start. What is not finite is named by
// its first term.
#include <taut/model/particles/particle_reader.hpp>
#include <taut/model/particles/particles.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/solve/dense_systems.hpp>
#include <taut/words/wording.hpp>

#include <cmath>

namespace taut {

namespace {

// What is not finite, as a sentence, and what to do about it; empty if all is finite.
struct WithoutValue {
  std::string sentence, note = {};
};

WithoutValue in_motion(const ParticleModel& model) {
  for (int i = 0; i < model.count; ++i) {
    double square = 0;
    for (int a = 0; a < model.dimension; ++a)
      square += model.p[a * model.count + i] * model.p[a * model.count + i];
    if (!std::isfinite(square / model.mass[i]))
      return {"the kinetic energy of particle " + std::to_string(i) + " is not finite at the start"};
  }
  return {};
}

WithoutValue in_the_system(const std::shared_ptr<const ParticleModel>& model) {
  const ParticleProblem<double> s(model);
  const auto x = s.start();
  Vector<double, dynamic> slope = zero_vector(s), g = zero_multiplier(s);
  auto G = s.make_jacobian();
  if (!std::isfinite(s.V(x.q))) return {"the potential is not finite at the start"};
  s.grad_V(x.q, slope);
  for (int j = 0; j < slope.size(); ++j)
    if (!std::isfinite(slope[j]))
      return {"the force on particle " + std::to_string(j % model->count) + " is not finite at the start"};
  s.g(x.q, g);
  for (int k = 0; k < g.size(); ++k)
    if (!std::isfinite(g[k])) return {s.constraint_name(k) + " is not finite at the start"};
  s.G(x.q, G);
  int bad = -1;
  G.for_each([&](int row, int, double entry) {
    if (!std::isfinite(entry) && bad < 0) bad = row;
  });
  if (bad < 0) return {};
  return {"the derivative of " + s.constraint_name(bad) + " is not finite at the start"};
}

// The first term of a group whose value, or else whose gradient, is not finite.
struct BadTerm {
  int k = -1;
  bool value = false;
};

BadTerm bad_term(const std::shared_ptr<const TermGroup<Program>>& group, const ParticleModel& model) {
  const TermEvaluator<double, ProgramKernel> terms(group, model.dimension, model.count);
  BadTerm bad;
  const auto look = [&](int k, const Batch<double>& x, bool value) {
    for (int i = 0; i < group->particle[0].lanes<double>(k); ++i)
      if (!std::isfinite(lane_of(x, i)) && (bad.k < 0 || k + i < bad.k)) bad = {k + i, value};
  };
  terms.values(model.q.data(), [&](int k, const Batch<double>& f) { look(k, f, true); });
  if (bad.k >= 0) return bad;
  terms.gradients(model.q.data(), [&](int k, const Batch<double>* slope) {
    for (int e = 0; e < group->places() * model.dimension; ++e) look(k, slope[e], false);
  });
  return bad;
}

std::string place_text(const ParticleModel& model, int i) {
  std::string text = "it is at (";
  for (int a = 0; a < model.dimension; ++a)
    text.append(a == 0 ? "" : ", ").append(number_text(model.q[a * model.count + i]));
  return text + ")";
}

bool same_place(const ParticleModel& model, int i, int j) {
  for (int a = 0; a < model.dimension; ++a)
    if (model.q[a * model.count + i] != model.q[a * model.count + j]) return false;
  return true;
}

std::string what_to_do(const TermGroup<Program>& group, const ParticleModel& model, int k) {
  for (int b = 1; b < group.places(); ++b)
    for (int a = 0; a < b; ++a)
      if (const int i = group.particle[a][k], j = group.particle[b][k]; same_place(model, i, j))
        return "particles " + std::to_string(i) + " and " + std::to_string(j) + " are at the same place";
  if (group.what == "bend")
    return "theta has no derivative at 0 and at 180 degrees: write the potential in costheta";
  if (group.what == "torsion") return "phi is not defined where three of the particles lie on a line";
  return group.places() == 1 ? place_text(model, group.particle[0][k]) : "";
}

WithoutValue in_terms(const std::shared_ptr<const TermGroup<Program>>& group, const ParticleModel& model) {
  const BadTerm bad = bad_term(group, model);
  if (bad.k < 0) return {};
  return {group->what + " " + group->particles_of(bad.k) + ": the " + (bad.value ? "potential" : "force") +
              " is not finite at the start",
          what_to_do(*group, model, bad.k)};
}

WithoutValue in_pairs(const std::shared_ptr<const PairGroup<Program>>& group, const ParticleModel& model) {
  const Evaluator<double> value(group->value), slope(group->slope);
  const auto finite = [](const Evaluator<double>& f, double r, double over) {
    double x = 0;
    f(&r, nullptr, nullptr, &x);
    return std::isfinite(x / over);
  };
  if ((group->truncation != Truncation::none && !finite(value, group->cutoff, 1)) ||
      (group->truncation == Truncation::force_shift && !finite(slope, group->cutoff, 1)))
    return {"the potential, or its derivative, is not finite at the cutoff"};
  const CellGrid grid(*group, model.dimension, model.q, group->sets.front());
  const PairList list(*group, model.dimension, model.q);
  for (std::size_t k = 0; k < list.first.size(); ++k) {
    const int i = list.first[k], j = list.second[k];
    const double r = std::sqrt(grid.distance2(i, j));
    if (r >= group->cutoff) continue;
    const bool fine = finite(value, r, 1);
    if (fine && finite(slope, r, r)) continue;
    return {"pair " + std::to_string(i) + "-" + std::to_string(j) + ", r = " + number_text(r) + ": the " +
                (fine ? "force" : "potential") + " is not finite at the start",
            r == 0 ? "the two are at the same place, where a force has no direction: move one, or leave the "
                     "pair out"
                   : "the formula has no finite value at this distance"};
  }
  return {};
}

}  // namespace

void ParticleReader::refuse_surplus() {
  const int m = model_->rows->rows, n = model_->coordinates();
  std::string sentence = std::to_string(m) + " constraints on " + std::to_string(n) +
                         " coordinates leave nothing that moves",
              note = "there must be fewer constraints than coordinates";
  constexpr int most = 500;  // the analysis costs m³
  std::vector<std::string> names;
  if (m <= most) {
    const ParticleProblem<double> s(model_);
    auto G = s.make_jacobian();
    s.G(s.start().q, G);
    DenseMatrix rows(m, n);
    G.for_each([&](int row, int column, double entry) { rows(row, column) += entry; });
    for (const int k : dependent_rows_below_rank(rows)) names.push_back(s.constraint_name(k));
  }
  std::string more;
  if (!names.empty()) {
    more = "As they are, " + sentence + ".\n";
    sentence = "the gradients of " + taut::listed(names) + (names.size() == 1 ? " come down" : " combine") +
               " to zero at the start";
    note = "leave out those that follow from others";
  }
  fail_key(*root_.find("particles"), std::move(sentence), std::move(note));
  errors_.back().more = std::move(more);
}

void ParticleReader::check_start() {
  if (const WithoutValue motion = in_motion(*model_); !motion.sentence.empty())
    return fail_key(*root_.find("particles"), motion.sentence);
  const WithoutValue whole_system = in_the_system(model_);
  if (whole_system.sentence.empty()) return;
  // The table to name is the first one that has it.
  const auto found = [&](const WithoutValue& what, const Place& table) {
    if (!what.sentence.empty()) fail(*table.source, table.header, what.sentence, what.note);
    return !what.sentence.empty();
  };
  for (std::size_t k = 0; k < model_->potentials.size(); ++k)
    if (found(in_terms(model_->potentials[k], *model_), potential_tables_[k])) return;
  for (std::size_t k = 0; k < model_->pairs.size(); ++k)
    if (found(in_pairs(model_->pairs[k], *model_), pair_tables_[k])) return;
  for (std::size_t k = 0; k < model_->constraints.size(); ++k)
    if (bad_term(model_->constraints[k], *model_).k >= 0 && found(whole_system, constraint_tables_[k]))
      return;
  fail_key(*root_.find("particles"), whole_system.sentence);
}

}  // namespace taut
