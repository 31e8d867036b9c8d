// Reads a model: the tree of its file with --set put into it, each section in a file of its own. Everything
// wrong is reported in one go.
#pragma once

#include <taut/model/code/mass_matrix.hpp>
#include <taut/model/model.hpp>
#include <taut/model/text/tree.hpp>

#include <set>
#include <unordered_map>

namespace taut {

class Confirmation;
struct Bar;
struct ParametrisationFault;

class ModelReader {
 public:
  ModelReader(std::string text, std::string name, const Surroundings& around);
  ModelReader(const SourceTree& tree, const Surroundings& around);
  ReadModel read(const std::vector<std::string>& set);

 private:
  enum class What {
    coordinate,
    momentum,
    velocity,
    parameter,
    definition,
    free
  };  // free: of a parametrisation
  // The names that a formula may use; a sample has multipliers and a time beside the state.
  enum class Use {
    parameters,
    position,
    constraint,
    rolling,  // a constraint on velocities
    state,
    lagrangian,
    motion,
    definition,
    sample,
    parametrisation
  };

  // A formula of the mechanics, which is checked again at the start.
  struct Watched {
    const Value* v;
    std::string what;
    const Formula* f;
  };

  // read_model.cpp: the file as a whole, its tables, its errors
  const SourceText& file() const { return *model_.sources.front(); }
  const SourceText& keep(std::shared_ptr<const SourceText> source);
  void fail(const SourceText& source, Span at, std::string sentence, std::string note = {});
  void fail(const Value& v, std::string sentence, std::string note = {});
  void fail_key(const Entry& e, std::string sentence, std::string note = {});
  ReadModel finish();
  void read_top();
  // Returns the table of that name, its keys checked; an empty one if the file has none.
  const Value& table(const std::string& name, const std::vector<std::string>* known);
  void note_place(const std::string& key, const Entry& e);
  std::optional<std::string> text_of_entry(const Entry& e, const std::string& what);

  // read_settings.cpp: --set
  void apply(const std::vector<std::string>& set);
  void add_event(const SourceText& source, std::size_t begin);
  // Sets table.key, or table.key.key, or a key at the top.
  void put(const SourceText& source, const std::string& path, const Value& value);

  // read_formula.cpp
  std::vector<std::string> known_for(Use use) const;
  void offer_time(std::vector<std::string>& known, bool in_samples) const;
  static bool is_allowed(What what, Use use);
  static const char* allowed_here(Use use);
  // Returns the momentum, the velocity or the time that a definition has and that this use forbids.
  std::string forbidden_in(const std::string& definition, Use use) const;
  // Gives the time t the name of the coordinate that it is, if the model has one.
  void name_time(Formula& f) const;
  static std::string word_of(What what);
  std::string known_here(const std::string& name, Use use) const;
  // Reads a number or a formula in quotes. Returns false if an error was reported now, or earlier
  // for its cause.
  bool formula(const Value& v, const std::string& what, Use use, Formula& out);
  // Reads a number, or a formula of parameters, with its value.
  bool number(const Value& v, const std::string& what, Formula& out, Float128& value);
  // Does the same, and leaves the names of definitions in it.
  bool formula_as_written(const Value& v, const std::string& what, Use use, Formula& out);
  bool names_are_known(const Value& v, const std::string& what, Use use, ParsedFormula& parsed, Formula& out);
  // Writes out the definitions that a formula uses, each once, however often its name occurs. Returns false
  // if there are none.
  bool write_out_definitions(Formula& f) const;
  // Points at the smallest part that is not finite; returns false if there is none.
  bool report_not_finite(const Value& v, const Formula& f, const std::vector<Float128>& values,
                         const std::string& what, const std::string& where);

  // read_system.cpp: [parameters], [definitions], [system], [initial]
  bool usable_name(const std::string& name, const SourceText& source, Span at, const std::string& what);
  void read_coordinates();
  void read_parameters();
  void read_definitions();
  void read_definition(const Entry& e);
  void read_listed_vector(const Entry& e);
  void add_definition(const std::string& name, Formula formula);
  bool is_free(const Entry& e, const std::string& kind);
  void read_system();
  bool system_formula(const Entry& e, const std::string& what, Use use, Formula& out);
  void read_constraints(const Value& t);
  bool solves_redundant() const;
  const std::vector<Value>& constraint_list(const Value& t, const char* key, const char* example);
  void read_velocity_constraint(const Value& v, const std::string& what, const Formula& f);
  bool is_additive_in_velocities(const Formula& f) const;
  void check_constraint(const Confirmation& confirmation, const Value& v, const std::string& what,
                        const Formula& f, bool fixed, const std::optional<std::pair<std::size_t, int>>& same);
  void read_initial();
  void refuse_initial(const Entry& e);
  void read_mass();

  // read_mechanics.cpp: the time, velocities, and what H is made of: lagrangian, kinetic, mass
  template <class F>
  void for_each_wall(const F& f) const;
  bool uses_time() const;
  bool moves_at_rest() const;  // a constraint on velocities has a part without them
  void add_time();
  void add_velocities();
  bool mass_moves() const;  // an entry of `mass` depends on a coordinate or on the time
  void read_kinetic_form(const Entry& e);
  void read_moving_mass(const Value& v);
  void complete_velocities();
  void make_hamiltonian();
  void start_from_velocities();
  Numbers start_of(const std::vector<NamedFormula>& list) const;

  // transform_time.cpp: `time-transform` in [run]
  void transform_time();
  bool may_transform_time(const Entry& e);
  Float128 value_at_start(const Formula& f) const;

  // read_dynamics.cpp: [[forces]], [damping], [[events]]
  const std::vector<Value>& tables(const std::string& name);
  void read_forces();
  void read_damping();
  void read_events();
  void read_event(const Value& v);
  void read_times();  // `at` in [run]
  void refuse_times();

  // read_bars.cpp: [[bars]]
  std::string positive_text(const Value& v, const std::string& what);
  bool read_ends(const Value& between, const std::string& what, std::size_t size, Bar& bar);
  bool read_bar(const Value& t, const std::string& what, std::size_t size, Bar& bar);
  void read_bars();
  Value written(const std::string& text);
  void put_into_system(const std::string& key, Value value);
  void add_to_system(const std::string& key, const std::string& more);
  void write_bars(const std::vector<Bar>& bars);

  // read_parametrisation.cpp: [parametrisation]
  void read_parametrisation();
  void read_free_coordinates(const Value& list);
  void start_from_parametrisation();
  void check_parametrisation();
  void refuse_fault(const ParametrisationFault& fault, const Entry& e);

  // read_run.cpp: [run], [output]
  // `whole` receives the number with 113 bits.
  std::optional<double> run_number(const Value& t, const std::string& key, const std::string& what,
                                   Float128* whole = nullptr);
  std::optional<std::int64_t> run_count(const Value& t, const std::string& key, const std::string& what,
                                        std::int64_t least);
  void read_run();
  void read_projection(const Value& v);
  void read_step_function(const Value& t);
  bool read_time_transform(const Value& t);  // returns false if [run] has none
  void read_output();
  void read_quantities(const Value& v);
  void read_quantity_formulas();
  void add_reactions();
  bool is_of_sample(const std::string& name) const;  // t, or a multiplier: lambda_1, …

  // read_methods.cpp: [methods]
  void read_methods();
  std::optional<std::string> tableau_text(const Value& v);
  // Both give the numbers as text, with commas between.
  std::optional<std::string> number_list(const Value& v, const std::string& what, std::size_t& count);
  std::optional<std::string> matrix_rows(const Value& v, const std::string& what, std::size_t size);

  // read_draw.cpp
  void read_draw();

  // read_ensemble.cpp: [ensemble]
  void read_ensemble();
  void read_ensemble_table(const Entry& e);
  void read_vary(const Value& table);
  std::optional<Vary> vary_of(const Entry& e);

  // read_sampling.cpp: [sampling]
  void read_sampling();

  // check_start.cpp
  void check_start();
  void check_derivatives();
  void refuse_surplus();

  const Surroundings& around_;
  const SourceTree* tree_ = nullptr;  // the file, if its tree is at hand
  Model model_;
  Value root_;
  std::vector<ModelError> errors_;
  std::unordered_map<std::string, What> names_;
  std::unordered_map<std::string, int> coordinate_number_;
  std::map<std::string, Float128> values_;  // those of parameters
  // The definitions as they are written, by name, and what each of them uses.
  struct Definition {
    Formula formula;
    // A momentum and a velocity that it uses, itself or through others, and whether it uses the time.
    std::string momentum = {}, velocity = {};
    bool time = false;
  };
  std::map<std::string, int> definition_number_;
  std::vector<Definition> definitions_;  // a vector has one for each component
  KnownVectors vectors_;
  // The parts of all formulas into which definitions were written. More are refused: memory is finite.
  static constexpr std::size_t most_written_out = 4'000'000;
  std::size_t written_out_ = 0;
  std::set<std::string> later_parameters_, bad_parameters_;
  std::vector<Watched> watched_;    // H or its potentials first, then the constraints
  const Value* surplus_ = nullptr;  // the list of constraints, if they leave nothing that moves
  std::string surplus_sentence_, surplus_note_;
  bool all_coordinates_ = false;
  bool wants_reactions_ = false;    // [output] asks for the force of each constraint
  bool reads_events_ = false;       // formulas of events know no multipliers
  bool gives_coordinates_ = false;  // [initial] has a value for a coordinate
  std::vector<NamedFormula>
      velocities_;                    // what [initial] says of them, one for each coordinate; none if nothing
  std::vector<bool> velocity_given_;  // [initial] says this one; the time has its own
  const Value* made_from_ = nullptr;  // the value of `lagrangian`, `kinetic` or `mass` of which H is made
  Formula kinetic_;                   // one of the first two
};

// Asks whether a section belongs to a system of particles.
bool is_particle_section(std::string_view key);

}  // namespace taut
