// Loads and stores eight small structures that stand side by side in memory, each of `stride` numbers. They
// become one batch for each number: lane i of x[k] is from[stride * i + k].
#pragma once

#include <taut/scalar/batch.hpp>

#include <array>
#include <bit>

namespace taut {

namespace apart_detail {

using Register = double __attribute__((vector_size(batch_size * sizeof(double))));
inline constexpr bool one_register = sizeof(Batch<double>::Layout::Register) == sizeof(Register);

// Returns the lanes Pick::lane(i) of x and y, counted through x first and then y, as the lanes i of one
// register.
template <class Pick>
Register shuffle(const Register& x, const Register& y) {
  return [&]<int... i>(std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(x, y, Pick::lane(i)...);
  }(std::make_integer_sequence<int, batch_size>{});
}

// Collects number k of all structures. The first operand x holds what came from the registers before j, the
// second is register j.
template <int stride, int k, int j>
struct Gathered {
  static constexpr int lane(int i) {
    const int at = stride * i + k;
    if (at / batch_size == j) return batch_size + at % batch_size;
    return j == 1 && at < batch_size ? at : i;
  }
};
// Collects register j of the structures. The first operand x holds what came from the numbers before k, the
// second is number k.
template <int stride, int k, int j>
struct Scattered {
  static constexpr int lane(int i) {
    const int at = batch_size * j + i;
    if (at % stride == k) return batch_size + at / stride;
    return k == 1 && at % stride == 0 ? at / stride : i;
  }
};

}  // namespace apart_detail

template <int stride>
void load_apart(const double* from, Batch<double>* x) {
  using namespace apart_detail;
  if constexpr (!one_register) {
    for (int i = 0; i < batch_size; ++i)
      for (int k = 0; k < stride; ++k) x[k].set(i, from[stride * i + k]);
  } else {
    std::array<Register, stride> all;
    unroll<stride>([&]<int j>() { all[j] = std::bit_cast<Register>(load_batch(from + batch_size * j)); });
    unroll<stride>([&]<int k>() {
      Register one = all[0];
      unroll<stride - 1>([&]<int j>() { one = shuffle<Gathered<stride, k, j + 1>>(one, all[j + 1]); });
      x[k] = std::bit_cast<Batch<double>>(one);
    });
  }
}

template <int stride>
void store_apart(double* to, const Batch<double>* x) {
  using namespace apart_detail;
  if constexpr (!one_register) {
    for (int i = 0; i < batch_size; ++i)
      for (int k = 0; k < stride; ++k) to[stride * i + k] = x[k][i];
  } else {
    unroll<stride>([&]<int j>() {
      Register one = std::bit_cast<Register>(x[0]);
      unroll<stride - 1>([&]<int k>() {
        one = shuffle<Scattered<stride, k + 1, j>>(one, std::bit_cast<Register>(x[k + 1]));
      });
      store_batch(to + batch_size * j, std::bit_cast<Batch<double>>(one));
    });
  }
}

}  // namespace taut
