// Philox 4x32-10 gives the known answers that its authors publish (kat_vectors of Random123).

#include <taut/random/philox.hpp>

#include <gtest/gtest.h>

namespace {

using namespace taut;

TEST(Philox, GivesTheKnownAnswers) {
  constexpr PhiloxCounter of_zeros = philox({0, 0, 0, 0}, {0, 0});  // by the compiler
  EXPECT_EQ(of_zeros, (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t all = 0xffffffff;
  EXPECT_EQ(philox({all, all, all, all}, {all, all}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// A generator is no use if one of its inputs does not matter.
TEST(Philox, EveryBitOfCounterAndKeyMatters) {
  const PhiloxCounter zero = philox({}, {});
  for (std::size_t word = 0; word < 6; ++word)
    for (int bit = 0; bit < 32; ++bit) {
      PhiloxCounter counter{};
      PhiloxKey key{};
      (word < 4 ? counter[word] : key[word - 4]) = 1U << bit;
      const PhiloxCounter changed = philox(counter, key);
      for (std::size_t k = 0; k < 4; ++k) EXPECT_NE(changed[k], zero[k]) << word << ' ' << bit;
    }
}

}  // namespace
