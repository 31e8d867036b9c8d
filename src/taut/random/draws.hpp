// Random numbers of an ensemble. A draw is a pure function of (seed, trajectory, name, number): it depends
// neither on the size of the ensemble, nor on who computes it, nor on what else is drawn.
#pragma once

#include <cstdint>
#include <string_view>

namespace taut {

// Returns the stream of a name: FNV-1a of its bytes with 64 bits, whose halves are combined by exclusive or.
constexpr std::uint32_t stream_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<std::uint32_t>(hash >> 32) ^ static_cast<std::uint32_t>(hash);
}

struct Draw {
  std::uint64_t seed = 0;        // the key of Philox
  std::uint64_t trajectory = 0;  // counter: the low and the high half,
  std::uint32_t stream = 0;      // then the name,
  std::uint32_t number = 0;      // then which draw of that name
};

// Returns 64 random bits: the first two words that Philox gives, the first one low.
std::uint64_t random_bits(const Draw& draw);

// Returns a number between 0 and 1, and neither of them: a multiple of 2⁻⁵³, or 2⁻⁵⁴ in place of 0.
double uniform(const Draw& draw);

// Returns a normal number of mean 0 and variance 1 by inversion: one draw gives one number. One bit
// decides the sign and 52 bits the probability of the tail, so that the distribution is symmetric to the last
// bit and reaches 8.3 deviations.
double normal(const Draw& draw);

// Returns a whole number from 0 to count - 1.
std::uint64_t one_of(const Draw& draw, std::uint64_t count);

// Returns z such that a normal number is below z with probability p, 0 < p < 1. The relative error is at most
// 1e-15.
double normal_quantile(double p);

}  // namespace taut
