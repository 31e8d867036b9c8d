// Says when a measured number agrees with a printed one.

#include <taut/study/verdict.hpp>

#include <gtest/gtest.h>

namespace {

using namespace taut;

bool agrees(const char* printed, double measured) { return rounds_to(measured, as_printed(printed).value()); }

TEST(StudyVerdict, ANumberAgreesWhenItRoundsToThePrintedDigits) {
  EXPECT_TRUE(agrees("1.3e-4", 1.2503e-4));
  EXPECT_TRUE(agrees("1.3e-4", 1.3499e-4));
  EXPECT_FALSE(agrees("1.3e-4", 1.2497e-4));
  EXPECT_FALSE(agrees("1.3e-4", 1.3501e-4));
  EXPECT_FALSE(agrees("1.3e-4", -1.3e-4));
  EXPECT_TRUE(agrees(".77e-1", 7.7446e-2));
  EXPECT_FALSE(agrees(".77e-1", 7.76e-2));
  EXPECT_TRUE(agrees("155", 155));
  EXPECT_FALSE(agrees("155", 156));
  EXPECT_TRUE(agrees("-2.0", -1.96));
  EXPECT_FALSE(agrees("-2.00", -1.96));
  EXPECT_FALSE(agrees("3", std::nan("")));
}

TEST(StudyVerdict, TrailingZerosAreDigits) {
  EXPECT_DOUBLE_EQ(as_printed(".10e-3")->unit, 1e-5);
  EXPECT_DOUBLE_EQ(as_printed("1e-4")->unit, 1e-4);
  EXPECT_DOUBLE_EQ(as_printed("1.0E+2")->unit, 10);
  EXPECT_DOUBLE_EQ(as_printed("+0.302")->unit, 1e-3);
}

TEST(StudyVerdict, WordsAreNoNumbers) {
  for (const char* text : {"", "three", "1e", "1.2.3", "nan", "inf", "1 "})
    EXPECT_FALSE(as_printed(text).has_value()) << text;
}

TEST(StudyVerdict, DigitsMayBeCutOff) {
  const Printed printed = *as_printed("-2.5980762113");
  EXPECT_TRUE(cut_to(-2.59807621135, printed));
  EXPECT_FALSE(rounds_to(-2.59807621136, printed));
  EXPECT_FALSE(cut_to(-2.59807621129, printed));
  EXPECT_FALSE(cut_to(2.59807621135, printed));
}

TEST(StudyVerdict, AReadingIsPartOfIt) {
  EXPECT_EQ(name(verdict(true, false)), "reproduced");
  EXPECT_EQ(name(verdict(true, true)), "reproduced-under-reading");
  EXPECT_EQ(name(verdict(false, true)), "not-reproduced");
  for (const std::string_view word : verdict_names) EXPECT_EQ(name(verdict_named(word).value()), word);
  EXPECT_FALSE(verdict_named("maybe").has_value());
}

}  // namespace
