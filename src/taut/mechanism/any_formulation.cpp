#include <taut/mechanism/any_formulation.hpp>

template class Eigen::JacobiSVD<Eigen::MatrixXd>;
template class Eigen::HouseholderQR<Eigen::MatrixXd>;
template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;
