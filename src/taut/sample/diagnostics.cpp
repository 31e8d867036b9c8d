#include <taut/sample/diagnostics.hpp>

#include <taut/measure/periodogram.hpp>
#include <taut/random/draws.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

namespace taut {

namespace {

using Column = ChainsOfColumn;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}
double variance_of(const std::vector<double>& x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(x.size() - 1);
}

std::vector<double> flat(const Column& column) {
  std::vector<double> all;
  for (const auto& chain : column) all.insert(all.end(), chain.begin(), chain.end());
  return all;
}

// Halves each chain; a draw in the middle belongs to neither half.
Column split(const Column& column) {
  Column halves;
  for (const auto& chain : column) {
    const auto half = static_cast<std::ptrdiff_t>(chain.size() / 2);
    halves.emplace_back(chain.begin(), chain.begin() + half);
    halves.emplace_back(chain.end() - half, chain.end());
  }
  return halves;
}

// Replaces each number by the normal quantile of its rank; equal numbers have their mean rank.
Column rank_normalised(const Column& column) {
  const std::vector<double> all = flat(column);
  const std::size_t size = all.size();
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a] < all[b]; });
  std::vector<double> z(size);
  for (std::size_t i = 0; i < size;) {
    std::size_t end = i + 1;
    while (end < size && all[order[end]] == all[order[i]]) ++end;
    const double rank = static_cast<double>(i + 1 + end) / 2;
    const double score = normal_quantile((rank - 0.375) / (static_cast<double>(size) + 0.25));
    for (; i < end; ++i) z[order[i]] = score;
  }
  Column out = column;
  std::size_t k = 0;
  for (auto& chain : out)
    for (double& x : chain) x = z[k++];
  return out;
}

// Linear between the neighbours: R's type 7.
double quantile(std::vector<double> x, double p) {
  std::sort(x.begin(), x.end());
  const double place = p * static_cast<double>(x.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, x.size() - 1);
  return x[low] + (place - static_cast<double>(low)) * (x[high] - x[low]);
}

double rhat_of(const Column& column) {
  const double draws = static_cast<double>(column.front().size());
  std::vector<double> means, variances;
  for (const auto& chain : column) {
    means.push_back(mean_of(chain));
    variances.push_back(variance_of(chain));
  }
  const double between = draws * variance_of(means), within = mean_of(variances);
  return std::sqrt((between / within + draws - 1) / draws);
}

std::vector<double> autocovariance(const std::vector<double>& x) {
  std::size_t size = 1;
  while (size < 2 * x.size()) size *= 2;
  const double mean = mean_of(x);
  std::vector<std::complex<double>> a(size);
  for (std::size_t k = 0; k < x.size(); ++k) a[k] = x[k] - mean;
  fourier::transform_power_of_two(a);
  for (auto& value : a) value = std::norm(value);
  fourier::transform_power_of_two(a);  // what is real and even is its own conjugate
  std::vector<double> c(x.size());
  for (std::size_t k = 0; k < x.size(); ++k)
    c[k] = a[k].real() / static_cast<double>(size) / static_cast<double>(x.size());
  return c;
}

// Geyer's initial monotone sequence over all chains.
double effective_size(const Column& column) {
  const std::size_t draws = column.front().size();
  if (draws < 3) return not_a_number;
  std::vector<double> c(draws, 0.0), means;
  for (const auto& chain : column) {
    const std::vector<double> one = autocovariance(chain);
    for (std::size_t k = 0; k < draws; ++k) c[k] += one[k] / static_cast<double>(column.size());
    means.push_back(mean_of(chain));
  }
  const double count = static_cast<double>(draws);
  const double within = c[0] * count / (count - 1);
  const double total = within * (count - 1) / count + (column.size() > 1 ? variance_of(means) : 0);
  const auto rho_at = [&](std::size_t t) { return 1 - (within - c[t]) / total; };
  std::vector<double> rho(draws + 2, 0.0);
  double even = 1, odd = rho_at(1);
  rho[0] = even;
  rho[1] = odd;
  std::size_t t = 0;
  while (t + 5 < draws && even + odd > 0) {
    t += 2;
    even = rho_at(t);
    odd = rho_at(t + 1);
    if (even + odd < 0) continue;
    rho[t] = even;
    rho[t + 1] = odd;
  }
  const std::size_t last = t;
  if (even > 0) rho[last] = even;
  for (t = 2; t + 2 <= last; t += 2)
    if (rho[t] + rho[t + 1] > rho[t - 2] + rho[t - 1]) rho[t] = rho[t + 1] = (rho[t - 2] + rho[t - 1]) / 2;
  double tau = -1 + rho[last];
  for (std::size_t k = 0; k < last; ++k) tau += 2 * rho[k];
  const double size = count * static_cast<double>(column.size());
  return size / std::max(tau, 1 / std::log10(size));
}

Column folded(const Column& column) {
  const double median = quantile(flat(column), 0.5);
  Column out = column;
  for (auto& chain : out)
    for (double& x : chain) x = std::abs(x - median);
  return out;
}

double tail_size(const Column& column, double p) {
  const double bound = quantile(flat(column), p);
  Column below = column;
  for (auto& chain : below)
    for (double& x : chain) x = x <= bound ? 1 : 0;
  return effective_size(split(below));
}

}  // namespace

ColumnDiagnostics diagnose(const ChainsOfColumn& column) {
  ColumnDiagnostics d;
  const std::vector<double> all = flat(column);
  d.mean = mean_of(all);
  d.sd = all.size() > 1 ? std::sqrt(variance_of(all)) : not_a_number;
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  const bool finite = std::all_of(all.begin(), all.end(), [](double x) { return std::isfinite(x); });
  if (!finite || *low == *high || column.front().size() < 6) {
    d.mcse = d.rhat = d.ess_bulk = d.ess_tail = d.ess_mean = not_a_number;
    return d;
  }
  const Column halves = split(column), bulk = rank_normalised(halves);
  d.rhat = std::max(rhat_of(bulk), rhat_of(rank_normalised(split(folded(column)))));
  d.ess_bulk = effective_size(bulk);
  d.ess_tail = std::min(tail_size(column, 0.05), tail_size(column, 0.95));
  d.ess_mean = effective_size(halves);
  d.mcse = d.sd / std::sqrt(d.ess_mean);
  return d;
}

double ebfmi(const std::vector<double>& energy) {
  if (energy.size() < 3) return not_a_number;
  double sum = 0;
  for (std::size_t k = 1; k < energy.size(); ++k)
    sum += (energy[k] - energy[k - 1]) * (energy[k] - energy[k - 1]);
  return sum / static_cast<double>(energy.size()) / variance_of(energy);
}

}  // namespace taut
