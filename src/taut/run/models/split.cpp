#include <taut/model/formula_problem.hpp>
#include <taut/run/mechanism_of.hpp>

extern template std::unique_ptr<taut::Mechanism> taut::make_mechanism(const taut::NaturalFormulaProblem<>&);
template std::unique_ptr<taut::Mechanism> taut::make_mechanism(const taut::SplitFormulaProblem&);
