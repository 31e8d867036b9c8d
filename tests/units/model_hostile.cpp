// Model files made to hurt: each is refused with a message, or read, and nothing else happens.

#include <taut/model/formula_problem.hpp>

#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <regex>
#include <string>

#include "support/reading_cases.hpp"
#include "support/source_files.hpp"

namespace {

using namespace taut;

std::string repeated(const std::string& part, int count) {
  std::string text;
  text.reserve(part.size() * static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) text += part;
  return text;
}

std::string with_potential(const std::string& formula) {
  return "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"" + formula +
         "\"\nconstraints = [\"x - y\"]\n";
}

// Returns the first error's sentence; messages stay short and free of control characters whatever
// the file holds.
std::string sentence(const std::string& text, const std::vector<std::string>& set = {}) {
  const ReadModel read = read_model(text, "hostile.toml", set);
  EXPECT_NE(read.model.has_value(), !read.errors.empty());
  for (const ModelError& error : read.errors) {
    const std::string message = error.text();
    EXPECT_LT(message.size(), 1500U);
    for (const char c : message) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 3);
  }
  return read.errors.empty() ? "" : read.errors.front().sentence;
}

TEST(HostileModels, DeepNesting) {
  EXPECT_EQ(sentence(with_potential(repeated("(", 100000) + "x" + repeated(")", 100000))),
            "the potential is nested too deeply");
  EXPECT_EQ(sentence(with_potential(repeated("-", 100000) + "x")), "the potential is nested too deeply");
  EXPECT_EQ(sentence(with_potential(repeated("x^", 100000) + "x")), "the potential is nested too deeply");
  EXPECT_EQ(sentence(with_potential(repeated("sin(", 100000))), "the potential is nested too deeply");
  EXPECT_EQ(sentence("x = " + repeated("[", 100000)),
            "this is not TOML: in this value: exceeded maximum nested value depth of 256");
  EXPECT_EQ(sentence("[" + repeated("a.", 100000) + "a]\n"), "this key has too many parts");
  EXPECT_EQ(sentence(repeated("'a' . ", 100000) + "a = 1\n"), "this key has too many parts");
  EXPECT_EQ(sentence(with_potential("x"), {repeated("a.", 100000) + "a=1"}),
            "the model has no key `" + repeated("a.", 20) + "…` to set");
}

TEST(HostileModels, LongFormulasAreOrdinaryOnes) {
  EXPECT_EQ(sentence(with_potential("x" + repeated(" + x*y", 50000))), "");
  EXPECT_EQ(sentence(with_potential("x" + repeated("*sin(x)/(1 + y^2)", 20000))), "");
  EXPECT_EQ(sentence(with_potential("x" + repeated("*x", 100000))), "");
  EXPECT_EQ(sentence(with_potential("x" + repeated("/2 - 1", 100000))), "");
  EXPECT_EQ(sentence(with_potential(repeated("(", 100) + "x" + repeated("^2)", 100) + "*0")), "");
}

TEST(HostileModels, HugeFiles) {
  EXPECT_EQ(sentence("#" + std::string(10U << 20U, 'x') + "\n"), "the file has 10485762 bytes");
}

double seconds_of_reading(const test::ReadingCase& c, int n) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const std::string text = c.text(n), file = c.file ? c.file(n) : "";
  double least = 1e300;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const double begin = now();
    const ReadModel read = read_model(
        text, "model.toml", {}, {.file = [&](const std::string& path) -> FoundText { return {file, path}; }});
    least = std::min(least, now() - begin);
    EXPECT_EQ(read.model.has_value(), c.right) << c.name << "\n" << text_of(read.errors).substr(0, 1000);
    EXPECT_LT(text_of(read.errors).size(), 100'000U) << c.name;
  }
  return least;
}

// Eight times as many entries take about eight times as long; a time that grew with the square would be 64
// times as long. bench/reading.cpp goes to a million entries.
TEST(HostileModels, ReadingTimeGrowsAsTheText) {
  for (const test::ReadingCase& c : test::reading_cases())
    EXPECT_LT(seconds_of_reading(c, 2000), 20 * seconds_of_reading(c, 250) + 0.01) << c.name;
}

TEST(HostileModels, OfManyErrorsTheFirstAreShown) {
  std::string text = "[parameters]\n";
  for (int i = 0; i < 1000; ++i) text += "a" + std::to_string(i) + " = \"b" + std::to_string(i) + "\"\n";
  const ReadModel read = read_model(text + with_potential("x"), "m.toml");
  ASSERT_EQ(read.errors.size(), 1000U);
  const std::string message = text_of(read.errors);
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 3 * 50 + 1);
  EXPECT_NE(message.find("m.toml:51:8: unknown name `b49` in the parameter `a49`\n"), std::string::npos)
      << message;
  EXPECT_TRUE(message.ends_with("These are the first 50 of 1000 errors; the others are not shown.\n"))
      << message;
}

// Places on a long line, with characters of one to four bytes, are those of a plain count.
TEST(HostileModels, PlacesOnALongLine) {
  std::string line;
  std::vector<std::size_t> at;
  for (int k = 0; k < 1000; ++k) {
    at.push_back(line.size());
    line += k % 7 == 0 ? "é" : k % 11 == 0 ? "…" : k % 13 == 0 ? "😀" : "x";
  }
  const SourceText source("s", "first\n" + line + "\nlast");
  for (int k = 0; k < 1000; ++k) {
    const std::size_t place = 6 + at[static_cast<std::size_t>(k)];
    EXPECT_EQ(source.offset(2, k + 1), place);
    const ModelError error = source.error({place, place + 1}, "wrong");
    EXPECT_EQ(error.line, 2);
    EXPECT_EQ(error.column, k + 1);
    EXPECT_EQ(error.width, 1);
    EXPECT_LE(error.caret, 111);
  }
  EXPECT_EQ(source.offset(2, 1001), 6 + line.size());
  EXPECT_EQ(source.offset(1, 3), 2U);
  EXPECT_EQ(source.offset(3, 100), source.text().size());
  EXPECT_EQ(source.offset(9, 1), source.text().size());
}

// n² of so many coordinates is beyond an int, and n² numbers are beyond the memory.
TEST(HostileModels, ManyCoordinates) {
  constexpr int n = 65536;
  const std::string names = test::many(n, ", ", test::quoted_x);
  const auto kind_of = [&](const std::string& rest) {
    const ReadModel read = read_model("[system]\ncoordinates = [" + names + "]\n" + rest, "m.toml");
    EXPECT_TRUE(read.model) << text_of(read.errors);
    if (!read.model) return System::Kind::split;
    EXPECT_LE(read.model->derived->inverse_mass.size(), static_cast<std::size_t>(n));
    EXPECT_LE(read.model->derived->M.size(), static_cast<std::size_t>(n));
    return read.model->derived->kind;
  };
  EXPECT_EQ(kind_of("hamiltonian = \"p_x0^2/2 + p_x1^2/2 + x0\"\n"), System::Kind::hamiltonian);
  EXPECT_EQ(kind_of("mass = 2\npotential = \"x0\"\n"), System::Kind::natural);
  const auto square = [](int i) { return "p_x" + std::to_string(i) + "^2/2"; };
  EXPECT_EQ(kind_of("hamiltonian = \"" + test::many(n, " + ", square) + "\"\n"), System::Kind::natural);
}

// A product of two ints overflows before it becomes a size: one factor is widened first. Sizes that the
// compiler computes are exempt, because it refuses an overflow.
TEST(HostileModels, SizesAreWideBeforeTheyAreMultiplied) {
  const std::regex narrow(
      R"(static_cast<(std::size_t|std::int64_t|std::ptrdiff_t|long)>\((?:[\w.>-]|\(\))+ ?\* ?(?:[\w.>-]|\(\))+\))");
  for (const char* folder : {"src", "cli"})
    for (const auto& file : test::files_under(folder, {".hpp", ".cpp"})) {
      int number = 0;
      for (const std::string& line : test::lines_of(file.text)) {
        ++number;
        if (line.find("* ") == std::string::npos || line.find("std::array<") != std::string::npos) continue;
        if (!std::regex_search(line, narrow)) continue;
        ADD_FAILURE() << file.path << ":" << number << ": widen a factor, not the product:" << line;
      }
    }
  EXPECT_TRUE(std::regex_search("std::vector<int> W(static_cast<std::size_t>(n * n), 0);", narrow));
  EXPECT_FALSE(std::regex_search("x[static_cast<std::size_t>(n) * n]", narrow));
}

TEST(HostileModels, Bytes) {
  EXPECT_EQ(sentence(std::string("a = \"\0\"\n", 8)),
            "this is not TOML: in this string: unescaped control characters other than TAB (U+0009) are "
            "explicitly prohibited");
  EXPECT_EQ(sentence(std::string("\xff\xfe\0", 3)), "this is not TOML: there is an invalid utf-8 sequence");
  EXPECT_EQ(sentence("[system]\ncoordinates = [\"x\\u001b[31m\", \"y\"]\nmass = 1\npotential = \"0\"\n"),
            "`x?[31m` cannot be the name of a coordinate");
  EXPECT_EQ(sentence(with_potential("x\\u0000")), "unexpected control character in the potential");
  EXPECT_EQ(sentence(with_potential("x"), {std::string("x\0=1", 4)}),
            "the model has nothing called `x?` to set");
}

TEST(HostileModels, Names) {
  const std::string longest(1000000, 'a');
  EXPECT_EQ(sentence("[parameters]\n" + longest + " = 1\n" + with_potential("x")),
            "the name `" + std::string(40, 'a') + "…` has 1000000 letters");
  EXPECT_EQ(sentence(with_potential(longest)),
            "unknown name `" + std::string(40, 'a') + "…` in the potential");
  EXPECT_EQ(sentence(with_potential("x; system(\\\"rm -rf /\\\")")),
            "unexpected character `;` in the potential");
  EXPECT_EQ(sentence(with_potential("__builtin_trap")), "unknown name `__builtin_trap` in the potential");
  EXPECT_EQ(
      sentence("[parameters]\n\"int\" = 1.0\nreturn = 2.0\nT = 3.0\n" + with_potential("int*return*T*x")),
      "");
}

// Random bytes of the files are changed, cut out or doubled: the files are read or refused, and the
// process lives.
TEST(HostileModels, DamagedExamples) {
  std::mt19937 random(11);
  const auto files = test::system_examples();
  int refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::string text = files[static_cast<std::size_t>(trial) % files.size()].text;
    for (int k = static_cast<int>(random() % 4); k >= 0; --k) {
      const std::size_t at = random() % text.size(),
                        length = std::min<std::size_t>(random() % 20, text.size() - at);
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text[at] = "()[]{}\"'=.^*+-/,#\n0ex"[random() % 21];
          break;
        case 2:
          text.erase(at, length);
          break;
        default:
          text.insert(at, text.substr(random() % (text.size() - length), length));
      }
      if (text.empty()) text = "\n";
    }
    const ReadModel read = read_model(text, "damaged.toml");
    EXPECT_NE(read.model.has_value(), !read.errors.empty());
    if (read.model)
      compile(*read.model);
    else
      ++refused;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
