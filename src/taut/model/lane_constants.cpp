#include <taut/model/lane_constants.hpp>

#include <algorithm>

namespace taut {

namespace {

bool same(const Instruction& a, const Instruction& b) { return a.to == b.to && a.a == b.a && a.b == b.b; }
bool same(const Run& a, const Run& b) { return a.op == b.op && a.end == b.end; }
bool same(const Program::Load& a, const Program::Load& b) { return a.to == b.to && a.from == b.from; }

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

bool same(const Program& a, const Program& b) {
  for (std::size_t k = 0; k < a.loads.size(); ++k)
    if (!same(a.loads[k], b.loads[k])) return false;
  return a.registers == b.registers && a.constants.size() == b.constants.size() && same(a.runs, b.runs) &&
         same(a.code, b.code) && a.outputs == b.outputs;
}

}  // namespace

bool same_shape(const FormulaSystem& a, const FormulaSystem& b) {
  if (a.kind != b.kind || a.n != b.n || a.m != b.m || a.begin != b.begin || a.column != b.column)
    return false;
  if (!a.diagonal_mass || !b.diagonal_mass || a.inverse_mass.size() != b.inverse_mass.size()) return false;
  for (const auto code : FormulaSystem::codes()) {
    if (!(a.*code) != !(b.*code)) return false;
    if (a.*code && !same(*(a.*code), *(b.*code))) return false;
  }
  return true;
}

std::vector<double> lane_constants(const FormulaSystem& s, bool sized) {
  std::vector<double> all;
  const auto add = [&](const Numbers& numbers) {
    for (const Float128& x : numbers) all.push_back(static_cast<double>(x));
  };
  using Code = FormulaSystem::Code FormulaSystem::*;
  constexpr Code of_sized[] = {&FormulaSystem::V, &FormulaSystem::grad_V, &FormulaSystem::g,
                               &FormulaSystem::whole_G};
  if (sized) {
    for (const Code code : of_sized)
      if (s.*code) add((s.*code)->constants);
  } else {
    for (const Code code : FormulaSystem::codes())
      if (code != &FormulaSystem::whole_G && s.*code) add((s.*code)->constants);
  }
  add(s.inverse_mass);
  return all;
}

}  // namespace taut
