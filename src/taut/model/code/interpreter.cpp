#include <taut/model/code/interpreter.hpp>

namespace taut {

template class Evaluator<double>;
template class Evaluator<long double>;
template class Evaluator<Dual<double, 1>>;
template class Evaluator<Dual<Dual<double, 1>, 1>>;
template class Evaluator<Dual<Dual<Dual<double, 1>, 1>, 1>>;
template class Evaluator<Dual<double, 3>>;
template class Evaluator<Pack<8>>;

}  // namespace taut
