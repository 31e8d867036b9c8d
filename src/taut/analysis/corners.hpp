// Notices corners that a motion crosses: places where |u| in a formula of the model changes its slope. The
// derivative of a map of steps knows nothing of them. Label: docs/theory/exponents.md.
#pragma once

#include <taut/analysis/keeping.hpp>
#include <taut/contract/plain_state.hpp>

#include <string>
#include <vector>

namespace taut {

struct Model;  // model/model.hpp

class Corners {
 public:
  explicit Corners(const Model& model);
  // Takes the signs of what stands in |…| at a state.
  void look(const PlainState& x);
  // Returns a |u| of which u had both signs, as it is written; nothing if there was none.             (LY16)
  const std::string& crossed() const { return crossed_; }
  // Writes what was seen to bytes, or goes on where it was written.
  void carry(Carry& c) { carry_any(c, crossed_); }

 private:
  struct Corner {
    std::string text;  // |u| as it is written
    bool was_positive = false, was_negative = false;
  };
  const Model* model_ = nullptr;  // null if nothing stands in |…|
  std::vector<Corner> corners_;
  std::string crossed_;
};

}  // namespace taut
