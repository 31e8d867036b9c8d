// A model as its author wrote it: names, formulas, numbers and run settings, read from text and checked. Then
// system.hpp takes its derivatives and formula_problem.hpp makes a problem that any method takes.
#pragma once

#include <taut/model/dynamics.hpp>
#include <taut/model/text/formula.hpp>
#include <taut/model/text/vary.hpp>

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

// The table [run], as far as the file gives it.
struct RunSettings {
  struct Projection {
    std::string kind;  // none, position, momentum, both
    double tolerance = 0;
  };
  std::optional<std::string> method = {}, formulation = {};
  std::optional<std::string> first_guess = {};  // a name of FirstGuess
  std::optional<std::string> stop_rule = {};    // a name of StopRule
  std::optional<double> error_tolerance = {};   // positive
  std::optional<Projection> projection = {};
  std::optional<double> step = {};         // not 0; negative runs backwards
  Float128 whole_step = 0;                 // the same with more digits
  std::optional<std::int64_t> steps = {};  // this many steps
  // Or the least number of whole steps that reaches this time; never both.
  std::optional<double> until = {};
  std::optional<std::int64_t> every = {};
  // These are for methods whose steps differ in size: adaptive(M).
  std::optional<std::string> step_function = {};                // as written: a formula, or `auto`
  Formula step_formula = {};                                    // what it means, unless it is `auto`
  std::optional<double> shortest_step = {}, longest_step = {};  // positive
  std::optional<double> interval = {};                          // positive: the time between samples
  std::optional<std::int64_t> threads = {};
  std::optional<std::string> precision = {};
  bool least_squares = false;  // redundant constraints of particles are solved, not refused
};

// The table [ensemble]: many trajectories, and what differs between them.
struct EnsembleSettings {
  std::optional<std::int64_t> size = {};   // trajectories; at least 1
  std::optional<std::uint64_t> seed = {};  // decides what is drawn
  std::vector<Vary> vary = {};             // in the order of the file; names of settable_names(), each once
  bool grid = false;                       // every value of one list with every value of the others
  std::string table = {};                  // a file of starts and parameters, among Model::files; empty: none
};

// The table [sampling]: which distribution on g = 0 is sampled.
struct SamplingSettings {
  std::optional<Formula> density = {};      // the logarithm of the density, a formula of coordinates
  std::optional<double> temperature = {};   // or kT, which makes the density exp(-V/kT); positive
  std::optional<std::string> measure = {};  // surface, conditioned or rigid
  std::optional<std::string> kernel = {};
};

// One table of [methods]: a method of the author's own.
struct OwnMethod {
  std::string name;
  std::string key;   // composition or tableau: what it was given by
  std::string text;  // the method without its name, as it is read in the folder method/made
};

struct NamedFormula {
  std::string name;
  Formula formula;
  Float128 value = 0;
};

// The table [draw]: which parts of a mechanism a report draws.
struct DrawTable {
  struct Number {
    int coordinate = -1;  // its place in the list; -1: the formula or the value
    double value = 0;
    int formula = -1;  // its place among the formulas; -1: the value
  };
  using Place = std::array<Number, 3>;
  int dimension = 2;
  std::vector<Place> bodies = {};
  std::vector<std::array<double, 3>> anchors = {};
  std::vector<std::pair<int, int>> links = {};  // between bodies 0, 1, …, then anchors
  std::vector<Formula> formulas = {};           // they use coordinates alone: parameters are numbers
  std::vector<std::string> coordinates = {};    // their names, if there are formulas
};

struct System;           // code/system.hpp
struct Parametrisation;  // code/parametrisation.hpp
struct ParticleModel;    // particles/particle_model.hpp

struct Model {
  // The form as written; system.hpp may find a natural one in a hamiltonian.
  enum class Form { hamiltonian, natural, split };
  std::string name, title;               // the file's name; its title, or its name if it has none
  std::vector<NamedFormula> parameters;  // in the order of the file
  std::vector<std::string> coordinates;  // the momentum of x is p_x
  // Names for parts of formulas, in the order of the file. The formulas below have them written out already.
  std::vector<NamedFormula> definitions;
  Form form = Form::natural;
  // Those that belong to the form; for a split one also their sum.
  Formula hamiltonian, potential, potential_fast, potential_slow;
  std::vector<Formula> constraints;
  std::vector<Formula> mass;          // one for all coordinates, one for each, or n² row by row
  std::vector<Float128> mass_values;  // the same, evaluated
  std::vector<NamedFormula> q, p;     // the start, one for each coordinate
  // What derive() finds for the formulas above. The reader needs it to check them, and keeps it for
  // compile().
  std::shared_ptr<const System> derived;
  // The table [parametrisation]: names and formulas of its own coordinates, or the word `tree`.
  std::vector<std::string> free_coordinates;
  std::vector<Formula> phi;                                // one for each coordinate
  std::vector<NamedFormula> delta;                         // what [initial] says of them
  std::shared_ptr<const Parametrisation> parametrisation;  // if there is such a table: checked
  // If this is a system of particles; then there are no coordinates above.
  std::shared_ptr<const ParticleModel> particles;
  std::vector<OwnMethod> methods;  // in the order of the file
  RunSettings run;
  std::optional<std::string> output_directory, output_format;  // the second: csv, binary or compressed
  std::optional<std::string> output_lambda;                    // continuous or stage
  std::optional<std::string> output_local_error;               // none or estimate
  std::vector<std::string> output_quantities;  // names from output_quantity_names(), each once
  std::vector<NamedFormula> quantities;        // formulas of the state, the multipliers and t, in file order
  std::optional<DrawTable> draw;
  EnsembleSettings ensemble;
  SamplingSettings sampling;
  Dynamics dynamics;

  // Makes an error that points at a key of the file ("run.method", "system.hamiltonian",
  // "system.constraints.0", "initial.x") or, if the file does not have the key, at the beginning of its
  // table. It serves for errors that are only known once methods are.
  ModelError error_at(const std::string& key, std::string sentence, std::string note = {}) const;

  std::map<std::string, std::pair<const SourceText*, Span>> places;
  std::vector<std::shared_ptr<const SourceText>> sources;
  std::map<std::string, std::shared_ptr<const SourceText>> files;  // those it names, by the path it gives
};

// Returns the names that --set takes without a table, and that an ensemble varies: parameters, coordinates,
// momenta, the coordinates of a parametrisation, and velocities.
std::vector<std::string> settable_names(const Model& model);

// Returns the names of what samples may hold beside the state, its energy and its residuals.
const std::vector<std::string>& output_quantity_names();

struct ReadModel {
  std::optional<Model> model;
  std::vector<ModelError> errors;  // all errors of the file, in its order; none if there is a model
  // If there are errors: the model as far as it was read, so that callers who know methods can
  // check [run] too.
  Model draft = {};
};

// A file that a model names: its bytes and what messages call it, or why it is not available.
struct FoundText {
  std::optional<std::string> text;
  std::string name = {}, why = {};
};

// What a model may name and cannot hold itself, as far as the caller knows it.
struct Surroundings {
  std::function<FoundText(const std::string& path)> file = {};  // without it a model can name no file
  std::vector<std::string> formulations =
      {};  // if there are none, the reader accepts any name, and the caller checks it
  int most_particles = 100'000'000;
};

// Reads a model. `text` is the whole file, `name` is what messages call it. `set` holds NAME=VALUE, applied
// before anything is evaluated: NAME is a parameter, a coordinate or momentum (its initial value), or a
// dotted key such as run.step. Setting one of run.steps and run.until replaces the other.
ReadModel read_model(std::string text, std::string name, const std::vector<std::string>& set = {},
                     const Surroundings& around = {});

}  // namespace taut
