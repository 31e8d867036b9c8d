// An experiment of a paper as data: its runs, what is measured on them, what was published, and which verdict
// is expected. The files are in studies/; docs/guide/reproduce.md describes the format.
#pragma once

#include <taut/model/text/formula.hpp>
#include <taut/study/verdict.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taut {

// A number, or a formula, and its place.
struct Expression {
  Formula formula;
  Span place;
};
using NamedExpression = std::pair<std::string, Expression>;

// One trajectory, or a family of them that differ in the step.
struct StudyRun {
  std::string name, model, method;
  std::string formulation = {}, projection = {};
  std::optional<Expression> projection_tolerance = {}, tolerance = {}, error_tolerance = {};
  std::vector<NamedExpression> set = {};             // parameters and initial values of the model
  std::vector<Expression> steps = {};                // step sizes, one for each member
  std::optional<Expression> count = {}, until = {};  // how long: so many steps, or to this time
  int every = 1;                                     // a sample is kept every so many steps
  bool off_manifold = false;                         // the start need not be on M
  bool project_start = false;                        // the start is brought onto M first
  Span place;
};

// An error is taken against this: formulas of time, of the constants and, if a run is named, of
// its variables.
struct StudyReference {
  std::string name, run = {};
  std::vector<NamedExpression> state = {};  // by coordinate and momentum; if empty, those of the run
  std::vector<Expression> lambda = {};
  Span place;
};

enum class Accept { digits, cut, within, below, above, between, equal, text };

struct StudyQuantity {
  std::string name, id = {};
  // The following say what is measured.
  std::string measure, run = {}, reference = {};
  std::optional<Expression> of = {}, time = {}, from = {}, to = {}, interval = {};
  int member = -1, last = 0, power = 0;
  std::string model = {}, formulation = {}, method = {}, entry = {}, part = {};
  // The following say what it should be.
  std::string published = {};
  std::optional<RowKind> kind = {};
  std::string statement = {};  // rows of one study with the same statement stand and fall together
  std::optional<Expression> published_formula = {};  // for accept = "equal"
  Accept accept = Accept::digits;
  std::optional<Expression> low = {}, high = {}, tolerance = {};
  std::string reading = {}, note = {};
  std::string independent = {}, independent_by = {};  // a second computation of the same, and whose it is
  StudyVerdict expected = StudyVerdict::reproduced;
  Span place;

  // Without one of these it is measured for other quantities, by its id.
  bool is_row() const { return !published.empty() || kind == RowKind::control; }
};

// A picture for the report: y against x, with a curve for each run (or, for a family, one
// through its members).
struct StudyPlot {
  std::string title, x_label, y_label;
  struct Curve {
    std::string run, label, reference;
    std::optional<Expression> x = {}, y = {};  // x is time if it is not given
  };
  std::string kind = "series";  // series, family, spectrum
  std::optional<Expression> interval = {};
  bool log_x = false, log_y = false;
  std::optional<Expression> from = {}, to = {};  // the times that are drawn; all of the run if not given
  bool points = false;                           // mesh points as dots, without the line through them
  std::vector<Curve> curves;
};

struct Study {
  std::string name, title, place;  // name: folder/file, as reich/table1
  std::string independent_by;      // where the values in `independent` come from, if a row does not say it
  std::string folder;              // where its models/ are: in studies/, or on disk
  bool on_disk = false;
  std::vector<NamedExpression> constants;
  std::vector<StudyRun> runs;
  std::vector<StudyReference> references;
  std::vector<StudyQuantity> quantities;
  std::vector<StudyPlot> plots;
  std::shared_ptr<const SourceText> source;
};

// Reads a study; `path` is what messages call the text. Throws ModelFileError with everything that is wrong
// in it, each with file:line:column.
Study read_study(std::string text, const std::string& path);

// Returns the studies inside the program of this name: "reich/table1", or "reich" for all of a paper, or
// "" for all of them; or those in the file of this path. Throws InputError with the nearest name if
// there is none.
std::vector<Study> find_studies(const std::string& name);

// Returns the text of models/NAME beside a study; nothing if there is none.
std::optional<std::string> study_model(const Study& study, const std::string& name);

// A file of studies/ as it was when the program was built: "reich/table1.toml".
struct StudyFile {
  std::string_view path, text;
};
const std::vector<StudyFile>& study_files();

}  // namespace taut
