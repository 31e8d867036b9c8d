#include <taut/model/code/program.hpp>

#include <taut/contract/reading_time.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace taut {

namespace {

// Returns an order in which every node stands after its parts and equal operations stand together. Each run
// takes the operation for which most nodes wait.
std::vector<int> in_runs(const Graph& graph, const std::vector<int>& nodes) {
  const auto computes = [&](int k) { return graph[k].op != Op::constant && graph[k].op != Op::input; };
  std::unordered_map<int, int> missing;             // parts of a node that are not there yet
  std::unordered_map<int, std::vector<int>> users;  // who waits for a node
  std::array<std::vector<int>, static_cast<std::size_t>(Op::atan2) + 1> ready;
  const auto waiting = [&](int k) -> std::vector<int>& {
    return ready[static_cast<std::size_t>(graph[k].op)];
  };
  for (const int k : nodes) {
    if (!computes(k)) continue;
    int parts = 0;
    for (const int part : {graph[k].a, graph[k].b}) {
      if (part < 0 || !computes(part)) continue;
      ++parts;
      users[part].push_back(k);
    }
    missing[k] = parts;
    if (parts == 0) waiting(k).push_back(k);
  }
  std::vector<int> order;
  while (true) {
    const auto most = std::max_element(ready.begin(), ready.end(),
                                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (most->empty()) return order;
    std::vector<int> run;
    run.swap(*most);
    std::sort(run.begin(), run.end());
    order.insert(order.end(), run.begin(), run.end());
    ReadingTime::spend(run.size());
    for (const int k : run) {
      const auto list = users.find(k);
      if (list == users.end()) continue;
      for (const int user : list->second)
        if (--missing[user] == 0) waiting(user).push_back(user);
    }
  }
}

}  // namespace

Program linearise(const Graph& graph, const std::vector<int>& outputs, int n) {
  Program program;
  const std::vector<int> nodes = graph.below(outputs);
  std::unordered_map<int, int> uses;  // how many operations, and outputs, still need a node
  for (const int k : nodes) {
    const Graph::Node& node = graph[k];
    if (node.op == Op::constant || node.op == Op::input) continue;
    ++uses[node.a];
    if (node.b >= 0) ++uses[node.b];
  }
  for (const int k : outputs) ++uses[k];

  std::unordered_map<int, int> at;  // the register of a node
  for (const int k : nodes)
    if (graph.is_constant(k)) {
      at[k] = static_cast<int>(program.constants.size());
      program.constants.push_back(graph.value(k));
    }
  program.registers = static_cast<int>(program.constants.size());
  std::vector<int> free;
  const auto take = [&] {
    if (free.empty()) return program.registers++;
    const int slot = free.back();
    free.pop_back();
    return slot;
  };
  const auto used = [&](int k) {
    if (--uses[k] == 0 && !graph.is_constant(k)) free.push_back(at[k]);
  };
  for (const int k : nodes)
    if (graph[k].op == Op::input) {
      at[k] = take();
      program.loads[static_cast<std::size_t>(graph[k].a / n)].push_back({at[k], graph[k].a % n});
    }
  for (const int k : in_runs(graph, nodes)) {
    const Graph::Node& node = graph[k];
    const int a = at[node.a], b = node.b < 0 ? a : at[node.b];
    used(node.a);
    if (node.b >= 0) used(node.b);
    at[k] = take();
    program.code.push_back({at[k], a, b});
    const int end = static_cast<int>(program.code.size());
    if (program.runs.empty() || program.runs.back().op != node.op)
      program.runs.push_back({node.op, end});
    else
      program.runs.back().end = end;
  }
  for (const int k : outputs) program.outputs.push_back(at[k]);
  return program;
}

}  // namespace taut
