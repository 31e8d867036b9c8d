// Reads a model: the tree of its file with --set put into it, each section in a file of its own. Everything
// wrong is reported in one go.
#pragma once

#include <taut/model/model.hpp>
#include <taut/model/text/tree.hpp>

#include <set>
#include <unordered_map>

namespace taut {

class Confirmation;

class ModelReader {
 public:
  ModelReader(std::string text, std::string name, const Surroundings& around);
  ReadModel read(const std::vector<std::string>& set);

 private:
  enum class What { coordinate, momentum, parameter };
  enum class Use { parameters, position, state };  // the names that a formula may use

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
  // Sets table.key, or table.key.key, or a key at the top.
  void put(const SourceText& source, const std::string& path, const Value& value);

  // read_formula.cpp
  std::vector<std::string> known_for(Use use) const;
  std::string known_here(const std::string& name, Use use) const;
  // Reads a number or a formula in quotes. Returns false if an error was reported now, or earlier
  // for its cause.
  bool formula(const Value& v, const std::string& what, Use use, Formula& out);
  // Reads a number, or a formula of parameters, with its value.
  bool number(const Value& v, const std::string& what, Formula& out, Float128& value);
  // Points at the smallest part that is not finite; returns false if there is none.
  bool report_not_finite(const Value& v, const Formula& f, const std::vector<Float128>& values,
                         const std::string& what, const std::string& where);

  // read_system.cpp: [parameters], [system], [initial]
  bool usable_name(const std::string& name, const SourceText& source, Span at, const std::string& what);
  void read_coordinates();
  void read_parameters();
  void read_system();
  bool system_formula(const Entry& e, const std::string& what, Use use, Formula& out);
  void read_constraints(const Value& t);
  void check_constraint(const Confirmation& confirmation, const Value& v, const std::string& what,
                        const Formula& f, bool fixed, const std::optional<std::pair<std::size_t, int>>& same);
  void read_initial();
  void refuse_initial(const Entry& e);
  void read_mass();

  // read_run.cpp: [run], [output]
  std::optional<double> run_number(const Value& t, const std::string& key, const std::string& what);
  std::optional<std::int64_t> run_count(const Value& t, const std::string& key, const std::string& what,
                                        std::int64_t least);
  void read_run();
  void read_projection(const Value& v);
  void read_output();
  void read_quantities(const Value& v);

  // read_draw.cpp
  void read_draw();

  // check_start.cpp
  void check_start();
  void check_derivatives();

  const Surroundings& around_;
  Model model_;
  Value root_;
  std::vector<ModelError> errors_;
  std::unordered_map<std::string, What> names_;
  std::unordered_map<std::string, int> coordinate_number_;
  std::map<std::string, Float128> values_;  // those of parameters
  std::set<std::string> later_parameters_, bad_parameters_;
  std::vector<Watched> watched_;  // H or its potentials first, then the constraints
  bool all_coordinates_ = false;
};

// Asks whether a section belongs to a system of particles.
bool is_particle_section(std::string_view key);

}  // namespace taut
