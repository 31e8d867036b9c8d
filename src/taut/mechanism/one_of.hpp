// Is a type in a list?
#pragma once

#include <type_traits>

namespace taut {

template <class T, class... Listed>
inline constexpr bool is_one_of = (std::is_same_v<T, Listed> || ...);

}  // namespace taut
