// Turns values into bytes and back, by one text. A type that carries more than the state x from step to step
// names its fields,
//
//     template <class Carry> void carry(Carry& c) { c(started); c(q_before); }
//
// and is saved and restored by this. Sizes are those of the object that is filled: bytes of another
// size are refused.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace taut {

class Carry {
 public:
  Carry() : saving_(true) {}  // the fields it is shown become bytes()
  // This one fills the fields from `saved`.
  explicit Carry(std::string_view saved) : saved_(saved), saving_(false) {}

  // A long double has ten bytes that count; the others may hold anything.
  void operator()(long double& value) { raw(&value, 10); }
  template <class T>
    requires(
        std::is_trivially_copyable_v<T> && !requires(T& a) { a.rows(); } && !requires(T& x) { x.q, x.p; })
  void operator()(T& value) {
    raw(&value, sizeof value);
  }
  // A byte that is neither 0 nor 1 is not a bool.
  void operator()(bool& value) {
    unsigned char byte = value ? 1 : 0;
    raw(&byte, 1);
    value = byte != 0;
  }
  // Vectors and matrices are recognised by their members: this room sees no linear algebra.
  template <class Array>
    requires requires(Array& a) { a.rows(), a.cols(), a.size(), a.data(); }
  void operator()(Array& a) {
    if (!same_count(a.size())) return;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(*a.data())>, long double>)
      for (long i = 0; i < a.size(); ++i) (*this)(a.data()[i]);
    else
      raw(a.data(), static_cast<std::size_t>(a.size()) * sizeof(*a.data()));
  }
  // Carries states (q, p), and their low parts if they have them.
  template <class State>
    requires requires(State& x) { x.q, x.p; }
  void operator()(State& x) {
    (*this)(x.q);
    (*this)(x.p);
    if constexpr (requires { x.q_low, x.p_low; }) {
      (*this)(x.q_low);
      (*this)(x.p_low);
    }
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    if (same_count(static_cast<std::int64_t>(list.size())))
      for (T& entry : list) (*this)(entry);
  }

  // Says whether there are bytes left to fill something from; while saving, always.
  bool has_more() const { return saving_ || !saved_.empty(); }
  const std::string& bytes() const { return bytes_; }
  // Says after a filling whether every byte was used and none was missing. Otherwise the filled object
  // must not be used.
  bool complete() const { return good_ && saved_.empty(); }

 private:
  void raw(void* value, std::size_t size) {
    if (saving_) {
      bytes_.append(static_cast<const char*>(value), size);
    } else if (good_ && saved_.size() >= size) {
      if (size > 0) std::memcpy(value, saved_.data(), size);
      saved_.remove_prefix(size);
    } else {
      good_ = false;
    }
  }
  bool same_count(std::int64_t here) {
    std::int64_t there = here;
    (*this)(there);
    good_ = good_ && there == here;
    return good_;
  }

  std::string bytes_;
  std::string_view saved_;
  bool saving_, good_ = true;
};

// The bytes of a machine that moves another one: what `own` carries, and then those of the other.
template <class Own, class Other>
std::string saved_with(Own own, Other& other) {
  Carry c;
  own(c);
  return c.bytes() + other.save();
}
template <class Own, class Other>
bool restored_with(Own own, Other& other, std::string_view bytes) {
  Carry size;
  own(size);
  const std::size_t length = size.bytes().size();
  if (bytes.size() < length) return false;
  Carry saved(bytes.substr(0, length));
  own(saved);
  return saved.complete() && other.restore(bytes.substr(length));
}

}  // namespace taut
