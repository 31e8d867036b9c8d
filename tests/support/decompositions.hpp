// Eigen's decompositions of matrices whose size is known at run time, compiled once, in decompositions.cpp,
// and not again in each test.
#pragma once

#include <Eigen/Dense>

#ifdef TAUT_COMPILE_DECOMPOSITIONS
#define TAUT_ONCE template
#else
#define TAUT_ONCE extern template
#endif

TAUT_ONCE class Eigen::FullPivLU<Eigen::MatrixXd>;
TAUT_ONCE class Eigen::PartialPivLU<Eigen::MatrixXd>;
TAUT_ONCE class Eigen::HouseholderQR<Eigen::MatrixXd>;
TAUT_ONCE class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;
TAUT_ONCE class Eigen::JacobiSVD<Eigen::MatrixXd>;
TAUT_ONCE class Eigen::HessenbergDecomposition<Eigen::MatrixXd>;
TAUT_ONCE class Eigen::RealSchur<Eigen::MatrixXd>;
TAUT_ONCE class Eigen::EigenSolver<Eigen::MatrixXd>;
TAUT_ONCE class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
TAUT_ONCE Eigen::RealSchur<Eigen::MatrixXd>& Eigen::RealSchur<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&, bool);
TAUT_ONCE Eigen::EigenSolver<Eigen::MatrixXd>& Eigen::EigenSolver<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&, bool);
TAUT_ONCE Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>&
Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>::compute(const Eigen::EigenBase<Eigen::MatrixXd>&, int);
TAUT_ONCE struct Eigen::internal::general_matrix_matrix_product<
    Eigen::Index, double, Eigen::ColMajor, false, double, Eigen::ColMajor, false, Eigen::ColMajor, 1>;
TAUT_ONCE struct Eigen::internal::general_matrix_matrix_product<
    Eigen::Index, double, Eigen::ColMajor, false, double, Eigen::RowMajor, false, Eigen::ColMajor, 1>;
TAUT_ONCE struct Eigen::internal::general_matrix_matrix_product<
    Eigen::Index, double, Eigen::RowMajor, false, double, Eigen::ColMajor, false, Eigen::ColMajor, 1>;

#undef TAUT_ONCE
