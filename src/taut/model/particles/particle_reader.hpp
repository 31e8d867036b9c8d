// Reads the tables of a particle system, each kind in a file of its own, and builds the groups of terms that
// they describe.
#pragma once

#include <taut/model/particles/particle_file.hpp>
#include <taut/model/particles/read_particles.hpp>
#include <taut/model/particles/term_graph.hpp>

#include <array>
#include <functional>
#include <optional>

namespace taut {

bool is_particle_variable(const std::string& name);  // in a formula; then no parameter may have the name
std::string wrong_mass(double mass);                 // how it is wrong; empty if it is not
inline constexpr std::string_view taken_names =
    "i, m, r, theta, costheta, phi, and coordinates such as x or x1 are taken";

class ParticleReader {
 public:
  explicit ParticleReader(const ParticleTables& tables)
      : root_(tables.root),
        parameters_(tables.parameters),
        bad_(tables.bad),
        around_(tables.around),
        files_(tables.files),
        errors_(tables.errors) {}

  std::shared_ptr<const ParticleModel> read();

 private:
  using Names = std::function<int(Graph&, std::string_view)>;     // the node of a variable, or -1
  using Own = std::map<std::string, std::function<int(Graph&)>>;  // variables of a group
  using Otherwise = std::function<double(int)>;                   // the default number of a term

  struct Table {
    const Value& v;
    const Entry* entry;  // its key in the file
    std::string name;    // "[[rods]]"
    const Entry* find(std::string_view key) const { return v.find(key); }
  };

  struct Loop {
    std::string name;
    long from, to;
    // Its two ends, if they depend on the indices before it; from and to are then the widest of them.
    std::shared_ptr<const Program> ends = {};
    bool is_index() const { return from <= to; }  // otherwise a number that goes with the terms
  };

  // The terms of a group: the values of its loop variables, term by term.
  struct Terms {
    std::vector<Loop> loops;
    int count = 0;
    std::vector<std::vector<double>> value;  // one list for each loop
  };

  // A table in the file, kept for what is found out about it later.
  struct Place {
    const SourceText* source = nullptr;
    Span header = {};
    std::string name = {};
  };

  struct Group {
    Place table;
    TermGroup<Program> terms;
    Terms loops;
    Graph graph;
    std::vector<std::vector<int>> particle;
    bool fine = false;
  };

  // read_particles.cpp: the tables, their keys, their errors; [particles]
  void fail(const SourceText& source, Span at, std::string sentence, std::string note = {});
  void fail(const Value& v, std::string sentence, std::string note = {});
  void fail_key(const Entry& e, std::string sentence, std::string note = {});
  void fail_table(const Table& t, std::string sentence, std::string note = {});  // at its header
  static Place place_of(const Table& t);
  // Points at the key, or at the table if there is no key.
  void fail_at(const Table& t, const Entry* key, std::string sentence, std::string note = {});
  void each(const std::string& name, void (ParticleReader::*take)(const Table&));
  bool keys_known(const Table& t, const std::vector<std::string>& known);
  const Entry* needed(const Table& t, const std::string& key, const std::string& note);
  void read_parameters();
  void read_particles();
  bool read_count(const Table& t, Terms& terms);
  Terms with_positions(Terms terms) const;
  bool read_vectors(const Value& v, const std::string& what, const Terms& terms, std::vector<double>& out);
  void read_masses(const Table& t, const Terms& terms);
  void read_thermostat(const Table& t);  // read_thermostat.cpp
  void read_forces(const Table& t);      // read_driving.cpp
  void read_damping(const Table& t);
  Driving& driving(const Table& t);
  bool force_formulas(const Table& t, Group& g, const Own& own, std::vector<int>& components);
  void check_driving();
  void read_box(const Table& t);

  // particles_of_file.cpp: `file` in [particles]
  bool read_file(const Table& t, Terms& terms);
  std::optional<ParticleFormat> format_of(const Table& t, const Value& file);
  bool take_file(const Value& file);  // positions, velocities, box
  void take_masses(const Value& file);

  // term_formulas.cpp: numbers, formulas, ranges
  // Returns the node of a formula in `graph`, or nothing if an error was reported. `variables` are the names
  // it may use beside parameters; `hint` is for an author who uses an unknown name.
  std::optional<int> formula(Graph& graph, const Value& v, const std::string& what,
                             const std::vector<std::string>& variables, const Names& node_of,
                             const std::string& hint = {});
  // Does the same for `text`, which begins at `offset` in the text of v.
  std::optional<int> formula(Graph& graph, const Value& v, const std::string& text, std::size_t offset,
                             const std::string& what, const std::vector<std::string>& variables,
                             const Names& node_of, const std::string& hint = {});
  std::optional<double> number(const Value& v, const std::string& what);
  std::optional<double> finite_value(const Graph& graph, int node, const Value& v, const std::string& what);
  std::optional<long> whole(const Value& v, const std::string& what, double least, double most);
  double positive(const Value& v, const std::string& what);
  std::optional<std::vector<double>> over_terms(const Value& v, const std::string& what, const Terms& terms,
                                                const std::string& hint = {});
  // Names a term: " for i = 3", or " (particles 4-5)" for a term of a list or a file.
  static std::string term_text(const Terms& terms, int k);
  static std::string term_text(const Group& g, int k);
  std::optional<Terms> loops_of(const Value& v);
  static void expand(Terms& terms, int count);
  bool expand_in_turn(const Value& v, Terms& terms);
  bool ends_of(const Value& v, const Terms& terms, const Loop& loop, std::size_t k, long& first, long& last);
  bool members_allowed(const Value& v, double count);
  std::optional<Loop> loop_of(const Value& v, std::size_t from, std::size_t to, const Terms& before);

  // term_particles.cpp: which particles a table means
  // Finds the particles of each term from `between` (with `places` particles; 0: any number) or `from`.
  Group joined_group(const Table& t, const std::string& what, int places);
  // Finds one particle for each term, from `of` or `species`.
  Group single_group(const Table& t, const std::string& what);
  // Finds the particles of a pair potential: one set, or the two of `between`, as PairRule has them.
  std::optional<std::vector<std::vector<int>>> pair_sets(const Table& t);
  Group in_ranges(const Table& t, const std::vector<const Value*>& index, Group g);
  Group everyone(const Table& t, Group g);
  Group of_numbers(const Table& t, const Value& list, Group g);
  Group of_species(const Table& t, const Entry& species, Group g);
  Group listed(const Table& t, const Value& v, Group g, int places);
  Group of_file(const Table& t, const Entry& from, Group g, int places);
  const std::vector<FileTerm>* file_terms(const Value& from, int places);
  std::optional<std::vector<int>> wanted_types(const Table& t);  // sorted; empty: all
  bool lie_in_one_image(const Table& t, const Group& g);
  bool right_number(const Value& v, std::size_t has, int places);
  bool is_particle(const Value& v, double x, const std::string& where = {});
  bool add_place(Group& g, const Value& v, const std::vector<double>& values);
  Group finished(const Table& t, Group g);

  // build_terms.cpp: what all groups are built with
  static int number_input(Group& g, std::vector<double> values);
  // Returns a number for each term: from the file, or `otherwise(k)` if it gives none.
  std::optional<std::vector<double>> term_numbers(const Table& t, Group& g, const std::string& key,
                                                  const std::string& what, const Otherwise& otherwise);
  std::optional<int> term_formula(Group& g, const Value& v, const std::string& what, const Own& own);
  Own one_particle(Group& g);
  bool all_positive(const Table& t, const std::string& key, const std::vector<double>& values,
                    const Group& g);
  bool none_negative(const Table& t, const std::string& key, const std::vector<double>& values,
                     const Group& g);
  bool all_angles(const Table& t, const std::vector<double>& values, const Group& g);  // from 0 to π
  TermGraph words(Group& g) const { return {g.graph, model_->dimension}; }
  void compile(Group& g, int f) const;
  void add_constraints(Group& g);
  void add_potential(Group& g, int f);
  void add_bonds(const Group& g);
  double start(int i, int a) const { return model_->q[a * model_->count + i]; }
  double start_distance(const Group& g, int k, int i = 0, int j = 1) const;
  double start_angle(const Group& g, int k) const;

  // check_particle_start.cpp: the whole system at its start
  void check_start();
  void refuse_surplus();  // more constraints than coordinates, or as many

  // build_constraints.cpp
  void read_rods(const Table& t);
  void read_angles(const Table& t);
  void read_surface(const Table& t);
  void read_constraint(const Table& t);
  void add_formula_constraint(Group& g, int f, const Value& v);

  // build_potentials.cpp
  std::optional<int> potential_of(const Table& t, Group& g, const Own& own, int variable,
                                  const std::string& rest, const Otherwise& otherwise);
  void read_springs(const Table& t);
  void read_bends(const Table& t);
  void read_torsions(const Table& t);
  void read_field(const Table& t);
  void read_pairs(const Table& t);
  void check_reach(const Value& cutoff, const PairRule& pairs, bool skin_given);
  void read_truncation(const Value& v, PairGroup<Program>& pairs);
  bool is_slow(const Table& t);
  std::vector<std::vector<int>> within_bonds(const Value& exclude, int most);

  const Value& root_;
  const std::map<std::string, Float128>& parameters_;
  const std::set<std::string>& bad_;
  const Surroundings& around_;
  std::map<std::string, std::shared_ptr<const SourceText>>& files_;
  std::vector<ModelError>& errors_;
  std::shared_ptr<ParticleModel> model_ = std::make_shared<ParticleModel>();
  std::optional<ParticleFile> file_;
  std::vector<std::pair<int, int>> bonds_;
  std::vector<Place> constraint_tables_, potential_tables_, pair_tables_;  // one for each group
};

}  // namespace taut
