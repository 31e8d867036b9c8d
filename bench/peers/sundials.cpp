// Reaches the same accuracy by SUNDIALS, in the same program: IDA, CVODE and ARKODE beside the best of taut,
// and the ratios of their CPU times.
//   cmake --build build/release --target bench_sundials && build/release/bench/bench_sundials [PROBLEM]
//   bench_sundials six-node-chain [DEGREES [T]]
//   bench_sundials drift [DEGREES T STEP]
// PROBLEM is pendulum, double-pendulum, six-node-chain, drift or all; the error is that at t = 100, for the
// chain at T = 40. DEGREES is the start of the chain, see RestingChain; with T and STEP it shows the drift of
// the chain alone. It needs Debian's libsundials-dev (6.4).
//
//   IDA index 1          q' = H_p, p' = -H_q - Gᵀλ, and g differentiated twice for λ
//   IDA GGL              q' = H_p - Gᵀμ, p' = -H_q - Gᵀλ, g = 0, G H_p = 0: the stabilised form of index 2
//                        (Gear, Gupta, Leimkuhler)
//   CVODE BDF projected  the underlying ODE with λ(q, p), CVodeSetProjFn onto M
//   CVODE Adams          the underlying ODE; CVODE offers its projection for BDF alone
//   ARKODE Fehlberg 7-8  the underlying ODE, projected onto M after each step; step size control, or a fixed
//                        step
// Right-hand sides are as lean as taut's own problems; Jacobians are the difference quotients that
// SUNDIALS makes itself.
#include <taut/formulation/constraint_matrix.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include "work_precision.hpp"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <future>

using namespace taut;
using namespace work_precision;

namespace {

// The equations of a natural system whose constraints are quadratic: v·g''v = 2 (g(v) - g(0)).
template <class P>
struct Equations {
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;
  static constexpr int n = P::n, m = P::m;

  explicit Equations(const P& problem) : s(problem), G(s.make_jacobian()), K(s) {
    s.g(Vec::Zero(), g_of_zero);
  }

  P s;
  typename P::Jacobian G;
  ConstraintMatrix<P> K;
  Multiplier g_of_zero, lambda;
  Vec q, p, v, f, w;

  void read(const double* y) {
    q = Eigen::Map<const Vec>(y);
    p = Eigen::Map<const Vec>(y + n);
  }
  static void write(const Vec& from, double* to) { std::copy_n(from.data(), n, to); }

  // Evaluates v = H_p, f = H_q, G, and the right side of C λ = v·g''v - G W H_q.
  void evaluate(Multiplier& right) {
    Multiplier Gw;
    s.W().times(p, v);
    s.grad_V(q, f);
    s.G(q, G);
    s.W().times(f, w);
    G.times(w, Gw);
    s.g(v, right);
    right = 2 * (right - g_of_zero) - Gw;
  }
  void factor() {
    K.right(s, q, p, G, 1.0);
    K.assemble(G);
    K.factor();
  }
  void underlying(const double* y, double* dy) {
    read(y);
    evaluate(lambda);
    factor();
    K.solve(lambda);
    w = -f;
    G.subtract_transpose(lambda, w);
    write(v, dy);
    write(w, dy + n);
  }
  // Projects (q, p) onto M: simplified Newton for q, one solve for p.
  void project(double* y) {
    read(y);
    Multiplier r;
    s.G(q, G);
    factor();
    for (int k = 0; k < 10; ++k) {
      s.g(q, r);
      if (r.cwiseAbs().maxCoeff() <= 1e-15) break;
      K.solve(r);
      w.setZero();
      G.subtract_transpose(r, w);
      s.W().times(w, v);
      q += v;
    }
    s.G(q, G);
    factor();
    s.W().times(p, v);
    G.times(v, r);
    K.solve(r);
    G.subtract_transpose(r, p);
    write(q, y);
    write(p, y + n);
  }
  double energy(const double* y) {
    read(y);
    return H(s, q, p);
  }
};

template <class P>
Equations<P>& of(void* user) {
  return *static_cast<Equations<P>*>(user);
}
double* data(N_Vector v) { return NV_DATA_S(v); }

template <class P>
int underlying(realtype, N_Vector y, N_Vector dy, void* user) {
  of<P>(user).underlying(data(y), data(dy));
  return 0;
}
template <class P>
int project_step(realtype, N_Vector y, void* user) {
  of<P>(user).project(data(y));
  return 0;
}
template <class P>
int project_correction(realtype, N_Vector y, N_Vector correction, realtype, N_Vector, void* user) {
  N_VScale(1, y, correction);
  of<P>(user).project(data(correction));
  N_VLinearSum(1, correction, -1, y, correction);
  return 0;
}

// The unknowns are (q, p, λ).
template <class P>
int index_1(realtype, N_Vector y, N_Vector dy, N_Vector r, void* user) {
  auto& e = of<P>(user);
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;
  constexpr int n = P::n;
  e.read(data(y));
  Multiplier right, left;
  const Multiplier minus = -Eigen::Map<const Multiplier>(data(y) + 2 * n);
  e.evaluate(right);
  Vec push = Vec::Zero();
  e.G.subtract_transpose(minus, push);
  Eigen::Map<Vec>(data(r)) = Eigen::Map<const Vec>(data(dy)) - e.v;
  Eigen::Map<Vec>(data(r) + n) = Eigen::Map<const Vec>(data(dy) + n) + e.f + push;
  e.s.W().times(push, e.w);
  e.G.times(e.w, left);
  Eigen::Map<Multiplier>(data(r) + 2 * n) = left - right;
  return 0;
}
// The unknowns are (q, p, λ, μ).
template <class P>
int stabilised(realtype, N_Vector y, N_Vector dy, N_Vector r, void* user) {
  auto& e = of<P>(user);
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;
  constexpr int n = P::n, m = P::m;
  e.read(data(y));
  e.s.W().times(e.p, e.v);
  e.s.grad_V(e.q, e.f);
  e.s.G(e.q, e.G);
  const Multiplier minus_l = -Eigen::Map<const Multiplier>(data(y) + 2 * n),
                   minus_mu = -Eigen::Map<const Multiplier>(data(y) + 2 * n + m);
  Multiplier out;
  e.G.times(e.v, out);
  Eigen::Map<Multiplier>(data(r) + 2 * n + m) = out;
  e.s.g(e.q, out);
  Eigen::Map<Multiplier>(data(r) + 2 * n) = out;
  e.v = -e.v;
  e.G.subtract_transpose(minus_mu, e.v);
  e.G.subtract_transpose(minus_l, e.f);
  Eigen::Map<Vec>(data(r)) = Eigen::Map<const Vec>(data(dy)) + e.v;
  Eigen::Map<Vec>(data(r) + n) = Eigen::Map<const Vec>(data(dy) + n) + e.f;
  return 0;
}

enum class Solver { ida_index_1, ida_ggl, cvode_bdf, cvode_adams, arkode, arkode_fixed };
constexpr Solver solvers[] = {Solver::ida_index_1, Solver::ida_ggl, Solver::cvode_bdf,
                              Solver::cvode_adams, Solver::arkode,  Solver::arkode_fixed};

const char* name_of(Solver solver) {
  constexpr const char* names[] = {"IDA index 1",
                                   "IDA GGL",
                                   "CVODE BDF projected",
                                   "CVODE Adams",
                                   "ARKODE Fehlberg 7-8 projected",
                                   "ARKODE Fehlberg 7-8 proj., fixed step"};
  return names[static_cast<int>(solver)];
}

// One integration, from its start: everything that SUNDIALS allocates, and one call per step or
// for the whole.
template <class P>
class Integration {
 public:
  static constexpr int n = P::n, m = P::m;

  // Prepares it; `setting` is the tolerance, relative and absolute, or the fixed step.
  Integration(const P& problem, Solver solver, double setting) : equations_(problem), solver_(solver) {
    SUNContext_Create(nullptr, &context_);
    const bool ida = solver == Solver::ida_index_1 || solver == Solver::ida_ggl;
    const int size = 2 * n + (solver == Solver::ida_index_1 ? m : solver == Solver::ida_ggl ? 2 * m : 0);
    y = N_VNew_Serial(size, context_);
    N_VConst(0, y);
    const auto start = problem.start();
    std::copy_n(start.q.data(), n, data(y));
    std::copy_n(start.p.data(), n, data(y) + n);
    if (ida)
      begin_ida(size, setting);
    else if (solver == Solver::cvode_bdf || solver == Solver::cvode_adams)
      begin_cvode(size, setting);
    else
      begin_arkode(setting);
  }
  Integration(const Integration&) = delete;
  Integration& operator=(const Integration&) = delete;
  ~Integration() {
    if (solver_ == Solver::ida_index_1 || solver_ == Solver::ida_ggl)
      IDAFree(&memory_);
    else if (solver_ == Solver::cvode_bdf || solver_ == Solver::cvode_adams)
      CVodeFree(&memory_);
    else
      ERKStepFree(&memory_);
    if (nonlinear_) SUNNonlinSolFree(nonlinear_);
    if (linear_) SUNLinSolFree(linear_);
    if (matrix_) SUNMatDestroy(matrix_);
    if (id_) N_VDestroy(id_);
    if (dy_) N_VDestroy(dy_);
    N_VDestroy(y);
    SUNContext_Free(&context_);
  }

  N_Vector y = nullptr;

  // Returns the time reached; NaN after a failure.
  double advance(double until, bool one_step) {
    double t = 0;
    int flag = 0;
    switch (solver_) {
      case Solver::ida_index_1:
      case Solver::ida_ggl:
        IDASetStopTime(memory_, until);
        flag = IDASolve(memory_, until, &t, y, dy_, one_step ? IDA_ONE_STEP : IDA_NORMAL);
        break;
      case Solver::cvode_bdf:
      case Solver::cvode_adams:
        CVodeSetStopTime(memory_, until);
        flag = CVode(memory_, until, y, &t, one_step ? CV_ONE_STEP : CV_NORMAL);
        break;
      default:
        ERKStepSetStopTime(memory_, until);
        flag = ERKStepEvolve(memory_, until, y, &t, one_step ? ARK_ONE_STEP : ARK_NORMAL);
    }
    return flag < 0 ? std::nan("") : t;
  }

 private:
  static void quiet(int, const char*, const char*, char*, void*) {}
  static constexpr long most_steps = 100000000;

  void dense(int size) {
    matrix_ = SUNDenseMatrix(size, size, context_);
    linear_ = SUNLinSol_Dense(y, matrix_, context_);
  }
  void begin_ida(int size, double tolerance) {
    dy_ = N_VClone(y);
    N_VConst(0, dy_);
    equations_.underlying(data(y), data(dy_));  // consistent: with λ and y' too; μ = 0
    std::copy_n(equations_.lambda.data(), m, data(y) + 2 * n);
    id_ = N_VClone(y);
    N_VConst(1, id_);
    for (int i = 2 * n; i < size; ++i) data(id_)[i] = 0;
    memory_ = IDACreate(context_);
    IDASetErrHandlerFn(memory_, quiet, nullptr);
    IDAInit(memory_, solver_ == Solver::ida_ggl ? stabilised<P> : index_1<P>, 0, y, dy_);
    IDASStolerances(memory_, tolerance, tolerance);
    IDASetUserData(memory_, &equations_);
    IDASetMaxNumSteps(memory_, most_steps);
    IDASetId(memory_, id_);
    IDASetSuppressAlg(memory_, SUNTRUE);
    dense(size);
    IDASetLinearSolver(memory_, linear_, matrix_);
  }
  void begin_cvode(int size, double tolerance) {
    const bool bdf = solver_ == Solver::cvode_bdf;
    memory_ = CVodeCreate(bdf ? CV_BDF : CV_ADAMS, context_);
    CVodeSetErrHandlerFn(memory_, quiet, nullptr);
    CVodeInit(memory_, underlying<P>, 0, y);
    CVodeSStolerances(memory_, tolerance, tolerance);
    CVodeSetUserData(memory_, &equations_);
    CVodeSetMaxNumSteps(memory_, most_steps);
    if (bdf) {
      dense(size);
      CVodeSetLinearSolver(memory_, linear_, matrix_);
      CVodeSetProjFn(memory_, project_correction<P>);
      CVodeSetProjErrEst(memory_, SUNFALSE);
    } else {
      nonlinear_ = SUNNonlinSol_FixedPoint(y, 0, context_);
      CVodeSetNonlinearSolver(memory_, nonlinear_);
    }
  }
  void begin_arkode(double setting) {
    memory_ = ERKStepCreate(underlying<P>, 0, y, context_);
    ERKStepSetErrHandlerFn(memory_, quiet, nullptr);
    ERKStepSetTableNum(memory_, ARKODE_FEHLBERG_13_7_8);
    if (solver_ == Solver::arkode_fixed)
      ERKStepSetFixedStep(memory_, setting);
    else
      ERKStepSStolerances(memory_, setting, setting);
    ERKStepSetUserData(memory_, &equations_);
    ERKStepSetMaxNumSteps(memory_, most_steps);
    ERKStepSetPostprocessStepFn(memory_, project_step<P>);
  }

  Equations<P> equations_;
  Solver solver_;
  SUNContext context_ = nullptr;
  void* memory_ = nullptr;
  N_Vector dy_ = nullptr, id_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  SUNNonlinearSolver nonlinear_ = nullptr;
};

template <class P>
std::vector<Row> sweep(Solver solver, const P& problem, const Reference<P>& reference) {
  const bool fixed = solver == Solver::arkode_fixed;
  std::vector<Row> rows;
  Equations<P> equations(problem);
  for (int k = 0; k < 19; ++k) {
    const double setting = fixed ? reference.horizon / std::round(reference.horizon * 2 * std::pow(1.5, k))
                                 : std::pow(10, -4 - k / 2.0);
    {
      Integration<P> run(problem, solver, setting);
      const double H0 = equations.energy(data(run.y));
      double energy = 0, t = 0;
      const long before = gradients;
      while (t < reference.horizon) {
        t = run.advance(reference.horizon, true);
        energy = std::max(energy, std::abs(equations.energy(data(run.y)) - H0));
      }
      StateOf<P> end;
      end.q = Eigen::Map<const typename P::Vec>(data(run.y));
      end.p = Eigen::Map<const typename P::Vec>(data(run.y) + P::n);
      const double error = std::isnan(t) ? t : reference.error(end);
      if (!(error < 1)) continue;
      rows.push_back({name_of(solver), fmt::format("{:.1e}", setting), error, energy, gradients - before, 0});
    }
    rows.back().ms = least_ms([&] {
      Integration<P> run(problem, solver, setting);
      const double from = cpu_ms();
      run.advance(reference.horizon, false);
      return cpu_ms() - from;
    });
    print(rows.back());
    if (rows.back().error < 1e-10 || rows.back().ms > 1500) break;
  }
  return rows;
}

double best(const Table& table, std::size_t from, std::size_t to, double error) {
  double least = std::nan("");
  for (std::size_t i = from; i < to; ++i)
    if (const double ms = ms_at(table[i], error); !(least <= ms)) least = std::isnan(ms) ? least : ms;
  return least;
}

template <class Plain>
void study(const std::string& name, const Plain& plain, double horizon) {
  using P = Counted<Plain>;
  const P problem(plain);
  const Reference<P> reference(problem, horizon);
  heading(name, horizon, reference.text());
  using Compensated = CompensatedState<double, P::n>;
  Table table;
  for (const auto& method : {composition<P, Compensated>("kahan-li8"), composition<P, Compensated>("taut8"),
                             composition<P, Compensated>("sofroniou-spaletta10"),
                             entry<P, Compensated>(Lobatto<5>{}, "lobatto(5)")})
    table.push_back(work_precision::sweep(method, problem, reference, 0.5));
  const std::size_t counted = table.size();
  // Here the energy drifts, see drift_study(): these rows are shown, but not counted in the ratios.
  for (const auto& [scheme, tolerance] :
       {std::pair{"kahan-li8", 0.0}, {"taut8", 0.0}, {"kahan-li8", 1e-12}}) {
    auto method = composition<P>(scheme, tolerance);
    method.name += ", plain sums";
    table.push_back(work_precision::sweep(method, problem, reference, 0.5));
  }
  const std::size_t peers = table.size();
  for (const Solver solver : solvers) table.push_back(sweep(solver, problem, reference));
  summary(name, table);
  for (const double error : targets) {
    const double taut_ms = best(table, 0, counted, error);
    const auto times = [&](std::size_t from, std::size_t to) {
      const double ms = best(table, peers + from, peers + to, error);
      return std::isnan(ms) ? std::string("not reached") : fmt::format("{:.1f}", ms / taut_ms);
    };
    fmt::print(
        "  times the CPU of the best taut method, compensated and to rounding, at {:.0e}: ARKODE {} (fixed "
        "step {}), ",
        error, times(4, 5), times(5, 6));
    fmt::print("the best of IDA and projected CVODE {}, CVODE Adams {}\n", times(0, 3), times(3, 4));
  }
}

// Shows that the energy error of a taut run does not grow: its mean and its largest in each decade of time,
// and the largest in 100 units of time, the mean over the decade. The largest of a longer time is larger
// already because there is more to choose from; that of 100 units is not.
template <class X, class P>
std::string drift_of(const std::string& name, const P& problem, const Composition<Rattle>& method, double h) {
  X x(problem.start());
  auto memory = make_memory(method, problem, x);
  const double H0 = H(problem, x.q, x.p);
  double next = 100, largest = 0, sum = 0, here = 0, sum_here = 0;
  long count = 0, stretches = 0, stretch = 1;
  std::string line = fmt::format("  {:<26}", name);
  for (long i = 1; next <= 1e6; ++i) {
    if (!method.step(problem, x, memory, h)) std::exit(1);
    const double change = H(problem, x.q, x.p) - H0;
    here = std::max(here, std::abs(change));
    sum += change;
    ++count;
    if (static_cast<double>(i) * h < 100 * static_cast<double>(stretch)) continue;
    largest = std::max(largest, here);
    sum_here += here;
    ++stretches;
    ++stretch;
    here = 0;
    if (static_cast<double>(i) * h < next) continue;
    line += fmt::format("  {:>7.1e} {:>7.1e} {:>8.1e}", largest, sum_here / static_cast<double>(stretches),
                        sum / static_cast<double>(count));
    next *= 10;
    largest = sum = sum_here = 0;
    count = stretches = 0;
  }
  return line;
}

template <class P>
double error_of(const P& problem, const Composition<Rattle>& method, const Reference<P>& reference,
                double h) {
  CompensatedState<double, P::n> x(problem.start());
  auto memory = make_memory(method, problem, x);
  const long steps = std::lround(reference.horizon / h);
  for (long i = 0; i < steps; ++i)
    if (!method.step(problem, x, memory, reference.horizon / static_cast<double>(steps))) std::exit(1);
  return reference.error(x);
}

// Uses the step that gives an error of 1e-8 at the horizon. Nothing is timed here, so the rows
// run side by side.
template <class P>
void drift_study(const std::string& name, const P& problem, double horizon, const char* scheme, double h) {
  using Plain = State<double, P::n>;
  using Compensated = CompensatedState<double, P::n>;
  const auto method = [&](double tolerance) {
    return Composition<Rattle>{find_composition(scheme), {.solve = {.tolerance = tolerance}}};
  };
  fmt::print("\n{}, {}, h = {}, error at t = {}: {:.1e}\n", name, scheme, h, horizon,
             error_of(problem, method(0), Reference<P>(problem, horizon), h));
  fmt::print(
      "  largest |H - H(0)|, its mean over stretches of 100, and mean H - H(0), in the decades up to t = 1e2 "
      "… 1e6\n");
  const auto row = [&]<class X>(std::type_identity<X>, const char* how, double tolerance) {
    return std::async(std::launch::async, [=] { return drift_of<X>(how, problem, method(tolerance), h); });
  };
  std::future<std::string> rows[] = {row(std::type_identity<Compensated>{}, "compensated, to rounding", 0),
                                     row(std::type_identity<Plain>{}, "plain sums, to rounding", 0),
                                     row(std::type_identity<Plain>{}, "plain sums, |g| to 1e-12", 1e-12)};
  for (auto& line : rows) fmt::print("{}\n", line.get());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string pick = argc > 1 ? argv[1] : "all";
  const auto picked = [&](const char* name) { return pick == "all" || pick == name; };
  RestingChain<> chain;
  if (argc > 2) chain.degrees = std::atof(argv[2]);
  const double horizon = argc > 3 ? std::atof(argv[3]) : chain.horizon;
  const std::string chain_name = fmt::format("six-node-chain from {} degrees", chain.degrees);
  if (picked("pendulum")) study("pendulum", PlanarPendulum<>{}, 100);
  if (picked("double-pendulum")) study("double-pendulum", DoublePendulum<>{}, 100);
  if (picked("six-node-chain")) study(chain_name, chain, horizon);
  if (!picked("drift")) return 0;
  if (argc <= 2) {
    drift_study("pendulum", PlanarPendulum<>{}, 100, "taut8", 0.25);
    drift_study("double-pendulum", DoublePendulum<>{}, 100, "kahan-li8", 0.1);
  }
  drift_study(chain_name, chain, horizon, "taut8", argc > 4 ? std::atof(argv[4]) : 0.032);
}
