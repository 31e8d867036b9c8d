#include <taut/rods/chain_solver.hpp>

template std::unique_ptr<taut::RodPartSolver> taut::make_chain_solver<2>(std::shared_ptr<const RodPlan>);
