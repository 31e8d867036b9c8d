// Files that are no models, with many entries: what is right is read, what is wrong is refused in words, and
// the time grows as the file.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "support/file_cases.hpp"

namespace {

using namespace taut;

double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds_of_reading(const test::FileCase& c, int n) {
  const auto read = c.made(n);
  double least = 1e300;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const double begin = now();
    const std::string refusal = test::refusal_of(read);
    least = std::min(least, now() - begin);
    EXPECT_EQ(refusal.empty(), c.right) << c.name << "\n" << refusal.substr(0, 1000);
    EXPECT_LT(refusal.size(), 100'000U) << c.name;
  }
  return least;
}

// Sixteen times as many entries take about sixteen times as long; a time that grew with the square would be
// 256 times as long. bench/reading.cpp goes to a million entries.
TEST(FilesOfManyEntries, ReadingTimeGrowsAsTheFile) {
  for (const test::FileCase& c : test::file_cases())
    EXPECT_LT(seconds_of_reading(c, 64000), 40 * seconds_of_reading(c, 4000) + 0.02) << c.name;
}

// A message names the first columns that are not known, with what is known, and counts the others.
TEST(FilesOfManyEntries, OfManyUnknownColumnsTheFirstAreShown) {
  const TableFile table{"t.csv", "x0,y1,y2\n1,2,3\n"};
  const std::string text = test::refusal_of([&] { read_table(table, {"x0", "y10"}, {}); });
  EXPECT_EQ(text.find("t.csv:1:4: the model has nothing called `y1` that could vary"), 0U) << text;
  EXPECT_NE(text.find("known: x0, y10. Did you mean `y10`?"), text.npos) << text;
  EXPECT_NE(text.find("t.csv:1:7: "), text.npos) << text;
  const TableFile twice{"t.csv", "x0,x1,x0\n1,2,3\n"};
  EXPECT_EQ(
      test::refusal_of([&] { read_table(twice, {"x0", "x1"}, {}); }).find("t.csv:1:7: there are two columns"),
      0U);
}

}  // namespace
