#include <taut/run/run_formulas_here.hpp>

template taut::RunSummary taut::run_formulas(const taut::SplitFullMassFormulaProblem&, const std::string&,
                                             const taut::RunRequest&, taut::RunObserver&, std::string_view);
