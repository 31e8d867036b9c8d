// JSON values: what is written reads back as the same, and a reader who asks for something else is told so.

#include <taut/bytes/json.hpp>
#include <taut/contract/request.hpp>
#include <taut/store/name_list.hpp>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace {

using namespace taut;

TEST(Json, IsWrittenInTheOrderInWhichItWasMade) {
  Json json = Json::object({{"z", 1}, {"a", "text"}, {"list", std::vector<double>{0.5, 2}}});
  json["added"] = Json::object({{"yes", true}});
  json["z"] = 2;
  EXPECT_EQ(json.to_text(), R"({"z":2,"a":"text","list":[0.5,2.0],"added":{"yes":true}})");
  EXPECT_EQ(json.to_text(1),
            "{\n \"z\": 2,\n \"a\": \"text\",\n \"list\": [\n  0.5,\n  2.0\n ],\n \"added\": {\n  \"yes\": "
            "true\n }\n}");
  EXPECT_EQ(Json::list().to_text(2), "[]");
  EXPECT_EQ(Json::object().to_text(2), "{}");
  EXPECT_EQ(Json(std::vector{std::array{1, 2}, std::array{3, 4}}).to_text(), "[[1,2],[3,4]]");
}

TEST(Json, NumbersReadBackAsTheSameBits) {
  for (const double x : {0.1, -0.0, 1e-308, 5e-324, 1.7976931348623157e308, 1 / 3.0, 1e22, 123456789.0})
    EXPECT_EQ(std::bit_cast<std::uint64_t>(Json::parse(Json(x).to_text()).number()),
              std::bit_cast<std::uint64_t>(x));
  EXPECT_EQ(Json::parse("18446744073709551615").whole<std::uint64_t>(), 18446744073709551615U);
  EXPECT_EQ(Json::parse("-9223372036854775808").whole<std::int64_t>(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Json(std::nan("")).to_text(), "null");
}

TEST(Json, NumbersThatAreNotFiniteAreWords) {
  for (const double x : {HUGE_VAL, -HUGE_VAL, 0.25}) EXPECT_EQ(real(Json::parse(json_of(x).to_text())), x);
  EXPECT_TRUE(std::isnan(real(Json::parse(json_of(std::nan("")).to_text()))));
  EXPECT_THROW(real(Json("many")), JsonError);
}

TEST(Json, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(Json("a\xFFz \"quoted\" \n").to_text(), "\"a\xEF\xBF\xBDz \\\"quoted\\\" \\n\"");
}

std::string refusal(const std::string& text, const std::function<void(const Json&)>& read) {
  try {
    read(Json::parse(text));
  } catch (const JsonError& error) {
    return error.what();
  }
  return "";
}

TEST(Json, AReaderIsToldWhatIsThereInstead) {
  EXPECT_EQ(refusal(R"({"a": 1})", [](const Json& json) { (void)json.at("b"); }), "there is no \"b\"");
  EXPECT_EQ(refusal(R"({"a": 1})", [](const Json& json) { (void)json.at("a").text(); }),
            "a text is expected, but there is a number");
  EXPECT_EQ(refusal("[1]", [](const Json& json) { (void)json.at("a"); }),
            "an object is expected, but there is a list");
  EXPECT_EQ(refusal("{}", [](const Json& json) { (void)json.items(); }),
            "a list is expected, but there is an object");
  EXPECT_EQ(refusal("null", [](const Json& json) { (void)json.boolean(); }),
            "true or false is expected, but there is null");
  for (const char* text : {"1e300", "2.0", "\"2\"", "4294967296", "-1"})
    EXPECT_EQ(refusal(text, [](const Json& json) { (void)json.whole<std::uint32_t>(); }),
              "a number that should be whole is not")
        << text;
  EXPECT_NE(refusal("{\"a\": }", [](const Json&) {}).find("line 1, column 7"), std::string::npos);
}

TEST(Json, OfSeveralMembersOfOneNameTheLastCounts) {
  EXPECT_EQ(Json::parse(R"({"a": 1, "b": 2, "a": 3})").at("a").whole<int>(), 3);
}

TEST(NameLists, ReadBackAsTheyWere) {
  std::vector<std::string> names{"a", "b7", "x_07"};
  for (int i = 0; i < 20; ++i)
    for (const char* stem : {"x", "y", "p_x"}) names.push_back(stem + std::to_string(i));
  for (int i = 0; i < 200; ++i)
    names.push_back("stem" + std::string(1 + i % 26, 'a') + "_" + std::to_string(i / 26) + "_1");
  EXPECT_EQ(unfolded(Json::parse(folded(names).to_text())), names);
}

// A forged list cannot make its reader count for long.
TEST(NameLists, ACountOfNothingIsRefused) {
  const std::string empty = R"({"each": [], "from": 0, "count": 9999990})";
  EXPECT_THROW(unfolded(Json::parse("[" + empty + "]")), InputError);
  EXPECT_THROW(unfolded(Json::parse("[\"x\", " + empty + ", " + empty + "]")), InputError);
  EXPECT_TRUE(unfolded(Json::parse(R"([{"each": [], "from": 0, "count": 0}])")).empty());
  EXPECT_THROW(unfolded(Json::parse(R"([{"each": ["a"], "from": 0, "count": 99999999}])")), InputError);
}

}  // namespace
