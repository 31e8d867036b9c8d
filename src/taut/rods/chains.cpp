#include <taut/rods/chain_solver.hpp>

namespace taut {

template std::unique_ptr<RodPartSolver> make_chain_solver<2>(std::shared_ptr<const RodPlan>);
template std::unique_ptr<RodPartSolver> make_chain_solver<3>(std::shared_ptr<const RodPlan>);

}  // namespace taut
