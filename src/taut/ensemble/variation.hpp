// Who starts where: the values that differ between the trajectories of an ensemble. They are a pure function
// of what was asked, the seed and the trajectory's index.
#pragma once

#include <taut/bytes/json.hpp>
#include <taut/ensemble/table.hpp>
#include <taut/model/model.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace taut {

// What the command line asks. What it leaves out is as in the table [ensemble] of the model.
struct VaryRequest {
  std::vector<std::string> vary = {};      // "L = linspace(1, 2, 100)" or "x ~ normal(0.6, 1e-3)", as typed
  std::optional<std::int64_t> size = {};   // trajectories
  std::optional<std::uint64_t> seed = {};  // default: 1
  bool grid = false;
  std::optional<TableFile> table = {};  // starts and parameters in a file
};

// Gives the request as JSON and back, for the manifest of an ensemble. The table is not part of it.
Json to_json(const VaryRequest& request);
VaryRequest vary_request(const Json& json);  // throws JsonError

class Variations {
 public:
  // Throws InputError, with the place in the text, if what is asked makes no sense for this model.
  Variations(const Model& model, const VaryRequest& asked);

  std::int64_t size() const { return size_; }
  std::uint64_t seed() const { return seed_; }
  // What varies: the columns of the table, then the others in the order in which they were said.
  const std::vector<std::string>& names() const { return names_; }
  // Gives the values of one trajectory, one for each name. Any number of threads may ask at a time.
  void values(std::int64_t trajectory, std::span<double> out) const;
  // Two ensembles of a model whose texts agree have the same trajectories.
  std::string text() const;

 private:
  // Values that are written down, one after the other: the next one comes after `stride` trajectories.
  struct Axis {
    std::int64_t length = 1, stride = 1;
    std::int64_t place(std::int64_t trajectory) const { return trajectory / stride % length; }
  };
  void take(const Model& model, const std::string& typed);
  void check_names() const;
  void set_axes(std::optional<std::int64_t> wanted);
  double value(const Vary& vary, const Axis& axis, std::int64_t trajectory) const;

  StartTable table_;        // without columns if there is none
  std::vector<Vary> vary_;  // in the order in which it was said
  std::vector<std::string> names_;
  Axis table_axis_;
  std::vector<Axis> axes_;  // one for each of vary_; those that are drawn need none
  std::int64_t size_ = 0;
  std::uint64_t seed_ = 1;
  bool grid_ = false;
};

}  // namespace taut
