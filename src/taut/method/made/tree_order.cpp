#include <taut/method/made/tree_order.hpp>

#include <vector>

namespace taut {

namespace {

using Column = Vector<Float128, dynamic>;
struct Tree {
  int size = 1;
  Float128 density = 1;  // γ
  Column u;
};

// Adds to `found` the trees whose root has the children chosen so far and others, of `left` vertices in all,
// that do not stand before `from`: every multiset once.
void add_children(const std::vector<Tree>& known, const std::vector<Column>& grafted, int left,
                  std::size_t from, const Tree& so_far, std::vector<Tree>& found) {
  if (left == 0) {
    found.push_back(so_far);
    found.back().density *= so_far.size;
    return;
  }
  for (std::size_t k = from; k < known.size(); ++k) {
    if (known[k].size > left) break;  // they stand in the order of their size
    add_children(
        known, grafted, left - known[k].size, k,
        {so_far.size + known[k].size, so_far.density * known[k].density, so_far.u.cwiseProduct(grafted[k])},
        found);
  }
}

}  // namespace

int tree_order(const Tableau<Float128>& t, int most, double tolerance) {
  const Column one = Column::Constant(t.stages(), Float128(1));
  std::vector<Tree> known;
  std::vector<Column> grafted;  // A u, one for each known tree
  for (int order = 1; order <= most; ++order) {
    std::vector<Tree> found;
    add_children(known, grafted, order - 1, 0, {1, 1, one}, found);
    for (const Tree& tree : found) {
      if (magnitude(t.b.dot(tree.u) - 1 / tree.density) > Float128(tolerance)) return order - 1;
      known.push_back(tree);
      grafted.push_back(t.A * tree.u);
    }
  }
  return most;
}

}  // namespace taut
