// The members of a problem as functions of plain numbers: check_problem looks at all of them in one way.
#pragma once

#include <taut/problem/check/faults.hpp>
#include <taut/problem/missing_member.hpp>
#include <taut/scalar/dual.hpp>

namespace taut::problem_check {

// The members of a problem as functions of plain numbers.
template <class P>
class Members {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  static constexpr int lanes = ScalarTraits<T>::lanes;

  explicit Members(const P& s) : s_(s) {}

  Numbers g(const Where& x) const {
    auto out = unwritten(zero_multiplier(s_));
    s_.g(vec(x.q), out);
    return numbers(out);
  }
  Numbers G_times(const Where& x, const Numbers& d) const {
    auto G = s_.make_jacobian();
    s_.G(vec(x.q), G);
    auto out = zero_multiplier(s_);
    G.times(same_in_all_lanes(d), out);
    return numbers(out);
  }
  Numbers bend(const Numbers& d) const {
    auto out = unwritten(zero_multiplier(s_));
    s_.bend(vec(d), out);
    return numbers(out);
  }
  Numbers H(const Where& x) const { return numbers(taut::H(s_, vec(x.q), vec(x.p))); }
  Numbers V(const Where& x) const { return numbers(s_.V(vec(x.q))); }
  Numbers V_fast(const Where& x) const { return numbers(s_.V_fast(vec(x.q))); }
  Numbers V_slow(const Where& x) const { return numbers(T(s_.V(vec(x.q)) - s_.V_fast(vec(x.q)))); }
  Numbers grad_V(const Where& x) const {
    return filled([&](Vec& out) { s_.grad_V(vec(x.q), out); });
  }
  Numbers grad_V_fast(const Where& x) const {
    return filled([&](Vec& out) { s_.grad_V_fast(vec(x.q), out); });
  }
  Numbers grad_V_slow(const Where& x) const {
    return filled([&](Vec& out) { s_.grad_V_slow(vec(x.q), out); });
  }
  Numbers H_q(const Where& x) const {
    return filled([&](Vec& out) { taut::H_q(s_, vec(x.q), vec(x.p), out); });
  }
  Numbers H_p(const Where& x) const {
    return filled([&](Vec& out) { taut::H_p(s_, vec(x.q), vec(x.p), out); });
  }
  Numbers H_pp_times(const Where& x, const Numbers& d) const {
    return filled([&](Vec& out) { taut::H_pp_times(s_, vec(x.q), vec(x.p), same_in_all_lanes(d), out); });
  }
  Numbers W_times(const Numbers& v) const {
    return filled([&](Vec& out) { s_.W().times(vec(v), out); });
  }
  Numbers W_times(double h, const Numbers& v) const {
    return filled([&](Vec& out) { s_.W().times(T(h), vec(v), out); });
  }
  Numbers mass_times(const Numbers& v) const {
    return filled([&](Vec& out) { s_.W().mass_times(vec(v), out); });
  }

  static Numbers numbers(const Vec& v) { return entries(v); }

 private:
  template <class Vector>
  static Numbers entries(const Vector& v) {
    Numbers x;
    for (Eigen::Index j = 0; j < v.size(); ++j)
      for (int i = 0; i < lanes; ++i) x.push_back(lane(v[j], i));
    return x;
  }
  template <class Value>
  static Numbers numbers(const Value& v) {
    if constexpr (requires { v.size(); })
      return entries(v);
    else
      return entries(Vector<T, 1>(T(v)));
  }
  // A number that shows if the problem does not replace it.
  template <class Vector>
  static Vector unwritten(Vector v) {
    for (Eigen::Index j = 0; j < v.size(); ++j) v[j] = T(std::numeric_limits<double>::quiet_NaN());
    return v;
  }
  template <class Fill>
  Numbers filled(Fill&& fill) const {
    Vec out = unwritten(zero_vector(s_));
    fill(out);
    return entries(out);
  }
  Vec vec(const Numbers& x) const {
    Vec v = zero_vector(s_);
    for (Eigen::Index j = 0; j < v.size(); ++j) v[j] = from_lanes(&x[static_cast<std::size_t>(j) * lanes]);
    return v;
  }
  Vec same_in_all_lanes(const Numbers& d) const {
    Vec v = zero_vector(s_);
    for (Eigen::Index j = 0; j < v.size(); ++j) v[j] = T(d[static_cast<std::size_t>(j)]);
    return v;
  }
  static T from_lanes(const double* x) {
    if constexpr (lanes == 1) {
      return T(*x);
    } else {
      Base<T> pack(0);
      for (int i = 0; i < lanes; ++i) pack.set(i, x[i]);
      return T(pack);
    }
  }

  const P& s_;
};

// d·v in each lane; what the direction does not move is not looked at, so that each entry of v answers for
// itself.
inline Numbers dot(const Numbers& d, const Numbers& v, int lanes) {
  Numbers sum(static_cast<std::size_t>(lanes), 0);
  for (std::size_t i = 0; i < v.size(); ++i)
    if (d[i / sum.size()] != 0) sum[i % sum.size()] += d[i / sum.size()] * v[i];
  return sum;
}

}  // namespace taut::problem_check
