// The distribution that is sampled: a density on {g = 0}, the measure it belongs to, and both as programs
// that give values and exact gradients. Labels: docs/theory/sampling.md.
#pragma once

#include <taut/model/code/program.hpp>
#include <taut/model/model.hpp>
#include <taut/sample/gram.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// The measure with respect to which the density is one: the area of {g = 0}, the ambient volume given g = 0,
// or the area in the metric of the masses.
enum class Measure { surface, conditioned, rigid };
constexpr std::array<std::string_view, 3> names_of(Measure) { return {"surface", "conditioned", "rigid"}; }

// What all chains share. If there is a coordinate to hold, it is one more constraint, the last one, and the
// density is that of the original distribution given its value.
struct TargetCode {
  using Code = std::shared_ptr<const Program>;
  int n = 0, m = 0;  // m counts the coordinate that is held
  int free_m = 0;    // constraints of the model alone
  Measure measure = Measure::surface;
  // U is minus the log density with respect to this one. It differs from `measure` if that is rigid and the
  // masses are a matrix or depend on q: U then holds their determinants, and is ambient.
  Measure measure_of_U = Measure::surface;
  double kT = 1;
  std::shared_ptr<const GramPattern> pattern;       // all constraints
  std::shared_ptr<const GramPattern> free_pattern;  // the constraints of the model
  // (q) → U, ∇U, G; U, G; g; g, G. U is minus the log density, without determinants.
  Code all, value, g, g_and_G;
  Code bend;                        // (q, Y) → ∇ Σ G_e Y_e for fixed Y: q and Y stand behind each other
  Code turn;                        // (q, v) → dG along v; only if a coordinate is held
  Code quantities;                  // (q) → the quantities of the model that depend on q alone
  std::vector<double> mass_metric;  // W of the model, if the measure is rigid
  std::vector<std::string> coordinates, quantity_names;
  std::vector<std::string> left_out;  // quantities that depend on more than q
  std::vector<double> start;
  // Chains begin at these, and anew after each part; they take them in turn. If empty, all begin at `start`.
  std::vector<std::vector<double>> starts;
};

struct TargetOptions {
  std::optional<Measure> measure = {};  // otherwise what the model says
  std::optional<double> temperature = {};
  std::string held = {};  // a quantity of the model that is held at `value`; empty: none
  double held_value = 0;
};

// Throws InputError, or ModelFileError's sentences through it, if the model does not say what to sample.
TargetCode make_target(const Model& model, const TargetOptions& options);

// Replaces the programs by machine code with the same bits. Returns why it could not, as part of a sentence.
std::string compile_target(TargetCode& code);

// A point of {g = 0} and a momentum there, with all that a step from it needs.
struct Phase {
  Phase(const TargetCode& code);
  std::vector<double> q, p, gradient, G;
  Gram factor;      // the factor of G W Gᵀ
  double U = 0;     // minus the log density with respect to the area in the metric of W
  double base = 0;  // minus the log density that the user gave
};

struct TargetPrograms;  // programs.hpp

enum class Need { geometry, value, gradient };  // what is evaluated at a new point

// One thread's evaluation of the target, for a diagonal metric W of the momenta.
class Target {
 public:
  explicit Target(std::shared_ptr<const TargetCode> code);
  ~Target();

  const TargetCode& code() const { return *code_; }
  const std::vector<double>& metric() const { return W_; }
  void set_metric(const std::vector<double>& W);

  void g(const double* q, double* out) const;
  void g_and_G(const double* q, double* out) const;  // g, then the entries of G
  // Brings everything but p to x.q. Returns false if the constraints are dependent there, or something is not
  // finite.
  bool refresh(Phase& x, Need need);
  void quantities(const double* q, double* out) const;
  // p ← p - Gᵀ K⁻¹ G W p: the tangent part.                                                           (SM3)
  void project(Phase& x) const;
  double kinetic(const Phase& x) const;
  std::int64_t gradients() const { return gradients_; }

  // The local mean force of the coordinate that is held, and what becomes of it without its corrections.
  struct MeanForce {
    double corrected = 0;   // its mean over the target is dA/dξ
    double raw = 0;         // ∇V·b alone; NaN if U holds determinants of masses
    double log_weight = 0;  // the ensemble of the constrained motion has this one relative to the target
  };
  MeanForce mean_force(const Phase& x);  // (SM9)

 private:
  bool add_determinants(Phase& x, Need need);
  void value_gradient(const double* q, std::vector<double>& out);
  bool factor_reference(const double* G);
  void bend(const std::vector<double>& q);

  std::shared_ptr<const TargetCode> code_;
  std::unique_ptr<TargetPrograms> run_;
  std::vector<double> W_, reference_;  // the metric of the momenta, and that of the measure
  bool has_determinant_ = false, has_reference_ = false;
  Gram free_factor_;
  mutable std::vector<double> out_, multiplier_;
  std::vector<double> q_and_Y_, slope_, Z_, direction_, turned_;
  std::int64_t gradients_ = 0;
};

}  // namespace taut
