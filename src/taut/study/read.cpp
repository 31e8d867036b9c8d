#include <taut/model/text/tree.hpp>
#include <taut/run/model_run.hpp>
#include <taut/study/study.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <string_view>

namespace taut {

namespace {

using Keys = std::vector<std::string>;

// The words of `measure`, and the keys that each needs or may have.
struct Word {
  std::string_view name;
  Keys needed, optional;
};
const std::vector<Word>& vocabulary() {
  static const Keys window = {"from", "to", "reference", "member"};
  static const Keys spectrum = {"run", "of", "interval"};
  static const std::vector<Word> words = {
      {"final", {"run", "of"}, {"reference", "member"}},
      {"at", {"run", "of", "time"}, {"reference", "member"}},
      {"max", {"run", "of"}, window},
      {"min", {"run", "of"}, window},
      {"mean", {"run", "of"}, window},
      {"slope", {"run", "of"}, window},
      {"growth", {"run", "of"}, window},
      {"period", {"run", "of"}, window},
      {"peak", spectrum, {}},
      {"peak-frequency", spectrum, {}},
      {"band-low", spectrum, {}},
      {"band-high", spectrum, {}},
      {"order", {"run", "of"}, {"reference", "last"}},
      {"coefficient", {"run", "of", "power"}, {}},
      {"steps", {"run"}, {"member"}},
      {"failure-time", {"run"}, {"member"}},
      {"position-projections", {"run"}, {"member"}},
      {"momentum-projections", {"run"}, {"member"}},
      {"iterations-mean", {"run"}, {"member"}},
      {"iterations-max", {"run"}, {"member"}},
      {"gradients-mean", {"run"}, {"member"}},
      {"stability", {"run", "part"}, {}},
      {"symplectic-defect", {"run"}, {"member"}},
      {"reversal-defect", {"run"}, {"member"}},
      {"tableau", {"method", "entry"}, {}},
      {"value", {"of"}, {}},
  };
  return words;
}

class StudyReader {
 public:
  StudyReader(std::string text, const std::string& path)
      : source_(std::make_shared<SourceText>(path, std::move(text))) {
    study_.source = source_;
  }

  Study read() {
    Value root = read_tree(*source_, errors_);
    if (errors_.empty()) read(root);
    if (!errors_.empty()) throw ModelFileError(std::move(errors_));
    return std::move(study_);
  }

 private:
  void error(Span at, std::string sentence, std::string note = {}) {
    errors_.push_back(source_->error(at, std::move(sentence), std::move(note)));
  }

  bool is(const Value& value, Value::Kind kind, std::string_view wanted) {
    if (value.kind == kind) return true;
    error(value.span, "this must be " + std::string(wanted) + ", not " + kind_name(value));
    return false;
  }
  void refuse_other_keys(const Value& table, const Keys& known) {
    for (const Entry& entry : table.table)
      if (std::find(known.begin(), known.end(), entry.key) == known.end())
        error(entry.span, "unknown key " + ticked(entry.key), known_names("known here:", entry.key, known));
  }
  const Value* find(const Value& table, std::string_view key) {
    const Entry* entry = table.find(key);
    return entry == nullptr ? nullptr : &entry->value;
  }
  const Value* need(const Value& table, std::string_view key) {
    const Value* value = find(table, key);
    if (value == nullptr) error(table.span, "the key " + ticked(key) + " is missing here");
    return value;
  }

  void text(const Value& table, std::string_view key, std::string& to, bool needed = false) {
    const Value* value = needed ? need(table, key) : find(table, key);
    if (value != nullptr && is(*value, Value::Kind::text, "a text")) to = value->text;
  }
  // Reads a number as it is written, or a text.
  void written(const Value& table, std::string_view key, std::string& to, bool needed = false) {
    const Value* value = needed ? need(table, key) : find(table, key);
    if (value == nullptr) return;
    if (value->kind == Value::Kind::number)
      to = source_->text().substr(value->span.begin, value->span.end - value->span.begin);
    else if (is(*value, Value::Kind::text, "a text or a number"))
      to = value->text;
  }
  void whole(const Value& table, std::string_view key, int& to, int least) {
    const Value* value = find(table, key);
    if (value == nullptr) return;
    if (value->kind != Value::Kind::number || !value->whole || value->number < least)
      return error(value->span, "this must be a whole number from " + std::to_string(least) + " on");
    to = static_cast<int>(value->number);
  }
  bool flag(const Value& table, std::string_view key) {
    const Value* value = find(table, key);
    if (value == nullptr || !is(*value, Value::Kind::boolean, "true or false")) return false;
    return source_->text().substr(value->span.begin, 4) == "true";
  }

  std::optional<Expression> expression(const Value& value) {
    if (value.kind == Value::Kind::number) {
      Formula number;
      number.text = source_->text().substr(value.span.begin, value.span.end - value.span.begin);
      number.nodes.push_back({.op = Op::constant, .value = value.number, .span = {0, number.text.size()}});
      return Expression{std::move(number), value.span};
    }
    if (!is(value, Value::Kind::text, "a number or a formula")) return std::nullopt;
    return parsed(value.text, value, {0, value.text.size()});
  }
  std::optional<Expression> parsed(const std::string& text, const Value& value, Span part) {
    ParsedFormula formula = parse_formula(text, "this formula");
    if (!formula.error) return Expression{std::move(formula.formula), value.place(part)};
    const Span at = formula.error->span;
    error(value.place({part.begin + at.begin, part.begin + at.end}), formula.error->sentence,
          formula.error->note);
    return std::nullopt;
  }
  void expression(const Value& table, std::string_view key, std::optional<Expression>& to) {
    if (const Value* value = find(table, key)) to = expression(*value);
  }
  std::vector<NamedExpression> named(const Value* table) {
    std::vector<NamedExpression> all;
    if (table == nullptr || !is(*table, Value::Kind::table, "a table")) return all;
    for (const Entry& entry : table->table) {
      if (!is_name(entry.key) || is_reserved(entry.key))
        error(entry.span, ticked(entry.key) + " cannot be a name");
      else if (auto value = expression(entry.value))
        all.emplace_back(entry.key, std::move(*value));
    }
    return all;
  }
  std::vector<Expression> list(const Value* value) {
    std::vector<Expression> all;
    if (value == nullptr) return all;
    if (value->kind != Value::Kind::list) {
      if (auto one = expression(*value)) all.push_back(std::move(*one));
      return all;
    }
    if (value->list.empty()) error(value->span, "this list is empty");
    for (const Value& entry : value->list)
      if (auto one = expression(entry)) all.push_back(std::move(*one));
    return all;
  }
  template <class Read>
  void each(const Value& root, std::string_view key, Read&& read) {
    const Value* value = find(root, key);
    if (value == nullptr || !is(*value, Value::Kind::list, "a list of tables")) return;
    for (const Value& entry : value->list)
      if (is(entry, Value::Kind::table, "a table")) read(entry);
  }

  void read(const Value& root) {
    refuse_other_keys(root, {"title", "place", "independent_by", "model", "constants", "defaults", "run",
                             "reference", "quantity", "plot"});
    text(root, "title", study_.title, true);
    text(root, "place", study_.place, true);
    text(root, "independent_by", study_.independent_by);
    text(root, "model", model_);
    if (const Value* constants = find(root, "constants")) study_.constants = named(constants);
    if (const Value* defaults = find(root, "defaults"); defaults != nullptr)
      if (is(*defaults, Value::Kind::table, "a table")) defaults_ = defaults;
    each(root, "run", [this](const Value& table) { read_run(table); });
    each(root, "reference", [this](const Value& table) { read_reference(table); });
    each(root, "quantity", [this](const Value& table) { read_quantity(table); });
    each(root, "plot", [this](const Value& table) { read_plot(table); });
    if (errors_.empty() && study_.quantities.empty())
      error(root.span, "a study needs at least one [[quantity]]");
  }

  void read_run(const Value& table) {
    refuse_other_keys(table, {"name", "model", "method", "formulation", "projection", "projection_tolerance",
                              "tolerance", "error_tolerance", "set", "step", "steps", "until", "every",
                              "off_manifold", "project_start"});
    StudyRun run;
    run.place = table.span;
    run.model = model_;
    text(table, "name", run.name, true);
    text(table, "model", run.model);
    text(table, "method", run.method, true);
    text(table, "formulation", run.formulation);
    text(table, "projection", run.projection);
    expression(table, "projection_tolerance", run.projection_tolerance);
    expression(table, "tolerance", run.tolerance);
    expression(table, "error_tolerance", run.error_tolerance);
    if (const Value* set = find(table, "set")) run.set = named(set);
    run.steps = list(need(table, "step"));
    expression(table, "steps", run.count);
    expression(table, "until", run.until);
    if (run.count.has_value() == run.until.has_value())
      error(table.span, "a run needs one of `steps` and `until`");
    whole(table, "every", run.every, 1);
    run.off_manifold = flag(table, "off_manifold");
    run.project_start = flag(table, "project_start");
    if (run.model.empty()) error(table.span, "no model: give `model` here or at the top of the file");
    if (find_run(run.name) != nullptr) error(table.span, "there is a run " + ticked(run.name) + " already");
    study_.runs.push_back(std::move(run));
  }

  void read_reference(const Value& table) {
    refuse_other_keys(table, {"name", "run", "state", "lambda"});
    StudyReference reference;
    reference.place = table.span;
    text(table, "name", reference.name, true);
    text(table, "run", reference.run);
    if (const Value* state = find(table, "state")) reference.state = named(state);
    reference.lambda = list(find(table, "lambda"));
    if (!reference.run.empty()) check_run(*find(table, "run"));
    if (reference.run.empty() && reference.state.empty())
      error(table.span, "a reference needs a run, a state, or both");
    study_.references.push_back(std::move(reference));
  }

  const StudyRun* find_run(std::string_view name) const {
    const auto at = std::find_if(study_.runs.begin(), study_.runs.end(),
                                 [&](const StudyRun& run) { return run.name == name; });
    return at == study_.runs.end() ? nullptr : &*at;
  }
  void check_run(const Value& value) {
    if (value.kind != Value::Kind::text || find_run(value.text) != nullptr) return;
    Keys names;
    for (const StudyRun& run : study_.runs) names.push_back(run.name);
    error(value.span, "there is no run " + ticked(value.text), known_names("runs:", value.text, names));
  }
  void check_reference(const Value& value) {
    Keys names;
    for (const StudyReference& reference : study_.references) names.push_back(reference.name);
    if (std::find(names.begin(), names.end(), value.text) == names.end())
      error(value.span, "there is no reference " + ticked(value.text),
            known_names("references:", value.text, names));
  }

  // Returns the table with the entries of [defaults] that it lacks.
  Value with_defaults(const Value& table) const {
    Value all = table;
    if (defaults_ != nullptr)
      for (const Entry& entry : defaults_->table)
        if (all.find(entry.key) == nullptr) all.table.push_back(entry);
    return all;
  }

  void read_quantity(const Value& written_here) {
    const Value table = with_defaults(written_here);
    StudyQuantity q;
    q.place = written_here.span;
    text(table, "id", q.id);
    text(table, "name", q.name, q.id.empty());
    text(table, "measure", q.measure, true);
    const Word* word = find_word(table, q.measure);
    if (word == nullptr) return;
    Keys known = {"name", "id",          "measure",        "published", "accept", "within",   "reading",
                  "note", "independent", "independent_by", "expected",  "kind",   "statement"};
    known.insert(known.end(), word->needed.begin(), word->needed.end());
    known.insert(known.end(), word->optional.begin(), word->optional.end());
    refuse_other_keys(written_here, known);
    for (const std::string& key : word->needed) (void)need(table, key);
    text(table, "run", q.run);
    if (const Value* run = find(table, "run"); run != nullptr && word->name != "value") check_run(*run);
    text(table, "reference", q.reference);
    if (!q.reference.empty()) check_reference(*find(table, "reference"));
    for (const auto& [key, to] : {std::pair{"of", &q.of},
                                  {"time", &q.time},
                                  {"from", &q.from},
                                  {"to", &q.to},
                                  {"interval", &q.interval}})
      expression(table, key, *to);
    whole(table, "member", q.member, 0);
    whole(table, "last", q.last, 2);
    whole(table, "power", q.power, 0);
    text(table, "method", q.method);
    text(table, "entry", q.entry);
    text(table, "part", q.part);
    read_kind(table, q);
    // A quantity with only an id serves other quantities, and nothing was published about a control.
    if (q.kind != RowKind::control)
      written(table, "published", q.published, q.id.empty());
    else if (const Value* published = find(written_here, "published"))
      error(published->span, "a control has no `published`: say by `accept` what must hold");
    text(table, "statement", q.statement);
    text(table, "independent_by", q.independent_by);
    text(judged(table, written_here, q), "reading", q.reading);
    text(table, "note", q.note);
    written(table, "independent", q.independent);
    if (!q.independent.empty() && !as_printed(q.independent) && q.measure != "stability")
      error(find(table, "independent")->span, "`independent` must be a number");
    read_accept(table, q);
    read_expected(judged(table, written_here, q), q);
    if (!q.kind) q.kind = usual_kind(q);
    if (q.statement.empty() && q.kind == RowKind::statement) q.statement = q.published;
    if (q.is_row() && !q.independent.empty() && q.independent_by.empty() && study_.independent_by.empty())
      error(find(table, "independent")->span,
            "a second computation needs its origin: `independent_by` here or at the top of the file");
    study_.quantities.push_back(std::move(q));
  }

  void read_kind(const Value& table, StudyQuantity& q) {
    const Value* value = find(table, "kind");
    if (value == nullptr || !is(*value, Value::Kind::text, "a text")) return;
    q.kind = row_kind_named(value->text);
    if (!q.kind)
      error(value->span, "there is no kind " + ticked(value->text) + " of row",
            "kinds: statement, number, control, rejected-reading, structural");
  }

  // Reading and expected verdict of [defaults] are for what the paper says, not for controls and the like.
  static const Value& judged(const Value& table, const Value& written_here, const StudyQuantity& q) {
    return q.kind == RowKind::control || q.kind == RowKind::structural ? written_here : table;
  }

  // A printed number or formula is a number of the paper, and what is judged by a range a statement of it.
  static RowKind usual_kind(const StudyQuantity& q) {
    switch (q.accept) {
      case Accept::digits:
      case Accept::cut:
      case Accept::within:
      case Accept::equal:
        return RowKind::number;
      default:
        return RowKind::statement;
    }
  }

  const Word* find_word(const Value& table, const std::string& name) {
    for (const Word& word : vocabulary())
      if (word.name == name) return &word;
    Keys names;
    for (const Word& word : vocabulary()) names.emplace_back(word.name);
    if (const Value* value = find(table, "measure"))
      error(value->span, "there is no measure " + ticked(name), known_names("measures:", name, names));
    return nullptr;
  }

  // Reads digits (the default), cut, equal, text, "= x", "< x", "> x", "x .. y"; `within` says how far off a
  // number may be.
  void read_accept(const Value& table, StudyQuantity& q) {
    expression(table, "within", q.tolerance);
    const Value* value = find(table, "accept");
    if (value != nullptr && !is(*value, Value::Kind::text, "a text")) return;
    const std::string how = value == nullptr ? "" : value->text;
    const Value* published = find(table, "published");
    if (how.empty() || how == "digits" || how == "cut") {
      q.accept = how == "cut" ? Accept::cut : how.empty() && q.tolerance ? Accept::within : Accept::digits;
      if (published != nullptr && !q.published.empty() && !as_printed(q.published))
        error(published->span, "this is not a printed number; say by `accept` how to judge it",
              "accept: digits, cut, equal, text, \"= x\", \"< x\", \"> x\", \"x .. y\"");
    } else if (how == "text") {
      q.accept = Accept::text;
    } else if (how == "equal") {
      q.accept = Accept::equal;
      if (published != nullptr) q.published_formula = expression(*published);
    } else if (how.starts_with('=')) {
      q.accept = Accept::equal;
      q.published_formula = parsed(how.substr(1), *value, {1, how.size()});
    } else if (how.starts_with('<') || how.starts_with('>')) {
      q.accept = how.starts_with('<') ? Accept::below : Accept::above;
      q.low = parsed(how.substr(1), *value, {1, how.size()});
    } else if (const std::size_t dots = how.find(".."); dots != std::string::npos) {
      q.accept = Accept::between;
      q.low = parsed(how.substr(0, dots), *value, {0, dots});
      q.high = parsed(how.substr(dots + 2), *value, {dots + 2, how.size()});
    } else {
      error(value->span, "this is no way to accept a value",
            "accept: digits, cut, equal, text, \"= x\", \"< x\", \"> x\", \"x .. y\"");
    }
  }

  void read_expected(const Value& table, StudyQuantity& q) {
    if (q.published.empty()) return;
    const bool counts = q.kind != RowKind::control && q.kind != RowKind::structural;
    const Value* value = counts ? need(table, "expected") : find(table, "expected");
    if (value == nullptr || !is(*value, Value::Kind::text, "a text")) return;
    if (const auto verdict = verdict_named(value->text))
      q.expected = *verdict;
    else
      error(value->span, "there is no verdict " + ticked(value->text),
            "verdicts: reproduced, reproduced-under-reading, not-reproduced");
    if (q.expected != StudyVerdict::reproduced && q.reading.empty() && q.note.empty())
      error(value->span, "this verdict needs its `reading`, or a `note` with the reason");
  }

  void read_plot(const Value& table) {
    refuse_other_keys(
        table, {"title", "x_label", "y_label", "kind", "interval", "log", "from", "to", "mark", "curve"});
    StudyPlot plot;
    text(table, "title", plot.title, true);
    text(table, "x_label", plot.x_label);
    text(table, "y_label", plot.y_label);
    text(table, "kind", plot.kind);
    if (plot.kind != "series" && plot.kind != "family" && plot.kind != "spectrum")
      error(find(table, "kind")->span, "the kinds of plots are series, family and spectrum");
    expression(table, "from", plot.from);
    expression(table, "to", plot.to);
    std::string mark = "line";
    text(table, "mark", mark);
    if (mark != "line" && mark != "points") error(find(table, "mark")->span, "`mark` is line or points");
    plot.points = mark == "points";
    expression(table, "interval", plot.interval);
    if (plot.kind == "spectrum" && !plot.interval) (void)need(table, "interval");
    std::string log;
    text(table, "log", log);
    plot.log_x = log.find('x') != std::string::npos;
    plot.log_y = log.find('y') != std::string::npos;
    each(table, "curve", [&](const Value& curve) {
      refuse_other_keys(curve, {"run", "label", "reference", "x", "y"});
      StudyPlot::Curve c;
      text(curve, "run", c.run, true);
      if (const Value* run = find(curve, "run")) check_run(*run);
      text(curve, "label", c.label, true);
      text(curve, "reference", c.reference);
      if (!c.reference.empty()) check_reference(*find(curve, "reference"));
      expression(curve, "x", c.x);
      if (need(curve, "y") != nullptr) expression(curve, "y", c.y);
      plot.curves.push_back(std::move(c));
    });
    if (plot.curves.empty()) error(table.span, "a plot needs at least one [[plot.curve]]");
    study_.plots.push_back(std::move(plot));
  }

  std::shared_ptr<SourceText> source_;
  std::vector<ModelError> errors_;
  Study study_;
  std::string model_;
  const Value* defaults_ = nullptr;
};

}  // namespace

Study read_study(std::string text, const std::string& path) {
  return StudyReader(std::move(text), path).read();
}

}  // namespace taut
