// Puts --set NAME=VALUE into the tree of the file, before anything is evaluated.
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

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
