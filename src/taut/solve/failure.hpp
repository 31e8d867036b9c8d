// A solve that misses its tolerance is an outcome, not a surprise: a value that cannot be ignored, and that
// works where exceptions cannot (a SIMD lane, a GPU thread).
#pragma once

#include <cassert>
#include <utility>

namespace taut {

// A step whose solves succeeded may have ended off a constraint by more than rounding explains, or the energy
// may have jumped in it. A step size is refused before the step: then the residual is the size, and `allowed`
// is the limit that it is beyond.
enum class FailureKind { not_converged, singular, not_finite, off_constraint, jumped, step_size };

// What was being solved when the solve failed.
enum class SolveStage { position, momentum, inner };

// What kind of corrections was made. The usual ones of the position and the momentum solve are those that
// the options name, the usual ones of an inner solve are simplified: their matrix is that of the start of the
// step.
enum class Corrections { usual, newton, simplified_newton, damped_newton };

struct Failure {
  FailureKind kind = FailureKind::not_converged;
  SolveStage stage = SolveStage::position;
  double residual = 0;  // largest |residual| reached, in the units of the equation
  int iterations = 0;
  Corrections corrections = Corrections::usual;
  int constraint = -1;  // from 0; the first dependent one, or that of the largest residual; -1: unknown
  int lane = 0;         // the lane of a SIMD pack
  double allowed = 0;   // the residual, or jump of the energy, from which on a finished step has failed

  Failure at(int which) const {
    Failure f = *this;
    f.constraint = which;
    return f;
  }
};

// The surroundings of a constraint that failed.
struct Connection {
  int constraints = 0;   // connected to it, including itself; 0: not known
  double condition = 0;  // condition number of their matrix; infinite: a pivot vanished
};

// A value or a failure (std::expected once C++23 is here).
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)), ok_(true) {}  // NOLINT(google-explicit-constructor)
  Expected(Failure failure) : failure_(failure) {}            // NOLINT(google-explicit-constructor)

  // Copies no failure if there is none: a copy of the whole would keep the value in memory.
  Expected(const Expected& other) : value_(other.value_), ok_(other.ok_) {
    if (!ok_) failure_ = other.failure_;
  }
  Expected& operator=(const Expected& other) {
    value_ = other.value_;
    ok_ = other.ok_;
    if (!ok_) failure_ = other.failure_;
    return *this;
  }
  ~Expected() = default;

  explicit operator bool() const { return ok_; }
  const T& operator*() const {
    assert(ok_);
    return value_;
  }
  const T* operator->() const { return &**this; }
  const Failure& error() const {
    assert(!ok_);
    return failure_;
  }

 private:
  T value_{};
  Failure failure_{};
  bool ok_ = false;
};

}  // namespace taut
