// An experiment of a paper as data: which runs it is made of, what is measured on them, what was published, and which verdict is expected.
// The files are in studies/, the format is described in docs/guide/reproduce.md.
#pragma once

#include <taut/model/text/formula.hpp>
#include <taut/study/verdict.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taut {

// A number, or a formula, and where it stands.
struct Expression {
  Formula formula;
  Span place;
};
using NamedExpression = std::pair<std::string, Expression>;

// One trajectory, or a family of them that differ in the step.
struct StudyRun {
  std::string name, model, method;
  std::string formulation = {}, projection = {};
  std::optional<Expression> projection_tolerance = {}, tolerance = {};
  std::vector<NamedExpression> set = {};             // parameters and initial values of the model
  std::vector<Expression> steps = {};                // step sizes, one for each member
  std::optional<Expression> count = {}, until = {};  // how long: so many steps, or to this time
  int every = 1;                                     // a sample is kept every so many steps
  bool off_manifold = false;                         // the start need not be on M,
  bool project_start = false;                        // or is brought onto it first
  Span place;
};

// What an error is taken against: formulas of time, of the constants and, where a run is named, of its variables.
struct StudyReference {
  std::string name, run = {};
  std::vector<NamedExpression> state = {};  // by coordinate and momentum; empty: those of the run
  std::vector<Expression> lambda = {};
  Span place;
};

enum class Accept { digits, cut, within, below, above, between, equal, text };

struct StudyQuantity {
  std::string name, id = {};
  // What is measured:
  std::string measure, run = {}, reference = {};
  std::optional<Expression> of = {}, time = {}, from = {}, to = {}, interval = {};
  int member = -1, last = 0, power = 0;
  std::string model = {}, formulation = {}, method = {}, entry = {}, part = {};
  // What it should be:
  std::string published = {};  // empty: measured for other quantities, by its id, and not a row of its own
  std::optional<Expression> published_formula = {};  // of accept = "equal"
  Accept accept = Accept::digits;
  std::optional<Expression> low = {}, high = {}, tolerance = {};
  std::string reading = {}, note = {}, independent = {};
  StudyVerdict expected = StudyVerdict::reproduced;
  Span place;
};

// A picture for the report: y against x, a curve for each run (or, of a family, one through its members).
struct StudyPlot {
  std::string title, x_label, y_label;
  struct Curve {
    std::string run, label, reference;
    std::optional<Expression> x = {}, y = {};  // x: time where it is not given
  };
  std::string kind = "series";  // series, family, spectrum
  std::optional<Expression> interval = {};
  bool log_x = false, log_y = false;
  std::vector<Curve> curves;
};

struct Study {
  std::string name, title, place;  // name: folder/file, as reich/table1
  std::string folder;              // where its models/ are: of studies/, or on disk
  bool on_disk = false;
  std::vector<NamedExpression> constants;
  std::vector<StudyRun> runs;
  std::vector<StudyReference> references;
  std::vector<StudyQuantity> quantities;
  std::vector<StudyPlot> plots;
  std::shared_ptr<const SourceText> source;
};

// `path` is what messages call the text. ModelFileError with everything that is wrong in it, each with file:line:column.
Study read_study(std::string text, const std::string& path);

// "reich/table1" or "reich" for all of a paper, of those inside the program; "" for all of them; or the path of a file. InputError with the
// nearest name where there is none.
std::vector<Study> find_studies(const std::string& name);

// The text of models/NAME beside a study; nothing where there is none.
std::optional<std::string> study_model(const Study& study, const std::string& name);

// A file of studies/ as it was when the program was built: "reich/table1.toml".
struct StudyFile {
  std::string_view path, text;
};
const std::vector<StudyFile>& study_files();

}  // namespace taut
