#include <taut/analysis/frequencies.hpp>
#include <taut/bytes/json.hpp>
#include <taut/solve/dense_systems.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace taut {

namespace {

using Complex = std::complex<double>;
using Signal = std::vector<Complex>;

constexpr double pi = 3.14159265358979323846;

// A fast Fourier transform; the length is a power of two.
void transform(Signal& a) {
  const std::size_t n = a.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1U;
    for (; (j & bit) != 0; bit >>= 1U) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2)
    for (std::size_t k = 0; k < length / 2; ++k) {
      const Complex w = std::polar(1.0, -2 * pi * static_cast<double>(k) / static_cast<double>(length));
      for (std::size_t i = k; i < n; i += length) {
        const Complex u = a[i], v = w * a[i + length / 2];
        a[i] = u + v;
        a[i + length / 2] = u - v;
      }
    }
}

class Analysis {
 public:
  Analysis(const Signal& signal, double dt, int order) : signal_(signal), dt_(dt), rest_(signal) {
    const std::size_t n = signal.size();
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double u = 2 * static_cast<double>(j) / static_cast<double>(n - 1) - 1;
      weight_.push_back(std::pow(1 + std::cos(pi * u), order));  // (LY7)
      sum += weight_.back();
    }
    for (double& w : weight_) w /= sum;
  }

  void add() { refine(lines_.emplace_back(Line{strongest(), {}})); }
  // Finds each frequency again in what the others leave.
  void improve() {
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      rest_ = signal_;
      for (std::size_t i = 0; i < lines_.size(); ++i)
        if (i != k) subtract(lines_[i]);
      refine(lines_[k]);
      solve_amplitudes();
    }
  }
  void solve_amplitudes() {
    const auto k = static_cast<int>(lines_.size());
    DenseMatrix A(2 * k, 2 * k);
    std::vector<double> right(2 * lines_.size());
    for (int i = 0; i < k; ++i) {
      const Complex b = along(signal_, lines_[static_cast<std::size_t>(i)].frequency)[0];
      right[static_cast<std::size_t>(i)] = b.real();
      right[static_cast<std::size_t>(k + i)] = b.imag();
      for (int j = 0; j < k; ++j) {
        const Complex a = overlap(lines_[static_cast<std::size_t>(j)].frequency -
                                  lines_[static_cast<std::size_t>(i)].frequency);
        A(i, j) = a.real();
        A(i, k + j) = -a.imag();
        A(k + i, j) = a.imag();
        A(k + i, k + j) = a.real();
      }
    }
    if (const auto x = least_squares(A, right, 1e-14))
      for (int i = 0; i < k; ++i)
        lines_[static_cast<std::size_t>(i)].amplitude = {(*x)[static_cast<std::size_t>(i)],
                                                         (*x)[static_cast<std::size_t>(k + i)]};
    rest_ = signal_;
    for (const Line& line : lines_) subtract(line);
  }
  Spectrum result() const {
    double sum = 0;
    for (const Complex& x : rest_) sum += std::norm(x);
    return {lines_, std::sqrt(sum / static_cast<double>(rest_.size()))};
  }

 private:
  // Time is counted from the middle, so that the sums below are small.
  double time(std::size_t j) const {
    return (static_cast<double>(j) - static_cast<double>(signal_.size() - 1) / 2) * dt_;
  }
  // φ(ω) = Σ χ f exp(-iωt) and its two derivatives.                                                   (LY8)
  std::array<Complex, 3> along(const Signal& f, double omega) const {
    std::array<Complex, 3> sum{};
    for (std::size_t j = 0; j < f.size(); ++j) {
      const double t = time(j);
      const Complex part = weight_[j] * f[j] * std::polar(1.0, -omega * t);
      sum[0] += part;
      sum[1] += Complex(0, -t) * part;
      sum[2] -= t * t * part;
    }
    return sum;
  }
  Complex overlap(double omega) const {
    Complex sum = 0;
    for (std::size_t j = 0; j < weight_.size(); ++j) sum += weight_[j] * std::polar(1.0, omega * time(j));
    return sum;
  }
  void subtract(const Line& line) {
    for (std::size_t j = 0; j < rest_.size(); ++j)
      rest_[j] -= line.amplitude * std::polar(1.0, line.frequency * time(j));
  }
  double strongest() const {
    std::size_t size = 1;
    while (size < 2 * rest_.size()) size *= 2;
    Signal a(size);
    for (std::size_t j = 0; j < rest_.size(); ++j) a[j] = weight_[j] * rest_[j];
    transform(a);
    const auto best = static_cast<std::size_t>(
        std::max_element(a.begin(), a.end(),
                         [](const Complex& x, const Complex& y) { return std::norm(x) < std::norm(y); }) -
        a.begin());
    const double k =
        best < size / 2 ? static_cast<double>(best) : static_cast<double>(best) - static_cast<double>(size);
    return 2 * pi * k / (static_cast<double>(size) * dt_);
  }
  // Climbs to the maximum of |φ|² by Newton's iteration on its derivative, within the peak.           (LY9)
  void refine(Line& line) const {
    const double width = 2 * pi / (static_cast<double>(rest_.size()) * dt_);
    double omega = line.frequency;
    for (int k = 0; k < 60; ++k) {
      const auto [f, first, second] = along(rest_, omega);
      const double slope = 2 * (std::conj(f) * first).real();
      const double bend = 2 * (std::norm(first) + (std::conj(f) * second).real());
      double change = bend < 0 ? -slope / bend : std::copysign(width / 8, slope);
      change = std::clamp(change, -width / 4, width / 4);
      omega += change;
      if (std::abs(change) <= 1e-16 * std::abs(omega)) break;
    }
    line.frequency = omega;
    line.amplitude = along(rest_, omega)[0];
  }

  const Signal& signal_;
  double dt_;
  Signal rest_;
  std::vector<double> weight_;
  std::vector<Line> lines_;
};

}  // namespace

Spectrum frequencies_of(const Signal& signal, double dt, int count, int window) {
  Analysis analysis(signal, dt, window);
  for (int k = 0; k < count; ++k) {
    analysis.add();
    analysis.solve_amplitudes();
  }
  constexpr int sweeps = 6;  // each takes away most of what the other lines moved a frequency by
  for (int k = 0; count > 1 && k < sweeps; ++k) analysis.improve();
  Spectrum out = analysis.result();
  const double middle = static_cast<double>(signal.size() - 1) / 2 * dt;
  for (Line& line : out.lines) line.amplitude *= std::polar(1.0, -line.frequency * middle);
  return out;
}

std::string to_json(const SpectrumOfRun& found) {
  Json lines = Json::list();
  for (const Line& line : found.spectrum.lines)
    lines.push_back(Json::object({{"frequency", line.frequency},
                                  {"amplitude", std::abs(line.amplitude)},
                                  {"phase", std::arg(line.amplitude)}}));
  Json object =
      Json::object({{"of", found.of}, {"lines", std::move(lines)}, {"residual", found.spectrum.residual}});
  if (!found.warnings.empty()) object["warnings"] = found.warnings;
  return object.to_text(2);
}

}  // namespace taut
