// State-space forms of a problem that gives a parametrisation q = φ(δ) of g = 0 itself, as a model file can:
// the canonical form of Leimkuhler-Reich, Proposition 2.1, and the form δ' = θ of their section 1, which is
// not canonical. Labels: docs/theory/parametrised-velocity.md.
#pragma once

#include <taut/formulation/state_space.hpp>
#include <taut/formulation/underlying.hpp>

#include <optional>
#include <string>

namespace taut {

// has_parametrisation() says whether there is one, parametrisation() makes a copy: see state_space.hpp.
template <class P>
concept GivesParametrisation = requires(const P& s) {
  s.has_parametrisation();
  s.parametrisation();
};

template <class P>
using ParametrisationOf = decltype(std::declval<const P&>().parametrisation());

// The coordinates are δ and w = δ', for any H(q, p): p follows from H_p(q, p) = φ'w.
template <Smooth P, class Phi>
class StateSpaceVelocityField : public StateSpaceField<P, Phi> {
 public:
  using Base = StateSpaceField<P, Phi>;
  using typename Base::Position;
  using typename Base::T;
  using typename Base::Vec;
  using Along = Dual<T, 1>;
  using Lifted = Cast<P, Along>;

  StateSpaceVelocityField(const P& s, const Phi& map)
      : Base(s, map),
        underlying_(s),
        lifted_(s.template cast<Along>()),
        q1_(zero_vector(lifted_)),
        p1_(q1_),
        v1_(q1_),
        H_pp_(s.coordinates()),
        q_dot_(zero_vector(s)),
        p_dot_(q_dot_),
        column_(q_dot_) {}

  Expected<int> enter(const P& s, const Position& q, const Position& p, Vec& delta, Vec& w) {
    const auto found = this->find(q, delta);
    if (!found) return found;
    if (this->factor(delta) >= 0) return singular();
    H_p(s, q, p, this->velocity_);
    w = this->slope_.transpose().lazyProduct(this->velocity_);
    this->gram_.solve(w);  // (SV1)
    return found;
  }

  Expected<int> leave(const P& s, const Vec& delta, const Vec& w, Position& q, Position& p) {
    if (this->factor(delta) >= 0) return singular();
    this->phi(delta, this->q_);
    q = this->q_;
    const auto solved = find_momentum(s, q, w, p);
    if constexpr (requires { this->phi.remember(delta); })
      if (solved) this->phi.remember(delta);
    return solved;
  }

  bool operator()(const P& s, const Vec& delta, const Vec& w, Vec& delta_dot, Vec& w_dot) {
    if (!leave(s, delta, w, this->q_at_, this->p_)) return false;
    if (!underlying_(s, this->q_at_, this->p_, q_dot_, p_dot_)) return false;
    for (Eigen::Index i = 0; i < q_dot_.size(); ++i) {
      q1_[i] = Along(this->q_at_[i]);
      q1_[i].tangent[0] = q_dot_[i];
      p1_[i] = Along(this->p_[i]);
      p1_[i].tangent[0] = p_dot_[i];
    }
    H_p(lifted_, q1_, p1_, v1_);  // its tangent: q''
    bend(delta, w);
    for (Eigen::Index i = 0; i < q_dot_.size(); ++i) column_[i] = v1_[i].tangent[0] - column_[i];
    delta_dot = w;  // (SV3)
    w_dot = this->slope_.transpose().lazyProduct(column_);
    this->gram_.solve(w_dot);  // (SV4)
    return true;
  }

 private:
  static Failure singular() { return {.kind = FailureKind::singular, .stage = SolveStage::inner}; }

  // Solves H_p(q, p) = φ'w by Newton's iteration, which ends at once if H is quadratic in p.            (SV2)
  Expected<int> find_momentum(const P& s, const Position& q, const Vec& w, Position& p) {
    const Position wanted = this->slope_.lazyProduct(w);
    p = wanted;
    Vector<Real<T>, P::n> unit = Vector<Real<T>, P::n>::Zero(q.size());
    Position off = wanted;
    return drive_to_zero(
        ToRounding{}, off, unit,
        [&] {
          H_p(s, q, p, this->velocity_);
          off = this->velocity_ - wanted;
        },
        [&](auto& u) {
          u.setConstant(larger(largest_entry(wanted), largest_entry(this->velocity_)) *
                            Real<T>(epsilon<T>()) +
                        Real<T>(0x1p-1000));
        },
        [&](const auto&) {
          for (int j = 0; j < s.coordinates(); ++j) {
            this->force_.setZero();
            this->force_[j] = T(1);
            H_pp_times(s, q, p, this->force_, column_);
            for (int i = 0; i < s.coordinates(); ++i) H_pp_.a(i, j) = column_[i];
          }
          if (const int pivot = H_pp_.factor(); pivot >= 0) return pivot;
          H_pp_.solve(off);
          p -= off;
          return -1;
        });
  }
  // column_ = φ''(w, w)
  void bend(const Vec& delta, const Vec& w) {
    using Twice = Dual<Along, 1>;
    Vector<Twice, Base::k> d(delta.size());
    Vector<Twice, P::n> q = Vector<Twice, P::n>::Zero(q_dot_.size());
    for (Eigen::Index i = 0; i < delta.size(); ++i) {
      d[i] = Twice(Along(delta[i]));
      d[i].value.tangent[0] = w[i];
      d[i].tangent[0] = Along(w[i]);
    }
    this->phi(d, q);
    for (Eigen::Index i = 0; i < q.size(); ++i) column_[i] = q[i].tangent[0].tangent[0];
  }

  UnderlyingField<P> underlying_;
  Lifted lifted_;
  typename Lifted::Vec q1_, p1_, v1_;
  PivotedLU<T, P::n> H_pp_;
  Position q_dot_, p_dot_, column_;
};

// What both forms ask of a problem.
struct ByParametrisation {
  template <class P>
  static constexpr bool fits = Smooth<P> && one_trajectory<P> && GivesParametrisation<P>;

  template <GivesParametrisation P>
  static std::optional<std::string> refusal_without(std::string_view name, const P& s) {
    if (s.has_parametrisation()) return std::nullopt;
    return "the formulation '" + std::string(name) +
           "' needs a parametrisation q = phi(delta) of the constraints, which this model does not give. Add "
           "the "
           "table [parametrisation], or use state-space, which finds charts by itself";
  }
};

struct Parametrised : ByParametrisation {
  static constexpr FormulationFacts facts{
      .name = "parametrised",
      .what = "Hamilton's equations in the n - m coordinates of the model's [parametrisation]: keeps M",
      .hypothesis = "g(phi(delta)) = 0, phi' of full column rank, H_pp positive definite",
      .source = "Leimkuhler-Reich, Proposition 2.1",
      .theory = "state-space",
      .hamiltonian = true,
      .parametrised = true};
  template <class P>
  using Field = StateSpaceField<P, ParametrisationOf<P>>;
  template <class P>
  static Field<P> make_field(const P& s) {
    return {s, s.parametrisation()};
  }
  template <class P>
  static std::optional<std::string> refusal(const P& s, const StateOf<P>&) {
    return refusal_without(facts.name, s);
  }
};

struct ParametrisedVelocity : ByParametrisation {
  static constexpr FormulationFacts facts{
      .name = "parametrised-velocity",
      .what = "the coordinates of the [parametrisation] and their velocities: keeps M, not canonical",
      .hypothesis = "g(phi(delta)) = 0, phi' of full column rank, H_pp positive definite",
      .source = "Leimkuhler-Reich 1",
      .theory = "parametrised-velocity",
      .parametrised = true};
  template <class P>
  using Field = StateSpaceVelocityField<P, ParametrisationOf<P>>;
  template <class P>
  static Field<P> make_field(const P& s) {
    return {s, s.parametrisation()};
  }
  template <class P>
  static std::optional<std::string> refusal(const P& s, const StateOf<P>&) {
    return refusal_without(facts.name, s);
  }
};

}  // namespace taut
