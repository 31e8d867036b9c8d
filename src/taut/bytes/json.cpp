#include <taut/bytes/json.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace taut {

using Library = nlohmann::ordered_json;

// Writes a value as the library would. A run of 200 000 particles has a million numbers at its end, which
// are not copied into the library's values for that.
class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(indent) {}

  void write(const Json& json) {
    std::visit([this](const auto& value) { put(value); }, json.value_);
  }
  std::string text = {};

 private:
  void put(std::monostate) { text += "null"; }
  void put(bool value) { text += value ? "true" : "false"; }
  void put(std::integral auto value) { text += std::to_string(value); }
  void put(double value) {
    if (!std::isfinite(value)) return put(std::monostate());
    char digits[64];
    text.append(digits, nlohmann::detail::to_chars(digits, digits + sizeof digits, value));
  }
  void put(const std::string& value) {
    text += Library(value).dump(-1, ' ', false, Library::error_handler_t::replace);
  }
  void put(const Json::Digits& value) { text += value.text; }
  void put(const Json::List& items) {
    put_all('[', items, ']', [this](const Json& item) { write(item); });
  }
  void put(const Json::Members& members) {
    put_all('{', members, '}', [this](const JsonMember& member) {
      put(member.key);
      text += indent_ < 0 ? ":" : ": ";
      write(member.value);
    });
  }

  template <class All, class PutOne>
  void put_all(char open, const All& all, char close, PutOne&& put_one) {
    text += open;
    ++level_;
    bool first = true;
    for (const auto& one : all) {
      if (!first) text += ',';
      first = false;
      break_line();
      put_one(one);
    }
    --level_;
    if (!first) break_line();
    text += close;
  }
  void break_line() {
    if (indent_ < 0) return;
    text += '\n';
    text.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(level_), ' ');
  }

  int indent_, level_ = 0;
};

namespace {

Json value_of(Library&& json) {
  switch (json.type()) {
    case Library::value_t::boolean:
      return json.get<bool>();
    case Library::value_t::number_integer:
      return json.get<std::int64_t>();
    case Library::value_t::number_unsigned:
      return json.get<std::uint64_t>();
    case Library::value_t::number_float:
      return json.get<double>();
    case Library::value_t::string:
      return std::move(json.get_ref<std::string&>());
    case Library::value_t::array: {
      Json list = Json::list();
      for (Library& item : json) list.push_back(value_of(std::move(item)));
      return list;
    }
    case Library::value_t::object: {
      Json object = Json::object();
      for (auto& [key, value] : json.get_ref<Library::object_t&>()) object[key] = value_of(std::move(value));
      return object;
    }
    default:
      return {};
  }
}

}  // namespace

Json::Json() = default;
Json::Json(double value) : value_(value) {}
Json::Json(const Whole& value) {
  std::visit([&](const auto& x) { value_ = x; }, value);
}
Json::Json(const Whole&, List items) : value_(std::move(items)) {}
bool Json::is_text() const { return std::holds_alternative<std::string>(value_); }
bool Json::is_list() const { return std::holds_alternative<List>(value_); }
bool Json::is_null() const { return std::holds_alternative<std::monostate>(value_); }
Json::Whole Json::whole_value() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value;
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return *value;
  return false;
}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(std::string_view value) : value_(std::string(value)) {}
Json::Json(const char* value) : value_(std::string(value)) {}
Json::~Json() = default;
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;

Json Json::number_as(std::string text) {
  Json json;
  json.value_ = Digits{std::move(text)};
  return json;
}

Json Json::list() {
  Json json;
  json.value_ = List();
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = Members();
  return json;
}

void Json::add(JsonMember* members, std::size_t count) {
  auto& all = std::get<Members>(value_);
  all.reserve(all.size() + count);
  for (std::size_t k = 0; k < count; ++k) all.push_back(std::move(members[k]));
}

void Json::push_back(Json item) { items().push_back(std::move(item)); }

Json& Json::operator[](std::string_view key) {
  auto* members = std::get_if<Members>(&value_);
  if (members == nullptr) refuse_as("an object");
  for (auto& [name, value] : *members)
    if (name == key) return value;
  return members->emplace_back(std::string(key), Json()).value;
}

const Json* Json::find(std::string_view key) const {
  for (const auto& [name, value] : members())
    if (name == key) return &value;
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) throw JsonError("there is no \"" + std::string(key) + "\"");
  return *value;
}

const std::string& Json::text() const {
  if (const auto* value = std::get_if<std::string>(&value_)) return *value;
  refuse_as("a text");
}

bool Json::boolean() const {
  if (const auto* value = std::get_if<bool>(&value_)) return *value;
  refuse_as("true or false");
}

double Json::number() const {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  refuse_as("a number");
}

Json::List& Json::items() {
  if (auto* value = std::get_if<List>(&value_)) return *value;
  refuse_as("a list");
}
const Json::List& Json::items() const { return const_cast<Json*>(this)->items(); }

const Json::Members& Json::members() const {
  if (const auto* value = std::get_if<Members>(&value_)) return *value;
  refuse_as("an object");
}

std::vector<std::string> Json::texts() const {
  std::vector<std::string> texts;
  for (const Json& item : items()) texts.push_back(item.text());
  return texts;
}

std::string Json::to_text(int indent) const {
  JsonWriter writer(indent);
  writer.write(*this);
  return std::move(writer.text);
}

Json Json::parse(const std::string& text) {
  try {
    return value_of(Library::parse(text));
  } catch (const Library::exception& error) {
    throw JsonError(error.what());
  }
}

void Json::refuse_as(std::string_view wanted) const {
  constexpr const char* kinds[] = {"null",   "true or false", "a number",  "a number", "a number",
                                   "a text", "a list",        "an object", "a number"};
  throw JsonError(std::string(wanted) + " is expected, but there is " + kinds[value_.index()]);
}

void Json::refuse_as_whole() const { throw JsonError("a number that should be whole is not"); }

Json json_of(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

double real(const Json& value) {
  if (!value.is_text()) return value.number();
  for (const double x : {HUGE_VAL, -HUGE_VAL, std::nan("")})
    if (value.text() == json_of(x).text()) return x;
  throw JsonError("a number is none");
}

}  // namespace taut
