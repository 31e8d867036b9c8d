// Eigen's decompositions of matrices whose size is known at run time. They are compiled once, in
// dense_systems.cpp, and not again for each problem that a chart is laid over.
#pragma once

#include <Eigen/QR>
#include <Eigen/SVD>

extern template class Eigen::JacobiSVD<Eigen::MatrixXd>;
extern template class Eigen::HouseholderQR<Eigen::MatrixXd>;
extern template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;
