// Puts --set NAME=VALUE into the tree of the file, before anything is evaluated.
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

namespace {

constexpr std::string_view one_more_event = "events.+";  // what --event is in the words of --set

}  // namespace

void ModelReader::apply(const std::vector<std::string>& set) {
  struct Setting {
    const SourceText* source;
    std::string name;
  };
  std::vector<Setting> plain;
  bool steps = false, until = false, every = false, interval = false;
  for (const std::string& text : set) {
    const SourceText& source = keep(std::make_shared<SourceText>("--set", text, false));
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      fail(source, {0, text.size()}, "this is not of the form NAME=VALUE");
      continue;
    }
    const std::string name = text.substr(0, equals);
    if (name == one_more_event) {
      add_event(source, equals + 1);
      continue;
    }
    steps = steps || name == "run.steps";
    until = until || name == "run.until";
    every = every || name == "run.every";
    interval = interval || name == "run.interval";
    if (name.find('.') == std::string::npos && name != "title")
      plain.push_back({&source, name});
    else
      put(source, name, read_setting(source, equals + 1));
  }
  const auto erase = [&](const char* key) {
    if (Entry* run = root_.find("run"))
      std::erase_if(run->value.table, [&](const Entry& e) { return e.key == key; });
  };
  // The one that was set replaces the other.
  if (steps != until) erase(steps ? "until" : "steps");
  if (every != interval) erase(every ? "interval" : "every");
  std::vector<std::string> parameters, start;
  if (const Entry* e = root_.find("parameters"))
    for (const Entry& parameter : e->value.table) parameters.push_back(parameter.key);
  if (const Entry* e = root_.find("system"))
    if (const Entry* names = e->value.find("coordinates"))
      for (const Value& v : names->value.list)
        if (v.kind == Value::Kind::text) {
          start.push_back(v.text);
          start.push_back("p_" + v.text);
          start.push_back("v_" + v.text);
        }
  if (const Entry* e = root_.find("parametrisation"))
    if (const Entry* names = e->value.find("coordinates"))
      for (const Value& v : names->value.list)
        if (v.kind == Value::Kind::text) start.push_back(v.text);
  for (const Setting& s : plain) {
    const Value value = read_setting(*s.source, s.name.size() + 1);
    if (contains(parameters, s.name)) {
      put(*s.source, "parameters." + s.name, value);
    } else if (contains(start, s.name)) {
      put(*s.source, "initial." + s.name, value);
    } else {
      std::vector<std::string> known = parameters;
      known.insert(known.end(), start.begin(), start.end());
      fail(*s.source, {0, s.name.size()}, "the model has nothing called " + ticked(s.name) + " to set",
           known_names("known:", s.name, known) + " Other keys are written with their table, as in run.step");
    }
  }
}

// Adds a table to [[events]]: `when=x, direction=up, do=stop`. A comma inside parentheses belongs to a
// formula.
void ModelReader::add_event(const SourceText& source, std::size_t begin) {
  const std::string& text = source.text();
  Value event;
  event.source = &source;
  event.span = {begin, text.size()};
  int depth = 0;
  for (std::size_t from = begin, at = begin; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '(') ++depth;
    if (at < text.size() && text[at] == ')') --depth;
    if (at < text.size() && (text[at] != ',' || depth > 0)) continue;
    while (from < at && text[from] == ' ') ++from;
    const std::size_t equals = text.find('=', from);
    if (equals == std::string::npos || equals >= at) {
      fail(source, {from, at},
           "an event is written as when=FORMULA, with direction=, do= and name= behind it",
           "as in 'when=x, direction=up, do=stop'");
      return;
    }
    Value value;
    value.kind = Value::Kind::text;
    value.text = text.substr(equals + 1, at - equals - 1);
    value.source = &source;
    value.span = {equals + 1, at};
    value.base = equals + 1;
    value.verbatim = true;
    event.table.push_back({text.substr(from, equals - from), &source, {from, equals}, std::move(value)});
    from = at + 1;
  }
  Entry* events = root_.find("events");
  if (!events) {
    root_.table.push_back({"events", &source, {0, begin}, {}});
    events = &root_.table.back();
    events->value.kind = Value::Kind::list;
    events->value.source = &source;
  }
  events->value.list.push_back(std::move(event));
}

void ModelReader::put(const SourceText& source, const std::string& path, const Value& value) {
  if (std::count(path.begin(), path.end(), '.') > 3) {  // the deepest key is methods.NAME.tableau.A
    fail(source, {0, path.size()}, "the model has no key " + ticked(path) + " to set");
    return;
  }
  Value* at = &root_;
  std::size_t begin = 0;
  while (true) {
    const std::size_t dot = path.find('.', begin);
    const std::string key = path.substr(begin, dot == std::string::npos ? dot : dot - begin);
    if (at->kind != Value::Kind::table) {
      const std::string table = path.substr(0, begin - 1);
      fail(source, {0, path.size()}, "the model has no key " + ticked(path) + " to set",
           at->kind == Value::Kind::list
               ? "there may be several [[" + table + "]]: write this value as a parameter, and set that"
               : "");
      return;
    }
    Entry* entry = at->find(key);
    if (!entry) {
      at->table.push_back({key, &source, {0, source.text().find('=')}, {}});
      entry = &at->table.back();
      entry->value.source = &source;
      entry->value.span = entry->span;
    }
    if (dot == std::string::npos) {
      entry->value = value;
      return;
    }
    at = &entry->value;
    begin = dot + 1;
  }
}

}  // namespace taut
