#include <taut/rods/cluster_solver.hpp>

template std::unique_ptr<taut::RodPartSolver> taut::make_cluster_solver<3>(std::shared_ptr<const RodPlan>);
