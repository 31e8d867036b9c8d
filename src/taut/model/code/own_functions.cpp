#include <taut/model/code/own_functions.hpp>
#include <taut/model/text/functions.hpp>

#include <array>
#include <bit>

namespace taut {

namespace {

using Pair = elementary::Vector<2>;

// Flattened, so that what sine and cosine have in common is computed once.
[[gnu::flatten]] Pair sine_and_cosine(double x) { return Pair{sin(x), cos(x)}; }

template <class... Numbers>
void* address_of(auto (*function)(Numbers...)) {
  return std::bit_cast<void*>(function);
}

constexpr std::string_view of_one = "double (*)(double)", of_two = "double (*)(double, double)";

const std::array called_by_objects{
    OwnFunction{"taut_sine_and_cosine", "taut_pair (*)(double)", address_of(sine_and_cosine)},
    OwnFunction{"taut_exp", of_one, address_of(exp<double>)},
    OwnFunction{"taut_log", of_one, address_of(log<double>)},
    OwnFunction{"taut_tan", of_one, address_of(tan<double>)},
    OwnFunction{"taut_asin", of_one, address_of(asin<double>)},
    OwnFunction{"taut_acos", of_one, address_of(acos<double>)},
    OwnFunction{"taut_atan", of_one, address_of(atan<double>)},
    OwnFunction{"taut_sinh", of_one, address_of(sinh<double>)},
    OwnFunction{"taut_cosh", of_one, address_of(cosh<double>)},
    OwnFunction{"taut_tanh", of_one, address_of(tanh<double>)},
    OwnFunction{"taut_erf", of_one, address_of(erf<double>)},
    OwnFunction{"taut_erfc", of_one, address_of(erfc<double>)},
    OwnFunction{"taut_cbrt", of_one, address_of(cbrt<double>)},
    OwnFunction{"taut_atan2", of_two, address_of(atan2<double>)},
    OwnFunction{"taut_pow", of_two, address_of(power<double>)},
};

std::string_view symbol_of(Op op) {
  switch (op) {
    case Op::sin:
    case Op::cos:
      return "taut_sine_and_cosine";
    case Op::exp:
      return "taut_exp";
    case Op::log:
      return "taut_log";
    case Op::tan:
      return "taut_tan";
    case Op::asin:
      return "taut_asin";
    case Op::acos:
      return "taut_acos";
    case Op::atan:
      return "taut_atan";
    case Op::sinh:
      return "taut_sinh";
    case Op::cosh:
      return "taut_cosh";
    case Op::tanh:
      return "taut_tanh";
    case Op::erf:
      return "taut_erf";
    case Op::erfc:
      return "taut_erfc";
    case Op::cbrt:
      return "taut_cbrt";
    case Op::atan2:
      return "taut_atan2";
    case Op::power:
      return "taut_pow";
    default:
      return {};
  }
}

}  // namespace

std::span<const OwnFunction> own_functions() { return called_by_objects; }

const OwnFunction* own_function(Op op) {
  for (const OwnFunction& function : called_by_objects)
    if (function.symbol == symbol_of(op)) return &function;
  return nullptr;
}

}  // namespace taut
