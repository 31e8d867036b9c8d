#pragma once

#include <taut/mechanism/mechanism.hpp>

namespace taut {

// Defined in mechanism_of.hpp and instantiated in models/*.cpp, for each of the types that with_problem gives.
template <class P>
std::unique_ptr<Mechanism> make_mechanism(const P& problem);

}  // namespace taut
