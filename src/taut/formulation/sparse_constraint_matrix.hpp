// The constraint matrix of problems with a grouped Jacobian and diagonal W: systems of particles.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/solve/sparse_gram.hpp>

namespace taut {

template <class P>
struct SparseConstraintMatrix : SparseGram<typename P::Scalar> {
  using Gram = SparseGram<typename P::Scalar>;
  explicit SparseConstraintMatrix(const P& s) : SparseConstraintMatrix(s, s.make_jacobian()) {}
  void right(const P&, const typename P::Vec&, const typename P::Vec&, const typename P::Jacobian& G0,
             const typename P::Scalar& gain) {
    Gram::right(G0, gain);
  }

 private:
  SparseConstraintMatrix(const P& s, const typename P::Jacobian& G) : Gram(plan(G), G, s.W()) {}
  static std::shared_ptr<const SparsePlan> plan(const typename P::Jacobian& G) {
    return G.structure->template analysis<SparsePlan>(batch_lanes<typename P::Scalar> > 1,
                                                      [&] { return plan_sparse<typename P::Scalar>(G); });
  }
};

}  // namespace taut
