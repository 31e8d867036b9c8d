// Says which chains have been where others have been: chains that sit in components of g = 0 that no step
// connects never meet.
#pragma once

#include <taut/sample/diagnostics.hpp>

#include <vector>

namespace taut {

using ChainGroups = std::vector<std::vector<int>>;  // numbers of chains, from 0 on; each group is sorted

// Groups chains whose ranges of one column touch, directly or through others.
ChainGroups groups_by_range(const ChainsOfColumn& column);

// Groups chains by nearest neighbours in space: two chains meet if some point of one has its nearest
// neighbour among the points of the other. It tells circles within circles apart, whose ranges overlap.
// Only the first chains are looked at if there are very many; the others are groups of the first one.
ChainGroups groups_by_neighbours(const std::vector<ChainsOfColumn>& coordinates);

}  // namespace taut
