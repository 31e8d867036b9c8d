// A formulation chosen at run time: its vector field behind one virtual call, so that the ordinary methods
// are compiled once for a problem and not once for each formulation of it. Whether the field has coordinates
// of its own, as charts do, is a value too.
#pragma once

#include <taut/bytes/carry.hpp>
#include <taut/mechanism/ode_choice.hpp>
#include <taut/method/ordinary/ode_catalogue.hpp>

#include <memory>

namespace taut {

template <class P>
class AnyField {
 public:
  using Vec = typename P::Vec;
  static_assert(P::n == dynamic, "coordinates of their own have vectors of the same type as q");

  AnyField(const OdeChoice& choice, const P& s) {
    for_each_formulation([&](const auto& row) {
      using Formulation = std::remove_cvref_t<decltype(row)>;
      // On tangents no coordinates of their own are asked for.
      if constexpr (Formulation::template fits<P>)
        if constexpr (is_float<typename P::Scalar> || !Formulation::template Field<P>::reduced)
          if (row.facts.name == choice.formulation)
            field_ = std::make_unique<Bound<Formulation>>(with_choice(row, choice), s);
    });
  }

  bool operator()(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) {
    return field_->slopes(s, q, p, q_dot, p_dot);
  }
  bool is_reduced() const { return field_->parameters() >= 0; }
  int parameters() const { return field_->parameters(); }
  Expected<int> enter(const P& s, const Vec& q, const Vec& p, Vec& delta, Vec& theta) {
    return field_->enter(s, q, p, delta, theta);
  }
  Expected<int> leave(const P& s, const Vec& delta, const Vec& theta, Vec& q, Vec& p) {
    return field_->leave(s, delta, theta, q, p);
  }
  bool is_worn_out(const P& s, const Vec& q) const { return field_->is_worn_out(s, q); }
  bool changes_before_the_step() const { return field_->changes_before_the_step(); }
  bool choose(const P& s, const Vec& q) { return field_->choose(s, q); }
  void carry(Carry& c) { field_->carry(c); }

 private:
  template <class Formulation>
  static Formulation with_choice(Formulation row, const OdeChoice& choice) {
    if constexpr (requires { row.rule; }) row.rule = choice.charts;
    if constexpr (requires { row.with(choice.numbers); }) row = row.with(choice.numbers);
    return row;
  }

  // What a field in the coordinates of the problem does not have is never called, except for carry().
  struct Hidden {
    virtual ~Hidden() = default;
    virtual bool slopes(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) = 0;
    virtual int parameters() const { return -1; }  // -1: the coordinates are those of the problem
    virtual Expected<int> enter(const P&, const Vec&, const Vec&, Vec&, Vec&) { return 0; }
    virtual Expected<int> leave(const P&, const Vec&, const Vec&, Vec&, Vec&) { return 0; }
    virtual bool is_worn_out(const P&, const Vec&) const { return false; }
    virtual bool changes_before_the_step() const { return false; }
    virtual bool choose(const P&, const Vec&) { return false; }
    virtual void carry(Carry&) {}
  };
  template <class Formulation>
  struct Bound final : Hidden {
    using Field = typename Formulation::template Field<P>;
    Bound(const Formulation& formulation, const P& s) : field(make_field(formulation, s)) {}
    bool slopes(const P& s, const Vec& q, const Vec& p, Vec& q_dot, Vec& p_dot) override {
      return field(s, q, p, q_dot, p_dot);
    }
    int parameters() const override {
      if constexpr (Field::reduced)
        return field.parameters();
      else
        return -1;
    }
    Expected<int> enter(const P& s, const Vec& q, const Vec& p, Vec& delta, Vec& theta) override {
      if constexpr (Field::reduced)
        return field.enter(s, q, p, delta, theta);
      else
        return 0;
    }
    Expected<int> leave(const P& s, const Vec& delta, const Vec& theta, Vec& q, Vec& p) override {
      if constexpr (Field::reduced)
        return field.leave(s, delta, theta, q, p);
      else
        return 0;
    }
    bool is_worn_out(const P& s, const Vec& q) const override {
      if constexpr (requires { field.is_worn_out(s, q); })
        return field.is_worn_out(s, q);
      else
        return false;
    }
    bool changes_before_the_step() const override {
      if constexpr (requires { field.changes_before_the_step(); })
        return field.changes_before_the_step();
      else
        return false;
    }
    bool choose(const P& s, const Vec& q) override {
      if constexpr (requires { field.choose(s, q); })
        return field.choose(s, q);
      else
        return false;
    }
    void carry(Carry& c) override {
      if constexpr (requires { field.carry(c); }) field.carry(c);
    }
    Field field;
  };
  std::unique_ptr<Hidden> field_;
};

struct AnyFormulation {
  static constexpr FormulationFacts facts{
      .name = "any", .what = {}, .hypothesis = {}, .source = {}, .theory = {}};
  OdeChoice choice;
  ChartRule rule{};  // it may use charts; the choice has their rule
  template <class P>
  static constexpr bool fits = Smooth<P>;
  template <class P>
  using Field = AnyField<P>;
  template <class P>
  Field<P> make_field(const P& s) const {
    return Field<P>(choice, s);
  }
};

}  // namespace taut
