#include <taut/sample/export.hpp>

#include <taut/ensemble/npy.hpp>
#include <taut/files/output_file.hpp>
#include <taut/version.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taut {

namespace {

constexpr std::size_t piece = 1U << 16U;  // bytes that are written at a time

// Gives each row of a chain, up to the number that all chains have.
template <class Take>
void each_row(const SamplingResult& result, int chain, Take&& take) {
  result.each_block(chain, [&](std::span<const double> block) {
    for (std::size_t k = 0; k < block.size(); k += result.columns) take(block.subspan(k, result.columns));
  });
}

void refuse_own_files(const SamplingResult& result, const std::string& path) {
  if (result.folder != nullptr && !path.empty())
    refuse_sampling_files(result.folder->folder().path(), path, "--out");
}

// A list in a name, such as q_1, stays as it is: CmdStan separates indices by dots, and coordinates have
// none. CmdStan knows two engines, and counts samples before it thins them; rstan reads no file without a
// metric.
std::string head_of(const Sampling& s, const ChainResult& chain, int number) {
  const SamplingOptions& o = s.options;
  const bool trees = o.kernel.kernel.kind == KernelKind::nuts;
  std::string text = fmt::format(
      "# stan_version_major = 2\n# stan_version_minor = 0\n# stan_version_patch = 0\n# model = {}\n# taut = "
      "{}\n"
      "# kernel = {}\n# method = sample (Default)\n#   sample\n#     num_samples = {}\n#     num_warmup = "
      "{}\n"
      "#     save_warmup = 0 (Default)\n#     thin = {}\n#     adapt\n#       engaged = {}\n",
      shown(s.run.title()), version, o.kernel.kernel.text(), chain.draws * o.thin, o.warmup, o.thin,
      o.step ? 0 : 1);
  text += fmt::format("#     algorithm = hmc (Default)\n#       hmc\n#         engine = {}\n",
                      trees ? "nuts (Default)" : "static");
  if (trees) text += fmt::format("#           nuts\n#             max_depth = {}\n", o.kernel.max_depth);
  text += fmt::format(
      "#         metric = diag_e (Default)\n#         stepsize = {:.17g}\n# id = {}\n# random\n#   seed = "
      "{}\n",
      o.step.value_or(1), number, o.seed);
  return text + fmt::format(
                    "{}\n# Adaptation terminated\n# Step size = {:.17g}\n# Diagonal elements of inverse mass "
                    "matrix:\n# {:.17g}\n",
                    fmt::join(s.columns(), ","), chain.step, fmt::join(chain.metric, ", "));
}

}  // namespace

std::vector<std::string> export_cmdstan(const Sampling& sampling, const SamplingResult& result,
                                        const std::string& name) {
  std::vector<std::string> paths;
  for (int k = 0; k < result.chain_count(); ++k) {
    paths.push_back(fmt::format("{}-{}.csv", name, k + 1));
    refuse_own_files(result, paths.back());
  }
  for (int k = 0; k < result.chain_count(); ++k) {
    const ChainResult& chain = result.chains[static_cast<std::size_t>(k)];
    OutputFile file(paths[static_cast<std::size_t>(k)]);
    std::string text = head_of(sampling, chain, k + 1);
    each_row(result, k, [&](std::span<const double> row) {
      text += fmt::format("{:.17g}\n", fmt::join(row, ","));
      if (text.size() < piece) return;
      file.write(text);
      text.clear();
    });
    text += fmt::format(
        "# \n#  Elapsed Time: {:.6g} seconds (Warm-up)\n#                {:.6g} seconds (Sampling)\n#    "
        "            {:.6g} seconds (Total)\n# \n",
        chain.warmup_seconds, chain.seconds, chain.warmup_seconds + chain.seconds);
    file.write(text);
    file.close();
  }
  return paths;
}

void export_draws_npy(const Sampling& sampling, const SamplingResult& result, const std::string& path) {
  const std::size_t first = statistic_names().size(), count = sampling.columns().size() - first;
  refuse_own_files(result, path);
  OutputFile file(path);
  std::string bytes = npy_header({result.chain_count(), result.draws(), static_cast<std::int64_t>(count)});
  for (int k = 0; k < result.chain_count(); ++k)
    each_row(result, k, [&](std::span<const double> row) {
      for (std::size_t j = 0; j < count; ++j) put_number(bytes, row[first + j]);
      if (bytes.size() < piece) return;
      file.write(bytes);
      bytes.clear();
    });
  file.write(bytes);
  file.close();
}

}  // namespace taut
