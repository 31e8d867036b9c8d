// An ordinary method on a formulation, with or without a projection after each step: the same mechanics in
// another dress, behind the interface of every other method. Labels: docs/theory/ode-method.md.
#pragma once

#include <taut/formulation/formulation.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/memory.hpp>
#include <taut/method/ordinary/ode_scheme.hpp>
#include <taut/method/projection.hpp>

#include <optional>

namespace taut {

template <class Formulation, class P>
auto make_field(const Formulation& formulation, const P& s) {
  if constexpr (requires { formulation.make_field(s); })
    return formulation.make_field(s);
  else
    return typename Formulation::template Field<P>(s);
}

// Whether a field has coordinates of its own: its type says so, or, if it was chosen at run time, its value.
template <class Field>
inline constexpr bool reduced_by_type = requires { requires Field::reduced; };
template <class Field>
inline constexpr bool reduced_by_value = requires(const Field& field) { field.is_reduced(); };

template <class Scheme, class Formulation>
struct OdeMethod {
  Scheme scheme{};
  Formulation formulation{};
  Projection projection{};
  SolveOptions solve{};  // for the projections; its tolerance also serves implicit stages

  // `symplectic` is a claim about the space in which the method works: all of phase space, or M in
  // coordinates of its own. Charts make neither claim: a step in one of them is symplectic, but which one it
  // is depends on the steps before.
  MethodFacts facts() const {
    const SchemeFacts f = scheme.facts();
    const bool plain = projection.kind == ProjectionKind::none;
    return {.name = f.name,
            .argument = f.argument,
            .base = Formulation::facts.name,
            .what = Formulation::facts.what,
            .source = Formulation::facts.source,
            .theory = Formulation::facts.theory,
            .order = f.order,
            .symmetric = f.symmetric && plain && !in_charts,
            .symplectic = f.symplectic && plain && !in_charts && Formulation::facts.hamiltonian,
            .keeps = kept(),
            .tier = Tier::dirac};
  }

  template <class P>
  static constexpr bool fits = Formulation::template fits<P>;

  template <Hamiltonian P, class X>
  struct Memory {
    using Field = typename Formulation::template Field<P>;
    Memory(const P& s, const X& x, const OdeMethod& method)
        : field(make_field(method.formulation, s)),
          inner(method.scheme, s, size(s, field)),
          y(Field::Vec::Zero(size(s, field))),
          z(y),
          end{x.q, x.p},
          before(x),
          projector(s) {}
    Field field;
    typename Scheme::template Memory<Field, P> inner;
    typename Field::Vec y, z;
    StateOf<P> end;
    X before;
    Projector<P> projector;

    const ProjectionCount& projections() const { return projector.count; }
    // The estimate of the scheme, in the coordinates in which it works, before a projection.
    std::optional<double> local_error(const typename P::Scalar&) const {
      if constexpr (requires { inner.estimate(); })
        if (!inner.e.empty()) return inner.estimate();
      return std::nullopt;
    }
    template <class Carry>
    void carry(Carry& c) {
      c(projector.count);
      if constexpr (requires { field.carry(c); }) field.carry(c);
    }

   private:
    static int size(const P& s, const Field& field) {
      if constexpr (reduced_by_type<Field>) {
        return field.parameters();
      } else {
        if constexpr (reduced_by_value<Field>)
          if (field.is_reduced()) return field.parameters();
        return s.coordinates();
      }
    }
  };

  template <Hamiltonian P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.before = x;
    auto moved = advance(s, x, at, h);
    if (moved) {
      const auto projected = at.projector(s, x, projection, solve);
      if (projected) return *moved + *projected;
      moved = projected;
    }
    x = at.before;
    return moved;
  }

 private:
  static constexpr bool in_charts = requires(const Formulation& f) { f.rule; };

  Keeps kept() const {
    if (in_charts || Formulation::facts.parametrised || requires(const Formulation& f) { f.phi; })
      return Keeps::position_and_momentum;
    if (projection.tolerance != 0) return Keeps::nothing;
    switch (projection.kind) {
      case ProjectionKind::both:
        return Keeps::position_and_momentum;
      case ProjectionKind::position:
        return Keeps::position;
      case ProjectionKind::momentum:
        return Keeps::momentum;
      case ProjectionKind::none:
        break;
    }
    return Keeps::nothing;
  }

  template <Hamiltonian P, class X>
  Expected<int> advance(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    using Field = typename Memory<P, X>::Field;
    if constexpr (reduced_by_type<Field>) {
      return advance_in_coordinates(s, x, at, h);
    } else {
      if constexpr (reduced_by_value<Field>)
        if (at.field.is_reduced()) return advance_in_coordinates(s, x, at, h);
      const auto solved = scheme.increments(s, at.field, x.q, x.p, at.inner, h, solve);
      if (!solved) return solved;
      drift(x, at.inner.dy);  // (OM1)
      kick(x, at.inner.dz);   // (OM2)
      return solved;
    }
  }

  template <Hamiltonian P, class X>
  Expected<int> advance_in_coordinates(const P& s, X& x, Memory<P, X>& at,
                                       const typename P::Scalar& h) const {
    auto solved = through_coordinates(s, x, at, h);
    if constexpr (in_charts) {
      auto& field = at.field;
      const bool crosses = solved && field.is_worn_out(s, at.end.q);
      const bool again = !solved || (crosses && field.changes_before_the_step());
      if (again && field.choose(s, x.q)) solved = through_coordinates(s, x, at, h);  // (OM4)
      if (solved && crosses && !field.changes_before_the_step()) field.choose(s, at.end.q);
    }
    if (!solved) return solved;
    x = X(at.end);
    return solved;
  }

  // Goes into the coordinates, makes a step there, and comes out again.                                (OM3)
  template <Hamiltonian P, class X>
  Expected<int> through_coordinates(const P& s, const X& x, Memory<P, X>& at,
                                    const typename P::Scalar& h) const {
    const auto entered = at.field.enter(s, x.q, x.p, at.y, at.z);
    if (!entered) return entered;
    const auto solved = scheme.increments(s, at.field, at.y, at.z, at.inner, h, solve);
    if (!solved) return solved;
    at.y += at.inner.dy;
    at.z += at.inner.dz;
    const auto left = at.field.leave(s, at.y, at.z, at.end.q, at.end.p);
    if (!left) return left;
    return solved;
  }
};

}  // namespace taut
