#include <taut/rods/cluster_solver.hpp>

template std::unique_ptr<taut::RodPartSolver> taut::make_cluster_solver<2>(std::shared_ptr<const RodPlan>);
