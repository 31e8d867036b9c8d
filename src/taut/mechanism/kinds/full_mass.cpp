#include <taut/mechanism/mechanism_of.hpp>
#include <taut/model/formula_problem.hpp>

template std::unique_ptr<taut::Mechanism> taut::make_mechanism(const taut::FullMassFormulaProblem&);
