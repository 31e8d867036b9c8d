// A model file as a tree of values, each with its place in the text. Only this part knows TOML.
#pragma once

#include <taut/model/text/source.hpp>
#include <taut/scalar/number.hpp>

#include <memory>
#include <string>
#include <vector>

namespace taut {

struct Entry;
struct ReadModel;     // model.hpp
struct Surroundings;  // model.hpp

struct Value {
  enum class Kind { text, number, boolean, list, table, date };
  Kind kind = Kind::table;
  std::string text;     // if it is a text
  Float128 number = 0;  // to 113 bits, not only to the 53 of a double
  bool whole = false;   // written as a whole number
  bool yes = false;     // if it is `true`
  std::vector<Value> list;
  std::vector<Entry> table;  // in the order of the file
  const SourceText* source = nullptr;
  Span span;              // the value as written
  std::size_t base = 0;   // where `text` begins in the source, if it stands there as it is
  bool verbatim = false;  // no escape sequences in between

  Entry* find(std::string_view key);
  const Entry* find(std::string_view key) const { return const_cast<Value*>(this)->find(key); }
  // Returns the place of a part of `text`.
  Span place(Span part) const { return verbatim ? Span{base + part.begin, base + part.end} : span; }
};

struct Entry {
  std::string key;
  const SourceText* source = nullptr;
  Span span;  // the place of the key
  Value value;
};

// Returns the file as a table; adds what is wrong with it as TOML to `errors`.
Value read_tree(const SourceText& source, std::vector<ModelError>& errors);

// A file with its tree, for whoever reads the same model many times.
struct SourceTree {
  std::shared_ptr<const SourceText> source;
  Value root;
};
// Returns null if something is wrong with the file.
std::shared_ptr<const SourceTree> source_tree(std::string name, std::string text);
// Reads a model as the other function of this name does (model.hpp), from a tree that is at hand.
ReadModel read_model(const SourceTree& tree, const std::vector<std::string>& set, const Surroundings& around);

// Returns the value of NAME=VALUE: what TOML makes of VALUE, or a text if it is not a value of TOML, so that
// quotes may be left out.
Value read_setting(const SourceText& source, std::size_t value_begin);

// Returns "a number", "a list", … for sentences about wrong types.
std::string kind_name(const Value& value);

}  // namespace taut
