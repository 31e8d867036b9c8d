// Carries lists whose length the bytes tell. In taut/bytes/carry.hpp lengths are those of the object
// that is filled.
#pragma once

#include <taut/bytes/carry.hpp>
#include <taut/contract/request.hpp>

namespace taut {

// Carries a list. Throws InputError if it would have more than `most` entries: nobody wrote such a list, and
// it would ask for the memory.
template <class List>
void carry_list(Carry& c, List& list, std::size_t most) {
  std::uint64_t size = list.size();
  c(size);
  if (size > most) throw InputError("a list in it is longer than it can be");
  list.resize(size);
  for (auto& entry : list) {
    if constexpr (requires { entry.carry(c); })
      entry.carry(c);
    else
      c(entry);
  }
}

}  // namespace taut
