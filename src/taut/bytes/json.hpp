// A JSON value, its text, and the way back. The library that writes and parses the text is included in
// json.cpp alone, because it is dear to compile.
#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace taut {

// A text is not JSON, or it does not hold what the reader asks for.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct JsonMember;

class Json {
 public:
  using List = std::vector<Json>;
  using Members = std::vector<JsonMember>;  // members of an object, in the order in which they were added

  Json();              // null
  Json(double value);  // written so that it reads back as the same bits; null if it is not finite
  template <std::integral T>
  Json(T value) : Json(whole_of(value)) {}
  Json(std::string value);
  Json(std::string_view value);
  Json(const char* value);
  template <class Range>
    requires(!std::convertible_to<const Range&, std::string_view> && !std::same_as<Range, Json> &&
             requires(const Range& range) { range.begin() != range.end(); })
  Json(const Range& range) : Json(Whole{}, List(range.begin(), range.end())) {}
  // A number as it is written: for numbers with more digits than a double. Who reads it back gets a double.
  static Json number_as(std::string text);
  static Json list();
  static Json object();
  // An object of {"key", value} in braces. The values are moved: a report holds long texts, deep inside.
  template <std::size_t n>
  static Json object(JsonMember (&&members)[n]) {
    Json json = object();
    json.add(members, n);
    return json;
  }

  ~Json();
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;

  void push_back(Json item);                     // appends to a list
  Json& operator[](std::string_view key);        // the member of that name, which is added if there is none
  Json& back() { return items().back(); }        // the last item of a list
  const Json* find(std::string_view key) const;  // null if there is no such member

  // The readers throw JsonError if the value is of another kind.
  const Json& at(std::string_view key) const;
  const std::string& text() const;
  bool boolean() const;
  double number() const;
  template <std::integral T>
  T whole() const {
    const Whole value = whole_value();
    if (const auto* found = std::get_if<std::int64_t>(&value); found != nullptr && std::in_range<T>(*found))
      return static_cast<T>(*found);
    if (const auto* found = std::get_if<std::uint64_t>(&value); found != nullptr && std::in_range<T>(*found))
      return static_cast<T>(*found);
    refuse_as_whole();
  }
  const List& items() const;
  const Members& members() const;
  std::vector<std::string> texts() const;  // a list of texts
  bool is_text() const;
  bool is_list() const;
  bool is_null() const;

  // Returns the text on one line, or with `indent` spaces for each level if it is not negative. Bytes that
  // are not UTF-8 become U+FFFD.
  std::string to_text(int indent = -1) const;
  static Json parse(const std::string& text);  // JsonError says where the text is not JSON

 private:
  // What a template constructor hands on. The variant is touched in json.cpp alone: JsonMember, which it
  // holds, is not complete when this class is.
  using Whole = std::variant<bool, std::int64_t, std::uint64_t>;
  template <std::integral T>
  static Whole whole_of(T value) {
    if constexpr (std::same_as<T, bool>)
      return value;
    else if constexpr (std::signed_integral<T>)
      return static_cast<std::int64_t>(value);
    else
      return static_cast<std::uint64_t>(value);
  }
  explicit Json(const Whole& value);
  Json(const Whole& none, List items);

  friend class JsonWriter;
  List& items();
  Whole whole_value() const;  // false if the value is not whole
  void add(JsonMember* members, std::size_t count);
  [[noreturn]] void refuse_as(std::string_view wanted) const;
  [[noreturn]] void refuse_as_whole() const;

  struct Digits {
    std::string text;
  };
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, List, Members, Digits>
      value_;
};

struct JsonMember {
  std::string key;
  Json value;
};

// Writes a number. JSON has no word for numbers that are not finite: they become the texts "inf",
// "-inf" and "nan".
Json json_of(double x);
double real(const Json& value);  // the way back

}  // namespace taut
