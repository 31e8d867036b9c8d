// Eigen's decompositions of matrices whose size is known at run time. They are compiled once, in
// decompositions.cpp, and not again in each source that includes this header. Only sources that link taut_solve
// may include it; headers of taut do without, because they are used without the compiled libraries too.
#pragma once

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

#ifdef TAUT_COMPILE_DECOMPOSITIONS
#define TAUT_ONCE template
#else
#define TAUT_ONCE extern template
#endif

TAUT_ONCE class Eigen::HouseholderQR<Eigen::MatrixXd>;
TAUT_ONCE class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;
TAUT_ONCE class Eigen::JacobiSVD<Eigen::MatrixXd>;
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
