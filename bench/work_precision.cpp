// Measures how much work how much accuracy takes: error in q and p at t = 100 (the chain: t = 40) against
// evaluations of the gradient and CPU time:
//   cmake --build build/release --target bench_work_precision
//   build/release/bench/bench_work_precision [PROBLEM [PREFIX]]
// PROBLEM is pendulum, double-pendulum, six-node-chain or all; with PREFIX it also plots, to
// PREFIX-PROBLEM.svg. The heading of each table says how well its reference is known. The chain starts as
// RestingChain says.
#include <taut/contract/request.hpp>
#include <taut/method/baselines/bdf.hpp>
#include <taut/method/dirac_gauss.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/report/figure.hpp>

#include "peers/work_precision.hpp"

using namespace taut;
using namespace work_precision;

namespace {

template <class P>
std::vector<Entry<P>> methods() {
  std::vector<Entry<P>> list{entry<P>(Rattle{}, "rattle")};
  for (const char* name : {"yoshida4", "blanes-moan4", "yoshida6", "kahan-li6", "blanes-moan6", "yoshida8",
                           "kahan-li8", "taut8", "sofroniou-spaletta10"})
    list.push_back(composition<P>(name));
  list.push_back(composition<P>("kahan-li8", 1e-12));
  for (int s = 2; s <= 6; ++s) list.push_back(entry<P>(Lobatto<>{.s = s}, fmt::format("lobatto({})", s)));
  for (int s = 2; s <= 3; ++s)
    list.push_back(entry<P>(Projected<DiracGauss>{.psi = {.s = s}}, fmt::format("dirac-gauss({})", s)));
  for (const int k : {2, 4}) list.push_back(entry<P>(Bdf{.k = k}, fmt::format("bdf({})", k)));
  return list;
}

template <class Plain>
bool study(const std::string& name, const Plain& plain, double horizon, const std::string& prefix) {
  using P = Counted<Plain>;
  const P problem(plain);
  const Reference<P> reference(problem, horizon);
  heading(name, horizon, reference.text());
  Table table;
  Figure figure{.title = fmt::format("{}: error at t = {} against CPU time", name, horizon),
                .x = {"CPU ms", Axis::logarithmic},
                .y = {"error in q, p", Axis::logarithmic}};
  for (const Entry<P>& method : methods<P>()) {
    table.push_back(sweep(method, problem, reference, 0.5));
    // There are eight colours: from the ninth curve on they are used again, dashed.
    const int number = static_cast<int>(figure.series.size());
    Series curve{.name = method.name, .dashed = number >= 8, .colour = number};
    for (const Row& row : table.back()) {
      curve.x.push_back(row.ms);
      curve.y.push_back(row.error);
    }
    if (!curve.x.empty()) figure.series.push_back(curve);
  }
  summary(name, table);
  if (prefix.empty()) return true;
  const std::string file = prefix + "-" + name + ".svg";
  try {
    write_svg(file, figure);
  } catch (const WriteError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string pick = argc > 1 ? argv[1] : "all", prefix = argc > 2 ? argv[2] : "";
  bool ok = true;
  const auto one = [&](const std::string& name, const auto& problem, double horizon) {
    if (pick == "all" || pick == name) ok = study(name, problem, horizon, prefix) && ok;
  };
  one("pendulum", PlanarPendulum<>{}, 100);
  one("double-pendulum", DoublePendulum<>{}, 100);
  one("six-node-chain", RestingChain<>{}, RestingChain<>::horizon);
  return ok ? 0 : 1;
}
