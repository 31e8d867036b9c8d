// A unit of an ensemble reads back as the same bits, and a file with any single byte changed or missing is
// found out.

#include <taut/contract/request.hpp>
#include <taut/ensemble/unit_file.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace taut;

Unit small_unit(int samples = 2) {
  Unit u{.index = 7, .count = 3, .columns = 2, .rows = {}, .samples = samples, .sample_columns = 2};
  for (int k = 0; k < 6; ++k) u.rows.push_back(0.1 * k - 0.2);
  for (int k = 0; k < 3 * samples * 2; ++k) u.sampled.push_back(k == 5 ? std::nan("") : 1.0 / (k + 1));
  u.endings = {
      {},
      {.kind = Ended::singular, .stage = 1, .constraint = 4, .time = 0.5, .residual = 1e-3, .steps = 12},
      {.kind = Ended::unstable, .time = -3, .residual = HUGE_VAL, .steps = 1LL << 40}};
  return u;
}

FoundUnit read_bytes(const std::string& bytes, const std::string& ensemble = "abc") {
  OpenFile file(std::tmpfile());
  std::fwrite(bytes.data(), 1, bytes.size(), file.get());
  std::rewind(file.get());
  return read_unit(std::move(file), ensemble);
}

TEST(UnitFile, ReadsBackAsTheSameBits) {
  for (const int samples : {0, 2}) {
    const Unit u = small_unit(samples);
    const FoundUnit found = read_bytes(unit_bytes(u, "abc"));
    ASSERT_TRUE(found.unit) << found.damage;
    EXPECT_TRUE(same_bits(*found.unit, u));
    EXPECT_EQ(found.unit->endings, u.endings);
    EXPECT_EQ(found.unit->first(), 7 * 1024);
  }
}

TEST(UnitFile, SameBitsSeesEveryNumber) {
  const Unit u = small_unit();
  Unit v = u;
  v.rows[3] = std::nextafter(v.rows[3], 1);
  EXPECT_FALSE(same_bits(u, v));
  v = u;
  v.rows[2] = -0.0;
  Unit w = u;
  w.rows[2] = 0.0;
  EXPECT_FALSE(same_bits(v, w));
  v = u;
  v.sampled.back() += 1;
  EXPECT_FALSE(same_bits(u, v));
  v = u;
  v.endings[1].constraint = 5;
  EXPECT_FALSE(same_bits(u, v));
  EXPECT_TRUE(same_bits(u, u));  // with a NaN in it
}

TEST(UnitFile, EveryChangedByteIsFoundOut) {
  const std::string good = unit_bytes(small_unit(), "abc");
  for (std::size_t k = 0; k < good.size(); ++k)
    for (const int flip : {1, 2, 3, 0x80, 0xff}) {
      std::string bad = good;
      bad[k] = static_cast<char>(bad[k] ^ flip);
      const FoundUnit found = read_bytes(bad);
      EXPECT_FALSE(found.unit) << "byte " << k << " changed by " << flip;
      EXPECT_FALSE(found.damage.empty());
    }
}

TEST(UnitFile, EveryCutAndEveryByteTooManyIsFoundOut) {
  const std::string good = unit_bytes(small_unit(), "abc");
  for (std::size_t k = 0; k < good.size(); ++k) EXPECT_FALSE(read_bytes(good.substr(0, k)).unit) << k;
  EXPECT_FALSE(read_bytes(good + '\0').unit);
  EXPECT_FALSE(read_bytes(good + good).unit);
}

TEST(UnitFile, BelongsToOneEnsemble) {
  EXPECT_EQ(read_bytes(unit_bytes(small_unit(), "abc"), "abd").damage, "it belongs to another ensemble");
  EXPECT_EQ(read_bytes("").damage, "the file is empty");
  EXPECT_EQ(read_bytes("t,x,y\n").damage, "it does not begin as a unit of an ensemble of taut does");
}

TEST(UnitFile, EveryWayToEndHasAName) {
  EXPECT_EQ(ended_count, static_cast<int>(Ended::start_refused) + 1);
  EXPECT_EQ(name_of(Ended::start_refused), "start-refused");
}

}  // namespace
