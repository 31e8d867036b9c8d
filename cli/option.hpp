// An option of a command, or a place among its words, as data: help texts, refusals and completions all
// come from it. What was typed is a text that `take` turns into a value, so that every refusal is a
// sentence of ours.
#pragma once

#include <taut/words/nearest_name.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taut::cli {

struct Option {
  enum class Kind {
    flag,         // takes no value
    value,        // takes one
    maybe_value,  // takes one or none
    values        // may be typed several times, each time with a value
  };
  enum class Files { folders, models, parameters };  // the last: NAME= of what the model lets one set

  std::string name;        // "--step"; a name without dashes is that of a place, "PROBLEM"
  std::string value_name;  // what stands for the value in the help, "H"
  std::string help;
  Kind kind = Kind::value;
  std::function<void(const std::string&)> take;  // is given each text that was typed; a flag is given ""
  bool required = false;
  std::optional<std::pair<int, int>> range = {};         // the value is a whole number from here to there
  std::function<std::vector<std::string>()> words = {};  // completions offer these
  bool list = false;                                     // several of them, with commas between
  std::optional<Files> files = {};                       // or files of that kind

  bool is_place() const { return !name.starts_with('-'); }
  bool takes_value() const { return kind != Kind::flag; }
};

// Make options, named by what they set. `into` must live until the command has been carried out.
Option flag(std::string name, bool& into, std::string help);
Option option(std::string name, std::string value_name, std::string& into, std::string help);
Option option(std::string name, std::string value_name, std::vector<std::string>& into, std::string help);
Option option(std::string name, std::string value_name, std::optional<double>& into, std::string help);
Option option(std::string name, std::string value_name, std::function<void(const std::string&)> take,
              std::string help);
Option place(std::string name, std::string& into, std::string help);
Option required(Option option);

// Returns the position of a text in a list of names; `what` is one of them, in the singular.
std::size_t choice_of(std::string_view text, std::string_view what, std::span<const std::string_view> names);

// Makes an option for one of the names of an enumeration; the first name is that of `first`.
template <class Choice>
Option choice(std::string name, std::string value_name, Choice& into, std::string_view what,
              std::span<const std::string_view> names, std::string help, Choice first = {}) {
  Option made = option(
      std::move(name), std::move(value_name),
      [&into, what, names, first](const std::string& text) {
        into = static_cast<Choice>(static_cast<std::size_t>(first) + choice_of(text, what, names));
      },
      std::move(help));
  made.words = [names] { return std::vector<std::string>(names.begin(), names.end()); };
  return made;
}

// Return numbers as they are typed; `what` names them in the refusal.
double number_of(const std::string& text, const std::string& what);
std::int64_t count_of(const std::string& text, const std::string& what);  // "10000", "1e6", "-3", not "2.5"
double seconds_of(const std::string& text, const std::string& what);      // not negative

}  // namespace taut::cli
