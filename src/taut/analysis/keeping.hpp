// What a long analysis has found on its way, as bytes: with them it goes on to the same bits.
#pragma once

#include <taut/bytes/carry_list.hpp>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace taut {

// Who keeps the bytes of an analysis. Nobody does if nothing is set.
struct Keeping {
  std::string from = {};                               // what was kept; empty: the analysis begins
  std::function<bool()> due = {};                      // asked now and then: is it time to keep something?
  std::function<void(const std::string&)> keep = {};   // also called at the end, whose bytes are complete
  std::function<void(std::string_view)> resumed = {};  // told how far `from` had come

  bool is_due() const { return keep && due && due(); }
};

// Hands what `carry` writes to whoever keeps it.
template <class CarryAll>
void give_to(const Keeping& keeping, CarryAll&& carry) {
  if (!keeping.keep) return;
  Carry c;
  carry(c);
  keeping.keep(c.bytes());
}

// Fills what `carry` names from the bytes that were kept. Throws InputError if they are not those of it.
template <class CarryAll>
void take_kept(const Keeping& keeping, CarryAll&& carry) {
  Carry c(keeping.from);
  carry(c);
  if (!c.complete()) throw InputError("what was kept is not of this analysis");
}

// Carries a list of any length.
template <class List>
void carry_any(Carry& c, List& list) {
  carry_list(c, list, std::numeric_limits<std::size_t>::max() / 1024);
}

// Carries sentences.
inline void carry_any(Carry& c, std::vector<std::string>& sentences) {
  std::uint64_t count = sentences.size();
  c(count);
  if (count > 1000) throw InputError("a list in it is longer than it can be");
  sentences.resize(count);
  for (std::string& one : sentences) carry_any(c, one);
}

// Carries lists, as many as there are already.
template <class T>
void carry_each(Carry& c, std::vector<std::vector<T>>& lists) {
  for (auto& list : lists) carry_any(c, list);
}

}  // namespace taut
