#include <taut/model/tree.hpp>

#include <taut/model/formula.hpp>

#include <stdexcept>

// Some malformed files break an assumption inside toml++ 3.3, which then aborts, or with NDEBUG goes on undefined. Here it throws.
[[noreturn]] static void assumption_broken() { throw std::logic_error("toml++"); }
#undef NDEBUG
#define TOML_ASSERT(condition) (static_cast<bool>(condition) ? void() : assumption_broken())
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

#include <algorithm>
#include <optional>

namespace taut {

namespace {

class Conversion {
 public:
  explicit Conversion(const SourceText& source) : source_(source) {}

  Value value(const toml::node& node) const {
    Value v;
    v.source = &source_;
    v.span = span(node.source());
    if (const auto* table = node.as_table()) {
      v.kind = Value::Kind::table;
      for (const auto& [key, child] : *table) {
        Entry entry{std::string(key.str()), &source_, span(key.source()), value(child)};
        v.table.push_back(std::move(entry));
      }
      // toml++ sorts by name; people write in an order that means something.
      std::sort(v.table.begin(), v.table.end(),
                [](const Entry& a, const Entry& b) { return a.span.begin < b.span.begin; });
    } else if (const auto* list = node.as_array()) {
      v.kind = Value::Kind::list;
      for (const toml::node& child : *list) v.list.push_back(value(child));
    } else if (const auto* text = node.as_string()) {
      v.kind = Value::Kind::text;
      v.text = text->get();
      find_text(v);
    } else if (const auto* number = node.as_floating_point()) {
      v.kind = Value::Kind::number;
      v.number = exact(v.span).value_or(Float128(number->get()));
    } else if (const auto* whole = node.as_integer()) {
      v.kind = Value::Kind::number;
      v.number = Float128(whole->get());
      v.whole = true;
    } else {
      v.kind = node.is_boolean() ? Value::Kind::boolean : Value::Kind::date;
    }
    return v;
  }

 private:
  Span span(const toml::source_region& region) const {
    const auto at = [&](const toml::source_position& p) {
      return source_.offset(static_cast<int>(p.line), static_cast<int>(p.column));
    };
    return {at(region.begin), at(region.end)};
  }
  std::optional<Float128> exact(Span s) const {
    return decimal(std::string_view(source_.text()).substr(s.begin, s.end - s.begin));
  }
  void find_text(Value& v) const {
    const std::string_view written =
        std::string_view(source_.text()).substr(v.span.begin, v.span.end - v.span.begin);
    if (v.text.empty()) return;
    const std::size_t at = written.find(v.text);
    v.verbatim = at != std::string_view::npos;
    v.base = v.span.begin + (v.verbatim ? at : 0);
  }

  const SourceText& source_;
};

// What the library says, without its own names in it.
std::string plain(std::string_view description) {
  std::string text(description.substr(0, description.find(" (TOML_")));
  if (text.starts_with("Error while parsing ")) text = "in this " + text.substr(20);
  if (text.starts_with("Encountered ")) text = "there is an " + text.substr(12);
  for (char& c : text)  // it may quote the file
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return text;
}

// a.b.c nests tables, and the library recurses over them: the first key with too many parts, or nothing.
std::optional<std::size_t> endless_key(std::string_view text) {
  constexpr int most_parts = 32;
  const auto is_key = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || static_cast<unsigned char>(c) >= 0x80;
  };
  std::size_t begin = 0;
  int parts = 0;
  for (std::size_t k = 0; k < text.size();) {
    if (parts == 0) begin = k;
    if (is_key(text[k])) {
      while (k < text.size() && is_key(text[k])) ++k;
    } else if (text[k] == '"' || text[k] == '\'') {
      const std::size_t end = text.find_first_of(text[k] == '"' ? "\"\n" : "'\n", k + 1);
      k = end == std::string_view::npos ? text.size() : end + 1;
    } else {
      parts = 0;
      ++k;
      continue;
    }
    const auto skip_spaces = [&] {
      while (k < text.size() && (text[k] == ' ' || text[k] == '\t')) ++k;
    };
    skip_spaces();
    if (k < text.size() && text[k] == '.') {
      ++k;
      if (++parts > most_parts) return begin;
      skip_spaces();
    } else {
      parts = 0;
    }
  }
  return std::nullopt;
}

// The line at which the parser's assumptions break: the shortest file, in whole lines, that breaks them.
std::size_t broken_line(const SourceText& source) {
  const std::string& text = source.text();
  std::vector<std::size_t> ends;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] == '\n') ends.push_back(k + 1);
  ends.push_back(text.size());
  const auto breaks = [&](std::size_t end) {
    try {
      (void)toml::parse(std::string_view(text).substr(0, end), std::string_view());
      return false;
    } catch (const toml::parse_error&) {
      return false;
    } catch (const std::logic_error&) {
      return true;
    }
  };
  const auto first =
      std::partition_point(ends.begin(), ends.end(), [&](std::size_t end) { return !breaks(end); });
  return first == ends.begin() ? 0 : *(first - 1);
}

std::optional<toml::table> parsed(std::string_view text) {
  if (endless_key(text)) return std::nullopt;
  try {
    return toml::parse(text, std::string_view());
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

Entry* Value::find(std::string_view key) {
  const auto at = std::find_if(table.begin(), table.end(), [&](const Entry& e) { return e.key == key; });
  return at == table.end() ? nullptr : &*at;
}

Value read_tree(const SourceText& source, std::vector<ModelError>& errors) {
  Value nothing;
  nothing.source = &source;
  if (const auto at = endless_key(source.text())) {
    errors.push_back(source.error({*at, *at + 1}, "this key has too many parts"));
    return nothing;
  }
  try {
    const toml::table table = toml::parse(std::string_view(source.text()), std::string_view(source.name()));
    return Conversion(source).value(table);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    const std::size_t offset = source.offset(static_cast<int>(at.line), static_cast<int>(at.column));
    const bool open = offset < source.text().size() && source.text()[offset] == '\n' &&
                      error.description().find("control characters") != std::string_view::npos;
    errors.push_back(
        source.error({offset, offset + 1}, open ? "the quotes are not closed on this line"
                                                : "this is not TOML: " + plain(error.description())));
  } catch (const std::logic_error&) {
    const std::size_t line = broken_line(source);
    errors.push_back(source.error({line, line + 1}, "this line is not TOML"));
  }
  return nothing;
}

Value read_setting(const SourceText& source, std::size_t value_begin) {
  const std::string& written = source.text();
  // The same places as in NAME=VALUE, with a key that is surely one.
  const std::string line = std::string(value_begin - 1, 'v') + "=" + written.substr(value_begin);
  if (const auto table = parsed(line); table && table->size() == 1)
    return Conversion(source).value(table->begin()->second);
  Value v;  // not a value of TOML: a text without quotes
  v.kind = Value::Kind::text;
  v.source = &source;
  v.text = written.substr(value_begin);
  v.span = {value_begin, written.size()};
  v.base = value_begin;
  v.verbatim = true;
  return v;
}

std::string kind_name(const Value& value) {
  switch (value.kind) {
    case Value::Kind::text:
      return "a text";
    case Value::Kind::number:
      return "a number";
    case Value::Kind::boolean:
      return "true or false";
    case Value::Kind::list:
      return "a list";
    case Value::Kind::table:
      return "a table";
    case Value::Kind::date:
      return "a date or time";
  }
  return "";
}

}  // namespace taut
