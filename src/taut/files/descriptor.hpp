// An open file or folder, closed at the end of its life. POSIX.
#pragma once

#include <utility>

namespace taut {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}  // negative: none
  Descriptor(Descriptor&& from) noexcept : number_(from.release()) {}
  Descriptor& operator=(Descriptor&& from) noexcept {
    std::swap(number_, from.number_);
    return *this;
  }
  ~Descriptor();

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  bool close();  // false if what was written is not sure to be kept; errno says why

 private:
  int number_ = -1;
};

}  // namespace taut
