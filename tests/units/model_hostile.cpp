// Model files made to hurt: each is refused with a message, or read, and nothing else happens.

#include <taut/model/formula_problem.hpp>

#include <gtest/gtest.h>

#include <random>
#include <string>

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
