// Looks at the steps of a run that stand out: those whose residual is larger than any before, and those in
// which the energy changed by half as much again as ever before. A step that missed its constraints, in units
// of the state it leaves behind, has failed; so has a step that changed the branch of the constraints, or in
// which the energy jumped. All other steps cost three comparisons. Labels: docs/theory/manifold.md.
#pragma once

#include <taut/formulation/kept_units.hpp>
#include <taut/formulation/multiplier.hpp>
#include <taut/measure/tally.hpp>
#include <taut/method/stepper.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace taut {

// A step stands out if the energy changed by this many times as much as in any step before.
inline constexpr double more_than_ever = 1.5;
// The energy has jumped if it changed by more than this part of the kinetic energy, and by this many times as
// much as it was off ever before, once so many steps have shown how much that is.
inline constexpr double jump_of_kinetic = 0.05, jump_of_error = 16;
inline constexpr std::int64_t steps_to_know_the_error = 8;
// Before that, a step that crosses no constraint is made again in two halves. It has changed the branch if
// these end elsewhere, by more than this part of the way, and keep the energy better by this factor; and if
// the way is no more than so many times what the velocity explains.
inline constexpr double part_elsewhere = 0.4, better_by_halves = 8, explained_by_velocity = 4;
// A step has changed the branch if more than this part of the way is across a constraint and not along it.
inline constexpr double part_across = 0.7;
// Sheets that are so close that the energy changes by less than this part of the kinetic one count as one.
inline constexpr double part_noticed = 1e-9;

// Says whether the residual of a step that ended with this reading stands out.
inline bool misses_most(const Tally& tally, const Reading& now) {
  return now.position > tally.position_max || now.momentum > tally.momentum_max;
}

// Says whether a step that ended with this reading stands out.
template <bool wide = true>
bool stands_out(const Tally& tally, const Reading& now) {
  return misses_most(tally, now) ||
         std::abs(energy_above<wide>(now, tally.now)) > more_than_ever * tally.change_max;
}

// Says whether a step is worth a look: it stands out, needed more corrections than any before, or it is time
// for a look at the constraints.
inline constexpr std::int64_t steps_between_looks = 256;
inline bool is_time_for_a_look(const Tally& tally) { return tally.steps % steps_between_looks == 0; }
template <bool wide>
bool worth_a_look(const Tally& tally, const Reading& now, int corrections) {
  return stands_out<wide>(tally, now) || corrections > tally.iterations_max || is_time_for_a_look(tally);
}

// Up to so many constraints the smallest pivot is found by elimination, which costs their cube; up to so many
// more by a few solves; beyond that nothing is asked.
inline constexpr int most_constraints_eliminated = 64, most_constraints_watched = 4096;

// Returns the pivot 1/(C⁻¹)ᵢᵢ of the constraint i that C = G H_pp Gᵀ, with each constraint scaled to unit
// length, leaves least of if it is eliminated last. Inverse iteration shows which one that is.
template <Hamiltonian P>
double last_pivot(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
  typename P::Jacobian G = s.make_jacobian();
  s.G(q, G);
  typename P::Multiplier length = zero_multiplier(s), x = length;
  G.for_each([&](int i, int, double entry) { length[i] += entry * entry; });
  ConstraintMatrix<P> C(s);
  C.right(s, q, p, G, 1.0);
  C.assemble(G);
  if (C.factor() >= 0) return 0;
  Eigen::Index last = 0;
  for (int k = 0; k < s.constraints(); ++k) x[k] = std::cos(1.0 + 2.3 * k);  // no symmetric start
  for (int again = 0; again < 4; ++again) {
    x.array() *= length.array().sqrt();
    C.solve(x);
    x.array() *= length.array().sqrt();
    x /= x.cwiseAbs().maxCoeff(&last);
  }
  x.setZero();
  x[last] = 1;
  C.solve(x);
  const double inverse = x[last];
  // The scale is C itself there, which G alone does not know if the masses differ.
  typename P::Vec row = zero_vector(s), moved = row;
  G.for_each([&](int i, int j, double entry) { row[j] += i == last ? entry : 0; });
  H_pp_times(s, q, p, row, moved);
  const double pivot = 1 / (row.dot(moved) * inverse);
  return pivot > 0 ? std::min(pivot, 1.0) : 0;
}

// Returns the smallest pivot of G H_pp Gᵀ, with each constraint scaled to unit length and the largest pivot
// first: 1 if the constraints do not feel each other, 0 if they are dependent.
template <Hamiltonian P>
double smallest_pivot(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
  const int m = s.constraints();
  if (m < 2 || m > most_constraints_watched) return 1;
  // Constraints that follow from others on request are dependent everywhere: that tells nothing of a place.
  if (is_redundant(s)) return 1;
  if constexpr (P::m == dynamic)
    if (m > most_constraints_eliminated) return last_pivot(s, q, p);
  typename P::Jacobian G = s.make_jacobian();
  s.G(q, G);
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(m, s.coordinates()), A(m, m);
  G.for_each([&](int i, int j, const auto& entry) { rows(i, j) += lane(entry, 0); });
  typename P::Vec row = zero_vector(s), moved = row;
  for (int i = 0; i < m; ++i) {
    row = rows.row(i).transpose().template cast<typename P::Scalar>();
    H_pp_times(s, q, p, row, moved);
    for (int k = 0; k < m; ++k) A(k, i) = rows.row(k).dot(moved.template cast<double>());
  }
  const Eigen::VectorXd length = A.diagonal().cwiseSqrt();
  for (int i = 0; i < m; ++i)
    for (int k = 0; k < m; ++k) A(k, i) /= length[k] * length[i];
  double smallest = 1;
  for (int done = 0; done < m; ++done) {
    int next = done;
    for (int i = done; i < m; ++i)
      if (A(i, i) > A(next, next)) next = i;
    A.row(done).swap(A.row(next));
    A.col(done).swap(A.col(next));
    const double pivot = A(done, done);
    if (!(pivot > 0)) return 0;  // also if it is not a number
    smallest = std::min(smallest, pivot);
    for (int i = done + 1; i < m; ++i)
      for (int k = done + 1; k < m; ++k) A(k, i) -= A(k, done) * A(done, i) / pivot;
  }
  return smallest;
}

// The normals of all constraints at one position.
template <Hamiltonian P>
std::vector<typename P::Scalar> normals_at(const P& s, const typename P::Vec& q, typename P::Jacobian& G) {
  std::vector<typename P::Scalar> entries;
  s.G(q, G);
  G.for_each([&](int, int, const auto& entry) { entries.push_back(entry); });
  return entries;
}

// Returns a constraint whose normals at two positions are opposed; -1 if there is none. G has the pattern.
template <Hamiltonian P>
int opposed(const P& s, const typename P::Jacobian& G, const std::vector<typename P::Scalar>& a,
            const std::vector<typename P::Scalar>& b) {
  typename P::Multiplier product = zero_multiplier(s);
  std::size_t at = 0;
  G.for_each([&](int i, int, const auto&) {
    product[i] += a[at] * b[at];
    ++at;
  });
  for (int i = 0; i < s.constraints(); ++i)
    if (product[i] < 0) return i;
  return -1;
}

// Measures how H is rounded where it is evaluated: the largest |H(x + δ) - H(x) - H_q δq - H_p δp| over short
// displacements δ.
template <Hamiltonian P>
double noise_of_energy(const P& s, const StateOf<P>& x) {
  using T = typename P::Scalar;
  typename P::Vec force = zero_vector(s), v = force;
  H_q(s, x.q, x.p, force);
  H_p(s, x.q, x.p, v);
  const auto sizes = [](const typename P::Vec& of) {
    const T largest = largest_entry(of) > 0 ? largest_entry(of) : T(1);
    return typename P::Vec(
        of.unaryExpr([&](const T& entry) { return entry == T(0) ? largest : T(magnitude(entry)); }));
  };
  const typename P::Vec far = sizes(x.q), fast = sizes(x.p);
  const T here = H(s, x.q, x.p);
  double noise = 0;
  for (int k = 0; k < noise_probes; ++k) {
    const typename P::Vec dq = displacement(k, x.q, far), dp = displacement(k + noise_probes, x.p, fast);
    const T there = H(s, typename P::Vec(x.q + dq), typename P::Vec(x.p + dp));
    noise = std::max(noise, std::abs(lane(T(there - here - force.dot(dq) - v.dot(dp)), 0)));
  }
  return noise;
}

// Returns a unit of rounding of H, by the sizes of H and of q·H_q: at rest in an equilibrium, what is
// measured around it may be nothing, and H moves by such units all the same.
template <Hamiltonian P>
double rounding_of_energy(const P& s, const StateOf<P>& x) {
  using T = typename P::Scalar;
  typename P::Vec force = zero_vector(s);
  H_q(s, x.q, x.p, force);
  T size = magnitude(T(H(s, x.q, x.p)));
  for (Eigen::Index j = 0; j < force.size(); ++j) size += magnitude(T(force[j] * x.q[j]));
  return epsilon<T>() * lane(size, 0);
}

template <Hamiltonian P>
double kinetic_energy(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
  typename P::Vec v = zero_vector(s);
  H_p(s, q, p, v);
  return std::abs(lane(typename P::Scalar(p.dot(v)), 0)) / 2;
}

// Returns the kinetic energy of velocities that are no more than what a step h makes of rounded positions,
// and 0 if they are more: a system at rest moves so, and owns no energy.
template <Hamiltonian P>
double rounding_at_rest(const P& s, const StateOf<P>& x, const typename P::Scalar& h) {
  using T = typename P::Scalar;
  typename P::Vec v = zero_vector(s);
  H_p(s, x.q, x.p, v);
  const double way = lane(largest_entry(v), 0) * std::abs(lane(h, 0));
  return way > noise_slack * epsilon<T>() * lane(largest_entry(x.q), 0) ? 0 : kinetic_energy(s, x.q, x.p);
}

// Returns H_pp p', with the forces of the constraints; 0 if these are not determined.
template <Hamiltonian P>
typename P::Vec acceleration(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
  typename P::Vec force = zero_vector(s), a = force;
  const auto lambda = multiplier(s, q, p);
  if (!lambda) return a;
  H_q(s, q, p, force);
  force = -force;
  typename P::Jacobian G = s.make_jacobian();
  s.G(q, G);
  G.subtract_transpose(*lambda, force);
  H_pp_times(s, q, p, force, a);
  return a;
}

// What was found wrong with a step. If it is not certain, the step is made again in halves.
struct Finding {
  Failure failure;
  bool certain = true;
};

template <Hamiltonian P>
class Watch {
 public:
  using Vec = typename P::Vec;
  using T = typename P::Scalar;

  // Judges a step of size h between two states. It is rarely called, and may allocate.
  Watch(const P& s, const StateOf<P>& before, const StateOf<P>& after, const T& h)
      : s_(s), before_(before), after_(after), h_(magnitude(h)), h_with_sign_(h), G_(s.make_jacobian()) {
    v0_ = v1_ = zero_vector(s);
    H_p(s, before.q, before.p, v0_);
    H_p(s, after.q, after.p, v1_);
    s.G(after.q, G_);
  }

  // Returns the failure of a step that ends off the constraints that its method keeps. What rounding explains
  // is ε Σ_j |G_ij| size_j, with the sizes of positions, or velocities, before, in and after the step, and of
  // what the constraint forces moved. Forces that would move a coordinate further than the whole system is
  // large count only up to there: what they cancel is lost, and that is no rounding error.          (W1)
  std::optional<Failure> missed(const StepPromise& promise) const {
    if (promise.keeps == Keeps::nothing || s_.constraints() == 0) return std::nullopt;
    const Vec kicked = kick_of_constraints();
    const T far = larger(largest_entry(before_.q), largest_entry(after_.q));
    const T fast = larger(largest_entry(v0_), largest_entry(v1_));
    const T limit = far > 0 || fast > 0 ? larger(far, T(h_ * fast)) : T(1);
    typename P::Multiplier residual = zero_multiplier(s_);
    s_.g(after_.q, residual);
    Vec size = kicked;
    for (Eigen::Index j = 0; j < size.size(); ++j)
      size[j] =
          std::max<T>({magnitude(before_.q[j]), magnitude(after_.q[j]), h_ * magnitude(v0_[j]),
                       h_ * magnitude(v1_[j]), std::min<T>(limit, h_ * kicked[j]), noise_of_noise * limit});
    const auto noise_of_g = [&](BoundsOf<P>& noise) { noise_of_positions(s_, after_.q, noise); };
    if (keeps_position(promise.keeps))
      if (const auto failure = off(residual, size, promise.tolerance, SolveStage::position, noise_of_g))
        return failure;
    if (!keeps_momentum(promise.keeps)) return std::nullopt;
    G_.times(v1_, residual);
    leave_out_redundant(s_, after_.q, after_.p, G_, residual);
    for (Eigen::Index j = 0; j < size.size(); ++j)
      size[j] =
          std::max<T>({magnitude(v0_[j]), magnitude(v1_[j]), magnitude(T(after_.q[j] - before_.q[j])) / h_,
                       std::min<T>(limit / h_, kicked[j]), noise_of_noise * fast});
    const auto noise_of_f = [&](BoundsOf<P>& noise) { noise_of_momenta(s_, after_.q, after_.p, G_, noise); };
    return off(residual, size, promise.tolerance, SolveStage::momentum, noise_of_f);
  }

  // Returns how far the step moved q beyond the mean of its velocities, and beyond its first velocity and the
  // forces there; 0 if that is less than half of the way, as it is if the start is on the constraints, or
  // rounding.
  double unexplained(const StepPromise& promise) const {
    const Vec moved = after_.q - before_.q, by_velocity = moved - h_with_sign_ * v0_;
    const double way = size_of(moved);
    const double rounding = std::max(most_units_off * epsilon<T>() * std::max(size_of(before_.q), way),
                                     reach_of(promise.tolerance));
    double beyond_it = size_of(Vec(moved - h_with_sign_ * (v0_ + v1_) / T(2)));
    if (!(beyond_it > way / 2)) return 0;
    const Vec by_force = by_velocity - h_ * h_ / T(2) * acceleration(s_, before_.q, before_.p);
    beyond_it = std::min({beyond_it, size_of(by_velocity), size_of(by_force)});
    return beyond_it > way / 2 && beyond_it > rounding ? beyond_it : 0;
  }

  // Returns how far from its constraint a position may be if |g| is within this tolerance.
  double reach_of(double tolerance) const {
    if (!(tolerance > 0)) return 0;
    std::vector<double> length(static_cast<std::size_t>(s_.constraints()), 0);
    G_.for_each([&](int i, int, const T& entry) {
      length[static_cast<std::size_t>(i)] += std::pow(lane(magnitude(entry), 0), 2);
    });
    double far = 0;
    for (const double square : length) far = std::max(far, tolerance / std::sqrt(square));
    return 2 * far;  // both ends of a step may be
  }

  // Returns the failure of a step in which the energy changed by `change`, if that is a jump and no more than
  // the tolerance of the solves, or rounding, explains.                                              (W2)
  std::optional<Finding> jumped(double change, const Tally& tally, const StepPromise& promise) const {
    const double before = std::abs(lane(T(before_.p.dot(v0_)), 0)) / 2;
    const double kinetic = std::max(before, std::abs(lane(T(after_.p.dot(v1_)), 0)) / 2);
    // An unstable run loses its energy step by step, and is called so at its end.
    const bool is_lost = tally.steps > 0 && tally.energy_error > 0.5 * std::max(before, tally.kinetic_max);
    const double known = std::max(more_than_ever * tally.change_max, explained_by(promise.tolerance));
    if (!(kinetic > 0) || change <= known) return std::nullopt;
    if (is_rounding(after_.q - before_.q)) return std::nullopt;
    const auto found = [&](double allowed, int constraint) {
      return Failure{
          .kind = FailureKind::jumped, .residual = change, .constraint = constraint, .allowed = allowed};
    };
    if (!is_lost && change > part_noticed * kinetic && promise.keeps != Keeps::nothing)
      if (const int left = sheet_left(); left >= 0) return Finding{found(known, left)};
    const double allowed = std::max(jump_of_kinetic * kinetic, known);
    if (change <= allowed || change <= noise_slack * noise_of_energy(s_, after_)) return std::nullopt;
    if (breaks_on_the_way(change)) return Finding{found(allowed, -1)};
    if (is_lost || change <= jump_of_error * tally.energy_error) return std::nullopt;
    const int crossed = constraint_crossed();
    return Finding{found(allowed, crossed), crossed >= 0 || tally.steps >= steps_to_know_the_error};
  }

 private:
  // Returns how much the energy may change if positions and momenta are off by the tolerance, and velocities,
  // which land the step on the constraints, by the tolerance divided by the step.
  double explained_by(double tolerance) const {
    if (!(tolerance > 0)) return 0;
    Vec force = zero_vector(s_);
    H_q(s_, after_.q, after_.p, force);
    const double p = std::max(sum_of(before_.p), sum_of(after_.p));
    const double v = std::max(sum_of(v0_), sum_of(v1_));
    return tolerance * (sum_of(force) + v + p / lane(h_, 0));
  }
  // Asks whether a way is what rounding of the constraints makes of a system at rest.
  bool is_rounding(const Vec& way) const {
    const Vec length =
        lengths_of_bends(s_, after_.q, G_, Vec(after_.q.unaryExpr([](const T& x) { return magnitude(x); })));
    return size_of(way) <= most_units_off * epsilon<T>() * std::max(size_of(after_.q), size_of(length));
  }
  static double size_of(const Vec& x) { return lane(largest_entry(x), 0); }
  static double sum_of(const Vec& x) { return x.template cast<double>().cwiseAbs().sum(); }

  // Returns what the impulses of the constraints add to each velocity in the step, each by itself:
  // H_pp |Gᵀ||μ|. There are the impulses h λ of the forces, and those that changed the velocities in the
  // first and in the second half of the step.
  Vec kick_of_constraints() const {
    typename P::Multiplier impulse = zero_multiplier(s_);
    const auto count = [&](const typename P::Multiplier& found, const T& factor) {
      for (int i = 0; i < s_.constraints(); ++i)
        if (const T size = factor * magnitude(found[i]); size > impulse[i]) impulse[i] = size;
    };
    if (const auto lambda = multiplier(s_, after_.q, after_.p)) count(*lambda, h_);
    const Vec halfway = (after_.q - before_.q) / h_with_sign_;
    ConstraintMatrix<P> C(s_);
    C.right(s_, after_.q, after_.p, G_, T(1));
    C.assemble(G_);
    if (C.factor() < 0)
      for (const Vec& change : {Vec(halfway - v0_), Vec(v1_ - halfway)}) {
        typename P::Multiplier found = zero_multiplier(s_);
        G_.times(change, found);
        C.solve(found);
        count(found, T(1));
      }
    Vec kick = kick_sizes(s_, after_.q, after_.p, G_, impulse);
    for (Eigen::Index j = 0; j < kick.size(); ++j) kick[j] = finite(kick[j]) ? kick[j] : T(0);
    return kick;
  }

  // Returns the worst entry of a residual that is above the tolerance and beyond its units.
  template <class Measure>
  std::optional<Failure> off(const typename P::Multiplier& residual, const Vec& size, double tolerance,
                             SolveStage stage, Measure&& measure) const {
    BoundsOf<P> bound = BoundsOf<P>::Zero(s_.constraints());
    bounds_of_rounding(G_, size, bound);
    return beyond_noise(residual, bound, tolerance, stage, true, measure);
  }

  // Asks whether H, on the straight way from the state before the step to that after it, has a pole or a jump
  // that explains a change of the energy: a difference of H that its gradient does not explain, and that
  // stays however short the part of the way is. The part with the largest such difference is halved again
  // and again; if H is smooth, the differences go down with the third power of the length.          (W3b)
  bool breaks_on_the_way(double change) const {
    constexpr int parts = 16, halvings = 96;
    constexpr double explains = 0.25;
    struct End {
      double t, H, slope;
    };
    struct Part {
      End from, to;
      double unexplained() const {
        return std::abs(to.H - from.H - (to.t - from.t) * (from.slope + to.slope) / 2);
      }
    };
    Vec by_q = zero_vector(s_), by_p = by_q;
    bool is_infinite = false;
    const auto at = [&](double t) {
      const Vec q = before_.q + T(t) * (after_.q - before_.q), p = before_.p + T(t) * (after_.p - before_.p);
      H_q(s_, q, p, by_q);
      H_p(s_, q, p, by_p);
      const T slope = by_q.dot(after_.q - before_.q) + by_p.dot(after_.p - before_.p);
      const End end{t, lane(H(s_, q, p), 0), lane(slope, 0)};
      is_infinite = is_infinite || std::isinf(end.H);
      return end;
    };
    std::vector<Part> way;
    for (int i = 0; i < parts; ++i)
      way.push_back({i == 0 ? at(0) : way.back().to, at(static_cast<double>(i + 1) / parts)});
    const auto worst = [&] {
      return std::max_element(way.begin(), way.end(),
                              [](const Part& a, const Part& b) { return a.unexplained() < b.unexplained(); });
    };
    for (int i = 0; i < halvings && !is_infinite; ++i) {
      const auto part = worst();
      if (!(part->unexplained() > explains * change)) return false;  // also if it is not a number
      const End middle = at((part->from.t + part->to.t) / 2);
      const Part second{middle, part->to};
      part->to = middle;
      way.push_back(second);
    }
    return true;
  }

  // Returns a constraint that the step has left for another sheet of it; -1 if there is none. Neighbouring
  // sheets face each other with opposed normals, however close they are, so that the normal halfway between
  // two sheets is opposed to one of them at least. Along one sheet it lies between the normals of the ends.
  // If there are more sheets between, the normal turns round on the way from one of them to the next, perhaps
  // only near an end, because the straight way leaves a bent sheet to its inside. Many constraints are not
  // looked at so closely.                                                                           (W5)
  int sheet_left() const {
    const bool closely = s_.constraints() <= most_constraints_eliminated;
    typename P::Jacobian G = s_.make_jacobian();
    const auto first = normals_at(s_, before_.q, G), last = normals_at(s_, after_.q, G);
    auto here = first;
    for (const double part : parts_of_the_way) {
      if (!closely && part != 0.5) continue;
      const auto next = normals_at(s_, Vec(before_.q + T(part) * (after_.q - before_.q)), G);
      int left = opposed(s_, G, here, next);
      if (part == 0.5 && left < 0) left = opposed(s_, G, first, next);
      if (part == 0.5 && left < 0) left = opposed(s_, G, next, last);
      if (left >= 0) return left;
      here = next;
    }
    return -1;
  }
  // They have no period, and are dense at the ends.
  static constexpr double parts_of_the_way[] = {0.002, 0.005, 0.01,  0.02,  0.04,  0.083, 0.13,  0.19,
                                                0.307, 0.4,   0.5,   0.618, 0.733, 0.82,  0.87,  0.917,
                                                0.94,  0.96,  0.975, 0.985, 0.992, 0.996, 0.998, 1};

  // Returns a constraint that the step went across, by the tangent space before it; -1 if there is none.
  int constraint_crossed() const {
    typename P::Jacobian G = s_.make_jacobian();
    s_.G(before_.q, G);
    const Vec way = after_.q - before_.q;
    typename P::Multiplier normal = zero_multiplier(s_), length = normal, here = normal;
    G.for_each([&](int i, int j, const T& entry) {
      normal[i] += entry * way[j];
      length[i] += entry * entry;
      here[i] += way[j] * way[j];
    });
    const double longest = size_of(way);
    for (int i = 0; i < s_.constraints(); ++i) {
      const double off = std::abs(lane(normal[i], 0)) / std::sqrt(lane(length[i], 0));
      if (off > part_across * std::sqrt(lane(here[i], 0)) && off > 1e-3 * longest) return i;
    }
    return -1;
  }

  const P& s_;
  const StateOf<P>&before_, &after_;
  T h_, h_with_sign_;
  typename P::Jacobian G_;
  Vec v0_, v1_;
};

// Says whether two half steps that end at `halves`, with the energy changed by `change_by_halves`, show that
// the whole step from `from` to `to` went to another branch.                                          (W3)
template <Hamiltonian P, class X>
bool ends_elsewhere(const P& s, const X& from, const X& to, const X& halves, const typename P::Scalar& h,
                    double change, double change_by_halves) {
  typename P::Vec v = zero_vector(s);
  H_p(s, from.q, from.p, v);
  const auto size = [](const typename P::Vec& x) { return lane(largest_entry(x), 0); };
  const double way = size(to.q - from.q);
  return way <= explained_by_velocity * std::abs(lane(h, 0)) * size(v) &&
         size(to.q - halves.q) > part_elsewhere * way && better_by_halves * change_by_halves < change;
}

// Says what is wrong with a step between two states, plain or compensated, if anything is.
template <Hamiltonian P, class X>
[[gnu::cold, gnu::noinline]] std::optional<Finding> judged(const P& s, const X& from, const X& to,
                                                           const typename P::Scalar& h,
                                                           const Stepper<P, X>& stepper, Tally& tally,
                                                           const Reading& now) {
  const StateOf<P> before{from.q, from.p}, after{to.q, to.p};
  // The pivots of many constraints are dearer, and are looked at more rarely.
  if (s.constraints() <= most_constraints_eliminated || tally.steps % (16 * steps_between_looks) == 0)
    tally.see_pivot(smallest_pivot(s, after.q, after.p));
  // The number of corrections decides nothing else: trajectories side by side do not know it of each.
  if (!stands_out(tally, now) && !is_time_for_a_look(tally)) return std::nullopt;
  std::optional<Finding> found;
  if (stands_out(tally, now) || tally.steps == 0) {
    const Watch<P> watch(s, before, after, h);
    const double change = std::abs(energy_above(now, tally.now));
    const StepPromise promise = stepper.promise();
    if (tally.steps == 0) tally.first_unexplained = watch.unexplained(promise);
    if (misses_most(tally, now) || change > jump_of_error * tally.energy_error)
      if (const auto failure = watch.missed(promise)) return Finding{*failure};
    found = watch.jumped(change, tally, promise);
  }
  if (found && found->certain) return found;
  tally.see_kinetic(kinetic_energy(s, after.q, after.p), energy_above(now, tally.first));
  const double off = std::abs(energy_above(now, tally.first)),
               change = std::abs(energy_above(now, tally.now));
  const bool is_off = off > Tally::part_lost * tally.kinetic_max;
  const bool is_coarse = change > Tally::part_in_a_step * tally.kinetic_max;
  if (!is_off && !is_coarse) return found;
  const double noise = noise_slack * (noise_of_energy(s, after) + rounding_of_energy(s, after) +
                                      rounding_at_rest(s, after, h));
  if (is_off && off > noise) tally.energy_off = off;  // (W6)
  if (is_coarse && change > noise) tally.change_seen = std::max(tally.change_seen, change);
  return found;
}

}  // namespace taut
