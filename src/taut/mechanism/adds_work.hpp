// What a machine offers that adds up the work of forces beside the energy: its readings have H - work.
#pragma once

namespace taut {

class AddsWork {
 public:
  virtual double work() const = 0;  // up to the last good mesh point

 protected:
  ~AddsWork() = default;
};

}  // namespace taut
