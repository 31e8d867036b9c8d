// A model as its author wrote it: names, formulas, numbers and run settings, read from text and checked. What it becomes is in
// system.hpp (derivatives) and formula_problem.hpp (a problem that any method takes).
#pragma once

#include <taut/model/text/formula.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taut {

// [run], as far as the file says it.
struct RunSettings {
  struct Projection {
    std::string kind;  // none, position, momentum, both
    double tolerance = 0;
  };
  std::optional<std::string> method = {}, formulation = {};
  std::optional<Projection> projection = {};
  std::optional<double> step = {};         // not 0; negative runs backwards
  std::optional<std::int64_t> steps = {};  // this many steps,
  std::optional<double> until = {};  // or the least number of whole steps that reaches this time; never both
  std::optional<std::int64_t> every = {};
  std::optional<std::int64_t> threads = {};
  bool least_squares = false;  // redundant constraints of particles are solved, not refused
};

struct NamedFormula {
  std::string name;
  Formula formula;
  Float128 value = 0;
};

// [draw]: what of a mechanism a report draws.
struct DrawTable {
  struct Number {
    int coordinate = -1;  // its place in the list; -1: the value
    double value = 0;
  };
  using Place = std::array<Number, 3>;
  int dimension = 2;
  std::vector<Place> bodies = {};
  std::vector<std::array<double, 3>> anchors = {};
  std::vector<std::pair<int, int>> links = {};  // of bodies 0, 1, …, then anchors
};

struct ParticleModel;  // particles.hpp

struct Model {
  enum class Form {
    hamiltonian,
    natural,
    split
  };  // as written; system.hpp may find a natural one in a hamiltonian
  std::string name, title;               // the file's name; its title, or its name where it has none
  std::vector<NamedFormula> parameters;  // in the order of the file
  std::vector<std::string> coordinates;  // the momentum of x is p_x
  Form form = Form::natural;
  Formula hamiltonian, potential, potential_fast,
      potential_slow;  // those of the form; of a split one also their sum
  std::vector<Formula> constraints;
  std::vector<Formula> mass;          // one for all coordinates, one for each, or n² row by row
  std::vector<Float128> mass_values;  // the same, evaluated
  std::vector<NamedFormula> q, p;     // the start, one for each coordinate
  std::shared_ptr<const ParticleModel>
      particles;  // of a system of particles; then there are no coordinates above
  RunSettings run;
  std::optional<std::string> output_directory, output_format;  // the second: csv, binary or compressed
  std::vector<std::string> output_quantities;                  // of output_quantity_names(), each once
  std::optional<DrawTable> draw;

  // An error that points at a key of the file ("run.method", "system.hamiltonian", "system.constraints.0", "initial.x") or, where
  // the file does not have it, at the beginning of its table. For what is only known once methods are.
  ModelError error_at(const std::string& key, std::string sentence, std::string note = {}) const;

  std::map<std::string, std::pair<const SourceText*, Span>> places;
  std::vector<std::shared_ptr<const SourceText>> sources;
  std::map<std::string, std::shared_ptr<const SourceText>> files;  // that it names, by the path it gives
};

// What samples may hold beside the state, its energy and residuals.
const std::vector<std::string>& output_quantity_names();

struct ReadModel {
  std::optional<Model> model;
  std::vector<ModelError> errors;  // all of the file, in its order; empty where there is a model
  Model draft =
      {};  // where there are errors: as far as it was read, so that who knows methods can look at [run] too
};

// A file that a model names: its bytes and what messages call it, or why it cannot be had.
struct FoundText {
  std::optional<std::string> text;
  std::string name = {}, why = {};
};

struct Surroundings {
  std::function<FoundText(const std::string& path)> file = {};  // without it a model can name none
  int most_particles = 100'000'000;
};

// `text` is the whole file, `name` what messages call it. `set` holds NAME=VALUE, applied before anything is evaluated: NAME is a
// parameter, a coordinate or momentum (its initial value), or a dotted key such as run.step. Setting one of run.steps and
// run.until replaces the other.
ReadModel read_model(std::string text, std::string name, const std::vector<std::string>& set = {},
                     const Surroundings& around = {});

}  // namespace taut
