// The plan of a sparse constraint solve, made once from the pattern of G: components, the order of
// elimination, and where every number of K goes.
#pragma once

#include <taut/scalar/batch.hpp>
#include <taut/solve/matrix/chain_factor.hpp>
#include <taut/solve/matrix/couplings.hpp>
#include <taut/solve/matrix/front_tree.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace taut {

// Says where the numbers of K stand. Slots are places of rows in the order of elimination, padded so that
// batches are whole.
struct SparsePlan {
  // A chain, or the `lanes` components that share a tree.
  struct Part {
    int first_slot = 0, first_place = 0;
    int lanes = 1;
    std::shared_ptr<const FrontTree> tree;  // none: a chain
    std::optional<ChainCut> cut;
    int slots() const { return cut ? cut->slots() : tree->size() * lanes; }
    int places() const { return cut ? cut->slots() : tree->factor_size * lanes; }
  };
  // Entries of K that are made alike: K(a, b) = Σ G₁[a.entry left] R[b.entry right], with a eliminated before
  // b.
  struct Products {
    std::vector<std::pair<int, int>> shared;  // offsets in the array of entries, to be added to `a` and `b`
    Places a, b, to;                          // first entries of the rows; where U(a, b) and L(a, b) go
  };
  int rows = 0, slots = 0, places = 0, working = 0, largest_front = 0;
  std::vector<Part> parts;
  // row_of has an entry for each slot, slot_of for each row. Slots without a row have row 0 and are listed in
  // `padding`: their rows of K are rows of the identity.
  Places row_of, slot_of;
  std::vector<int> padding;
  std::vector<Products> products, diagonal;  // for the diagonal `to` is a slot
  // Elimination writes the places [begin, end), which must be 0 before K is written.
  std::vector<std::pair<int, int>> fill;
  std::vector<int> component;  // the component of each row

  // Returns the constraints that are connected to this one, itself included, sorted.
  std::vector<int> component_with(int constraint) const {
    std::vector<int> connected;
    for (int i = 0; i < rows; ++i)
      if (component[i] == component[constraint]) connected.push_back(i);
    return connected;
  }
};

namespace plan_detail {

// Returns the rows of a path graph from one end to the other, or nothing if the graph is not a path.
inline std::vector<int> path_of(const Couplings& c, const std::vector<int>& rows) {
  int end = -1;
  std::size_t links = 0;
  for (const int r : rows) {
    if (c.degree(r) > 2) return {};
    links += static_cast<std::size_t>(c.degree(r));
    if (c.degree(r) < 2 && end < 0) end = r;
  }
  if (end < 0 || links != 2 * (rows.size() - 1)) return {};
  std::vector<int> path{end};
  for (int before = -1; path.size() < rows.size();) {
    const int here = path.back();
    int next = c.neighbour[c.begin[here]];
    if (next == before) next = c.neighbour[c.begin[here] + 1];
    before = here;
    path.push_back(next);
  }
  return path;
}

// Returns the neighbours of each row, numbered inside the component.
inline std::vector<std::vector<int>> local_graph(const Couplings& c, const std::vector<int>& rows,
                                                 std::vector<int>& local) {
  for (std::size_t k = 0; k < rows.size(); ++k) local[rows[k]] = static_cast<int>(k);
  std::vector<std::vector<int>> graph(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (int n = c.begin[rows[k]]; n < c.begin[rows[k] + 1]; ++n) graph[k].push_back(local[c.neighbour[n]]);
  return graph;
}

}  // namespace plan_detail

template <class T, class Jacobian>
class SparsePlanner {
 public:
  SparsePlanner(const Jacobian& G, bool cut_chains)
      : G_(G),
        cut_chains_(cut_chains && batch_lanes<T> > 1),
        couplings_(find_couplings(G)),
        slot_(G.rows(), -1),
        part_(G.rows(), -1) {}

  SparsePlan plan() {
    plan_.rows = G_.rows();
    plan_.component.resize(G_.rows());
    make_parts();
    plan_.row_of = Places(row_of_slot_);
    plan_.slot_of = Places(slot_);
    for (int s = 0; s < plan_.slots; ++s)
      if (slot_[row_of_slot_[s]] != s) plan_.padding.push_back(s);
    make_products();
    return std::move(plan_);
  }

 private:
  using Graph = std::vector<std::vector<int>>;

  void make_parts() {
    std::map<Graph, std::vector<std::vector<int>>> alike;
    std::vector<const Graph*> kinds;  // in the order of their first components, so that slots follow rows
    std::vector<int> local(G_.rows());
    int number = 0;
    for (std::vector<int>& rows : components_of(couplings_)) {
      for (const int r : rows) plan_.component[r] = number;
      ++number;
      if (cut_chains_ && static_cast<int>(rows.size()) >= ChainCut::least_rows)
        if (const auto path = plan_detail::path_of(couplings_, rows); !path.empty()) {
          add_chain(path);
          continue;
        }
      const auto [at, fresh] = alike.try_emplace(plan_detail::local_graph(couplings_, rows, local));
      if (fresh) kinds.push_back(&at->first);
      at->second.push_back(std::move(rows));
    }
    for (const Graph* kind : kinds) add_alike(*kind, alike.at(*kind));
  }

  void add_part(SparsePlan::Part part) {
    part.first_slot = plan_.slots;
    part.first_place = plan_.places;
    plan_.slots += padded(part.slots());
    plan_.places += padded(part.places());
    row_of_slot_.resize(plan_.slots, 0);
    plan_.parts.push_back(std::move(part));
  }
  void put_row(int row, int slot) {
    slot_[row] = slot;
    part_[row] = static_cast<int>(plan_.parts.size()) - 1;
    row_of_slot_[slot] = row;
  }

  void add_chain(const std::vector<int>& path) {
    const ChainCut cut(static_cast<int>(path.size()));
    add_part({0, 0, 1, nullptr, cut});
    const int first = plan_.parts.back().first_slot;
    for (std::size_t r = 0; r < path.size(); ++r) put_row(path[r], first + cut.slot(static_cast<int>(r)));
  }

  void add_alike(const Graph& graph, const std::vector<std::vector<int>>& components) {
    const auto tree = std::make_shared<const FrontTree>(plan_fronts(graph));
    const int lanes = components.size() > 1 ? batch_lanes<T> : 1;
    const int count = static_cast<int>(components.size());
    for (int from = 0; from < count; from += lanes) {
      add_part({0, 0, lanes, tree, std::nullopt});
      const SparsePlan::Part& part = plan_.parts.back();
      for (int lane = 0; lane < std::min(lanes, count - from); ++lane)
        for (int k = 0; k < tree->size(); ++k)
          put_row(components[from + lane][tree->order[k]], part.first_slot + k * lanes + lane);
      plan_.fill.emplace_back(part.first_place, plan_.places);
      plan_.working = std::max(plan_.working, 2 * tree->working_size * lanes);
      plan_.largest_front = std::max(plan_.largest_front, tree->largest_front * lanes);
    }
  }

  // Returns the place of K(a, b), with a eliminated before b, both given by their slots.
  int place(const SparsePlan::Part& part, int slot_a, int slot_b) const {
    const int a = slot_a - part.first_slot, b = slot_b - part.first_slot;
    if (part.cut) return part.first_place + a;
    const int lane = a % part.lanes;
    return part.first_place + part.tree->place(a / part.lanes, b / part.lanes) * part.lanes + lane;
  }
  // Decides which of two rows counts as the first. In a chain it is the row to the left, whatever the order:
  // upper[slot(r)] = K(r, r+1).
  bool goes_first(const SparsePlan::Part& part, int slot_a, int slot_b) const {
    if (part.cut) return part.cut->row(slot_a - part.first_slot) < part.cut->row(slot_b - part.first_slot);
    return slot_a < slot_b;
  }

  struct RowPlace {
    int first_entry, stride;
  };
  void make_products() {
    std::vector<RowPlace> row(G_.rows());
    std::vector<int> group(G_.rows());
    int number = 0;
    for (const auto& g : G_.groups()) {
      for (int k = 0; k < g.rows; ++k) {
        row[g.first_row + k] = {g.first_entry + k, g.stride};
        group[g.first_row + k] = number;
      }
      ++number;
      plan_.diagonal.push_back(diagonal_of(g));
    }
    struct Lists {
      std::vector<int> a, b, to;
    };
    using Kind = std::array<int, 4>;  // how, orientation, and the two groups
    std::map<Kind, Lists> kinds;
    for (const Coupling& x : couplings_.list) {
      const SparsePlan::Part& part = plan_.parts[part_[x.i]];
      const bool swap = !goes_first(part, slot_[x.i], slot_[x.j]);
      const int a = swap ? x.j : x.i, b = swap ? x.i : x.j;
      Lists& lists = kinds[Kind{x.how, swap, group[a], group[b]}];
      lists.a.push_back(row[a].first_entry);
      lists.b.push_back(row[b].first_entry);
      lists.to.push_back(place(part, slot_[a], slot_[b]));
    }
    for (auto& [key, lists] : kinds) {
      SparsePlan::Products p;
      const int stride_a = G_.groups()[key[2]].stride, stride_b = G_.groups()[key[3]].stride;
      for (const auto& [of_i, of_j] : couplings_.shared[key[0]])
        p.shared.emplace_back((key[1] ? of_j : of_i) * stride_a, (key[1] ? of_i : of_j) * stride_b);
      p.a = Places(std::move(lists.a));
      p.b = Places(std::move(lists.b));
      p.to = Places(std::move(lists.to));
      plan_.products.push_back(std::move(p));
    }
  }

  template <class Group>
  SparsePlan::Products diagonal_of(const Group& g) const {
    SparsePlan::Products p;
    for (int e = 0; e < g.size; ++e) p.shared.emplace_back(e * g.stride, e * g.stride);
    std::vector<int> first, to;
    for (int k = 0; k < g.rows; ++k) {
      first.push_back(g.first_entry + k);
      to.push_back(slot_[g.first_row + k]);
    }
    p.a = p.b = Places(std::move(first));
    p.to = Places(std::move(to));
    return p;
  }

  const Jacobian& G_;
  bool cut_chains_;
  Couplings couplings_;
  std::vector<int> slot_, part_, row_of_slot_;
  SparsePlan plan_;
};

// Plans the solve. Cut chains cannot leave a dependent row out: if that is wanted, chains go by fronts too.
template <class T, class Jacobian>
std::shared_ptr<const SparsePlan> plan_sparse(const Jacobian& G, bool cut_chains = true) {
  return std::make_shared<const SparsePlan>(SparsePlanner<T, Jacobian>(G, cut_chains).plan());
}

}  // namespace taut
