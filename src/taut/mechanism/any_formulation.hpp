// A formulation chosen at run time: its vector field behind one virtual call, so that the ordinary methods
// are compiled once for a problem and not once for each formulation of it. It is for fields in the
// coordinates of the problem; charts have coordinates of their own.
#pragma once

#include <taut/method/ode_catalogue.hpp>

#include <memory>
#include <string_view>

namespace taut {

template <class P>
class AnyField {
 public:
  using Vec = typename P::Vec;
  static constexpr bool reduced = false;

  explicit AnyField(std::string_view formulation, const P& s) {
    for_each_formulation([&](const auto& row) {
      using Formulation = std::remove_cvref_t<decltype(row)>;
      if constexpr (Formulation::template fits<P>)
        if constexpr (!Formulation::template Field<P>::reduced)
          if (row.facts.name == formulation) field_ = std::make_unique<Bound<Formulation>>(row, s);
    });
  }

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    return field_->slopes(s, q, p, q_dot, p_dot);
  }

 private:
  struct Hidden {
    virtual ~Hidden() = default;
    virtual bool slopes(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) = 0;
  };
  template <class Formulation>
  struct Bound final : Hidden {
    Bound(const Formulation& formulation, const P& s) : field(make_field(formulation, s)) {}
    bool slopes(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) override {
      return field(s, q, p, q_dot, p_dot);
    }
    typename Formulation::template Field<P> field;
  };
  std::unique_ptr<Hidden> field_;
};

struct AnyFormulation {
  static constexpr FormulationFacts facts{
      .name = "any", .what = {}, .hypothesis = {}, .source = {}, .theory = {}};
  std::string_view name;
  template <class P>
  static constexpr bool fits = Smooth<P>;
  template <class P>
  using Field = AnyField<P>;
  template <class P>
  Field<P> make_field(const P& s) const {
    return Field<P>(name, s);
  }
};

}  // namespace taut
