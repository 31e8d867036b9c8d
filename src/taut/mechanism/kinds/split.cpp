#include <taut/mechanism/mechanism_of.hpp>
#include <taut/model/formula_problem.hpp>

extern template std::unique_ptr<taut::Mechanism> taut::make_mechanism(const taut::NaturalFormulaProblem<>&);
template std::unique_ptr<taut::Mechanism> taut::make_mechanism(const taut::SplitFormulaProblem&);
