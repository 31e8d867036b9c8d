// How a run that is asked to stop ends the compiler that works for it.
#pragma once

#include <functional>

namespace taut {

// While one lives, the compilers for which this thread waits are ended as soon as `asked` gives true. A
// signal may come between two looks, or to another thread, and then ends nothing by itself.
class EndsCompilers {
 public:
  explicit EndsCompilers(std::function<bool()> asked);
  ~EndsCompilers();
  EndsCompilers(const EndsCompilers&) = delete;
  EndsCompilers& operator=(const EndsCompilers&) = delete;

 private:
  std::function<bool()> asked_;
  const std::function<bool()>* outer_;
};

}  // namespace taut
