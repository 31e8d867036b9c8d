// How residuals near M behave, as plain values: manifold_stability.hpp finds out.
#pragma once

#include <complex>
#include <vector>

namespace taut {

enum class ManifoldCharacter {
  attracting,       // all eigenvalues with negative real part: residuals decay
  neutral,          // K = 0: residuals stay
  centre,           // imaginary eigenvalues: residuals oscillate
  weakly_unstable,  // eigenvalues 0 with Jordan blocks: residuals grow like a power of t
  saddle,           // an eigenvalue with positive real part: residuals grow exponentially
};

inline const char* name(ManifoldCharacter character) {
  switch (character) {
    case ManifoldCharacter::attracting:
      return "attracting";
    case ManifoldCharacter::neutral:
      return "neutral";
    case ManifoldCharacter::centre:
      return "centre";
    case ManifoldCharacter::weakly_unstable:
      return "weakly unstable";
    case ManifoldCharacter::saddle:
      return "saddle";
  }
  return "";
}

struct ManifoldStability {
  ManifoldCharacter character = ManifoldCharacter::neutral;
  std::vector<std::complex<double>> eigenvalues;  // those of K, by increasing real and imaginary part
};

// What a trajectory does to small residuals.
struct PathStability {
  ManifoldCharacter worst = ManifoldCharacter::neutral;  // at one of its points
  double growth = 1;  // the largest entry met on the way of the matrix that carries residuals from the start
  double rate = 0;    // the largest real part of an eigenvalue
  int points = 0;
};

}  // namespace taut
