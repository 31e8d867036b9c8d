#include <taut/model/code/dependence.hpp>

#include <taut/model/code/foreign.hpp>

#include <algorithm>
#include <iterator>

namespace taut {

namespace {

bool takes_two(Op op) {
  return op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide || op == Op::power ||
         op == Op::atan2;
}

std::vector<int> joined(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> both;
  both.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

}  // namespace

std::vector<std::vector<int>> coordinates_in(const Program& program) {
  if (is_foreign(program)) {  // nothing is known of it: everything counts
    std::vector<int> all;
    for (const Program::Load& load : program.loads[0]) all.push_back(load.from);
    return std::vector<std::vector<int>>(program.outputs.size(), all);
  }
  std::vector<std::vector<int>> of(static_cast<std::size_t>(program.registers));
  const auto at = [&](int k) -> std::vector<int>& { return of[static_cast<std::size_t>(k)]; };
  for (const Program::Load& load : program.loads[0]) at(load.to) = {load.from};
  std::size_t next = 0;
  for (const Run& run : program.runs)
    for (; next < static_cast<std::size_t>(run.end); ++next) {
      const Instruction& i = program.code[next];
      at(i.to) = takes_two(run.op) ? joined(at(i.a), at(i.b)) : std::vector<int>(at(i.a));
    }
  std::vector<std::vector<int>> out;
  for (const int k : program.outputs) out.push_back(at(k));
  return out;
}

}  // namespace taut
