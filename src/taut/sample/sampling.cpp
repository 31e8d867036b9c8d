#include <taut/sample/sampling.hpp>

#include <taut/contract/request.hpp>
#include <taut/run/prepare.hpp>
#include <taut/version.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace taut {

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// What this thread has computed, whatever else the machine did meanwhile.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr std::int64_t most_rows_of_a_block = 4096;
constexpr std::size_t most_numbers_of_a_block = 1U << 20U;  // so that memory does not depend on the speed
// Machine code pays if the formulas are evaluated so many times with so many operations in all.
constexpr double worth_compiling = 3e9;

// What all threads share.
struct Shared {
  const Sampling& sampling;
  const DrawsFolder* folder;
  const SamplingObserver& observer;
  std::vector<ChainResult>& results;
  std::atomic<int> next{0};
  std::atomic<std::int64_t> done{0};
  std::atomic<bool> stop{false};
  std::mutex mutex = {};
  std::exception_ptr thrown = {};
  int at_work = 0;  // threads, counted under the mutex
  std::condition_variable went = {};
};

// Runs one chain to its end, from its start or from where its file ends.
class ChainRun {
 public:
  ChainRun(Shared& shared, int number)
      : shared_(shared),
        options_(shared.sampling.options),
        chain_(shared.sampling.code, options_, number),
        result_(shared.results[static_cast<std::size_t>(number)]) {
    if (shared_.folder != nullptr) {
      const StoredChain found = shared_.folder->read(number);
      file_.emplace(shared_.folder->writer(number, found));
      restored_ = !found.state.empty();
      if (restored_ && !chain_.restore(found.state))
        throw InputError(fmt::format("{}: the state of the chain does not fit this model.", file_->path()));
      result_.draws = found.draws;
    }
    if (restored_)
      written_ = chain_.iteration();
    else
      chain_.start();
    shared_.done += chain_.iteration();
  }

  void run() {
    const std::int64_t all = options_.warmup + options_.draws;
    last_written_ = Clock::now();
    double began = thread_seconds();
    double* clock = &chain_.seconds[chain_.is_warm() ? 1 : 0];
    double before = *clock;
    while (chain_.iteration() < all && !shared_.stop) {
      if (clock == &chain_.seconds[0] && chain_.is_warm()) {
        *clock = before + thread_seconds() - began;
        clock = &chain_.seconds[1];
        before = *clock;
        began = thread_seconds();
      }
      const bool is_draw = chain_.is_warm();
      chain_.advance();
      ++shared_.done;
      if (is_draw) keep();
      if (file_ && is_time_to_write()) {
        *clock = before + thread_seconds() - began;
        write();
      }
    }
    *clock = before + thread_seconds() - began;
    if (file_) write();
    finish();
  }

 private:
  bool look() { return ++looked_ % 64 == 0; }
  bool is_time_to_write() {
    return result_.rows.size() >= most_numbers_of_a_block ||
           ((rows_in_block_ >= most_rows_of_a_block || look()) &&
            since(last_written_) > shared_.observer.longest_wait);
  }
  void keep() {
    if (file_ || shared_.observer.keeps) {
      const std::vector<double>& row = chain_.row();
      result_.rows.insert(result_.rows.end(), row.begin(), row.end());
    }
    ++rows_in_block_;
    if (shared_.observer.draw) shared_.observer.draw(chain_, result_.draws);
    ++result_.draws;
  }
  void write() {
    if (chain_.iteration() == written_) return;  // a chain that is repeated adds nothing
    file_->append(chain_block(result_.rows, rows_in_block_, chain_.save()));
    file_->sync();
    written_ = chain_.iteration();
    result_.rows.clear();
    rows_in_block_ = 0;
    last_written_ = Clock::now();
  }
  void finish() {
    result_.step = chain_.step();
    result_.metric = chain_.metric();
    result_.counts = chain_.counts();
    result_.gradients = chain_.gradients();
    result_.warmup_seconds = chain_.seconds[0];
    result_.seconds = chain_.seconds[1];
  }

  Shared& shared_;
  const SamplingOptions& options_;
  Chain chain_;
  ChainResult& result_;
  std::optional<AppendFile> file_;
  bool restored_ = false;
  std::int64_t rows_in_block_ = 0, written_ = -1;  // the iteration whose state is in the file
  std::uint64_t looked_ = 0;
  Clock::time_point last_written_ = {};
};

void work(Shared& shared) {
  try {
    for (int k = shared.next++; k < shared.sampling.options.chains && !shared.stop; k = shared.next++)
      ChainRun(shared, k).run();
  } catch (...) {
    const std::lock_guard lock(shared.mutex);
    if (!shared.thrown) shared.thrown = std::current_exception();
    shared.stop = true;
  }
  const std::lock_guard lock(shared.mutex);
  --shared.at_work;
  shared.went.notify_all();
}

// Makes threads that work. If the system gives no more of them, those that are there do it all.
std::vector<std::thread> team_of(int size, Shared& shared) {
  std::vector<std::thread> team;
  const std::lock_guard lock(shared.mutex);
  for (; shared.at_work < size; ++shared.at_work) {
    try {
      team.emplace_back([&shared] { work(shared); });
    } catch (const std::system_error&) {
      if (team.empty()) throw;
      break;
    }
  }
  return team;
}

// Waits for the team in the thread of the caller, which is where he is told of the progress and asked whether
// to go on. What the observer throws ends the team, and is thrown when nobody works any more.
void watch_over(Shared& shared, std::vector<std::thread>& team, std::int64_t all) {
  constexpr std::chrono::milliseconds between(20);
  const SamplingObserver& observer = shared.observer;
  std::exception_ptr thrown;
  std::unique_lock lock(shared.mutex);
  while (!shared.went.wait_for(lock, between, [&] { return shared.at_work == 0; })) {
    if (thrown) continue;
    lock.unlock();
    try {
      if (observer.wants_to_stop && observer.wants_to_stop()) shared.stop = true;
      if (observer.progress) observer.progress(shared.done, all);
    } catch (...) {
      thrown = std::current_exception();
      shared.stop = true;
    }
    lock.lock();
  }
  lock.unlock();
  for (std::thread& one : team) one.join();
  if (thrown) std::rethrow_exception(thrown);
}

// Draws that no memory holds are refused before they are made, and not after hours.
void refuse_too_many_draws(const Sampling& sampling) {
  const SamplingOptions& o = sampling.options;
  const double draws = static_cast<double>(o.draws) * static_cast<double>(o.chains);
  const double needed = draws * static_cast<double>(sampling.columns().size() * sizeof(double));
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (!(needed > there)) return;
  throw InputError(
      fmt::format("{:.3g} draws need {:.2g} GB, and this machine has {:.2g} GB of memory: `taut sample --out "
                  "DIR` keeps them in files, and --thin keeps fewer.",
                  draws, needed / 1e9, there / 1e9));
}

bool pays_to_compile(const TargetCode& code, const SamplingOptions& options) {
  const double steps = options.kernel.kernel.kind == KernelKind::hmc    ? options.kernel.kernel.count
                       : options.kernel.kernel.kind == KernelKind::nuts ? 8
                                                                        : 1;
  const double operations = static_cast<double>(code.all->code.size() + 8 * code.g->code.size());
  return operations * steps * static_cast<double>(options.thin) *
             static_cast<double>((options.draws + options.warmup) * options.chains) >
         worth_compiling;
}

}  // namespace

void check_options(const SamplingOptions& o) {
  if (o.kernel.kernel.kind == KernelKind::g_baoab && !o.step)
    throw InputError(
        "g-baoab decides nothing, so that nothing can choose its step: say --step H. Its bias goes with the "
        "square of "
        "the step;\n  a second run with half of it shows how large it is.");
  if (o.step && !(*o.step > 0 && std::isfinite(*o.step)))
    throw InputError("--step: the step of a kernel is positive.");
  if (!(o.kernel.friction >= 0 && std::isfinite(o.kernel.friction)))
    throw InputError("--friction: a friction is a number that is not negative.");
  if (!(o.spread >= 0 && std::isfinite(o.spread)))
    throw InputError("--spread: a spread is a number that is not negative.");
  if (o.accept && !(*o.accept > 0 && *o.accept < 1))
    throw InputError("--accept: the acceptance that is looked for is between 0 and 1.");
}

std::vector<std::string> Sampling::columns() const {
  std::vector<std::string> names = statistic_names();
  names.insert(names.end(), code->coordinates.begin(), code->coordinates.end());
  names.insert(names.end(), code->quantity_names.begin(), code->quantity_names.end());
  return names;
}

void take_words(const SamplingWords& words, const Model& model, SamplingOptions& options) {
  options.kernel.kernel =
      kernel_named(!words.kernel.empty() ? words.kernel : model.sampling.kernel.value_or("nuts"));
  if (!words.metric.empty() && words.metric != "unit" && words.metric != "diagonal")
    throw InputError(fmt::format("--metric {}: the metric is unit or diagonal.", words.metric));
  options.adapt_metric = words.metric == "diagonal";
  if (!words.inits.empty() && words.inits != "start" && words.inits != "spread")
    throw InputError(fmt::format("--inits {}: chains begin at the start, or spread about it.", words.inits));
  options.spread = words.inits == "spread" ? words.spread : 0;
  take_integrator(words.integrator, options.kernel.mover);
  const KernelKind kind = options.kernel.kernel.kind;
  if (options.kernel.mover.gamma.size() > 1 &&
      (kind == KernelKind::random_walk || kind == KernelKind::g_baoab))
    throw InputError(fmt::format("--integrator {}: the steps of {} have no force, and are single ones.",
                                 words.integrator, options.kernel.kernel.text()));
}

Sampling make_sampling(ModelRun run, const TargetOptions& target, const SamplingOptions& options) {
  check_options(options);
  TargetCode code = make_target(run.model, target);
  PlainState start = run.mechanism->start();
  std::fill(start.p.begin(), start.p.end(), 0.0);  // a sampling draws its momenta
  const std::string rounding =
      rounding_of_start(*run.mechanism, run.name, start, Precision::double_precision);
  Sampling made{.run = std::move(run), .code = {}, .target = target, .options = options};
  if (!rounding.empty()) made.notes.push_back(rounding);
  if (!code.left_out.empty())
    made.notes.push_back(fmt::format("draws have no momenta, multipliers or times: {} {} left out.",
                                     fmt::join(code.left_out, ", "),
                                     code.left_out.size() == 1 ? "is" : "are"));
  if (pays_to_compile(code, options))
    if (const std::string missing = compile_target(code); !missing.empty())
      made.notes.push_back(fmt::format("the formulas are interpreted, because {}.", missing));
  made.code = std::make_shared<const TargetCode>(std::move(code));
  return made;
}

SamplingResult run_sampling(const Sampling& sampling, int threads, const DrawsFolder* folder,
                            const SamplingObserver& observer) {
  if (folder == nullptr && observer.keeps) refuse_too_many_draws(sampling);
  const auto began = Clock::now();
  SamplingResult result;
  result.folder = folder;
  result.columns = sampling.columns().size();
  result.chains.resize(static_cast<std::size_t>(sampling.options.chains));
  Shared shared{sampling, folder, observer, result.chains};
  std::vector<std::thread> team = team_of(std::min(threads, sampling.options.chains), shared);
  const std::int64_t all = (sampling.options.warmup + sampling.options.draws) * sampling.options.chains;
  watch_over(shared, team, all);
  if (shared.thrown) std::rethrow_exception(shared.thrown);
  result.stopped = shared.stop;
  result.seconds = since(began);
  return result;
}

SamplingResult stored_sampling(const Sampling& sampling, const DrawsFolder& folder) {
  SamplingResult result;
  result.folder = &folder;
  result.columns = sampling.columns().size();
  for (int k = 0; k < sampling.options.chains; ++k) {
    const StoredChain found = folder.read(k);
    ChainResult& chain = result.chains.emplace_back();
    chain.draws = found.draws;
    if (!found.damage.empty())
      result.damage.push_back(fmt::format("{} is damaged: {}", folder.chain_path(k), found.damage));
    result.complete += found.draws >= sampling.options.draws ? 1 : 0;
    Chain shape(sampling.code, sampling.options, k);
    if (found.state.empty() || !shape.restore(found.state)) continue;
    chain.step = shape.step();
    chain.metric = shape.metric();
    chain.counts = shape.counts();
    chain.gradients = shape.gradients();
    chain.warmup_seconds = shape.seconds[0];
    chain.seconds = shape.seconds[1];
    result.seconds = std::max(result.seconds, chain.warmup_seconds + chain.seconds);
  }
  return result;
}

void SamplingResult::each_block(int chain, const std::function<void(std::span<const double>)>& take) const {
  std::size_t left = static_cast<std::size_t>(draws()) * columns;
  if (left == 0) return;
  const auto some = [&](std::span<const double> rows) {
    if (left == 0) return;
    const auto block = rows.first(std::min(left, rows.size()));
    left -= block.size();
    take(block);
  };
  if (folder != nullptr) {
    folder->read(chain, some);
    if (left > 0)
      throw InputError(fmt::format("{} has fewer draws than at the first look: it was changed.",
                                   folder->chain_path(chain)));
  } else {
    some(chains[static_cast<std::size_t>(chain)].rows);
  }
}

std::vector<double> SamplingResult::column(int chain, std::size_t place) const {
  std::vector<double> values;
  each_block(chain, [&](std::span<const double> rows) {
    for (std::size_t k = place; k < rows.size(); k += columns) values.push_back(rows[k]);
  });
  return values;
}

std::vector<ChainsOfColumn> SamplingResult::gather(std::span<const std::size_t> places,
                                                   std::int64_t every) const {
  std::vector<ChainsOfColumn> out(places.size(), ChainsOfColumn(chains.size()));
  for (std::size_t k = 0; k < chains.size(); ++k) {
    std::int64_t row = 0;
    each_block(static_cast<int>(k), [&](std::span<const double> rows) {
      for (std::size_t at = 0; at < rows.size(); at += columns, ++row)
        if (row % every == 0)
          for (std::size_t j = 0; j < places.size(); ++j) out[j][k].push_back(rows[at + places[j]]);
    });
  }
  return out;
}

std::int64_t SamplingResult::draws() const {
  std::int64_t least = chains.empty() ? 0 : chains.front().draws;
  for (const ChainResult& chain : chains) least = std::min(least, chain.draws);
  return least;
}

SamplingManifest manifest_of(const Sampling& s) {
  const SamplingOptions& o = s.options;
  SamplingManifest m{
      .version = std::string(version),
      .model = s.run.name,
      .text = s.run.text,
      .files = {},
      .set = s.run.set,
      .options = Json::object({{"measure", name_of(s.code->measure)},
                               {"temperature", s.target.temperature ? Json(*s.target.temperature) : Json()},
                               {"kernel", o.kernel.kernel.text()},
                               {"friction", o.kernel.friction},
                               {"integrator", o.kernel.mover.integrator},
                               {"max_depth", o.kernel.max_depth},
                               {"warmup", o.warmup},
                               {"thin", o.thin},
                               {"seed", o.seed},
                               {"step", o.step ? Json(*o.step) : Json()},
                               {"accept", o.accept ? Json(*o.accept) : Json()},
                               {"diagonal", o.adapt_metric},
                               {"spread", o.spread}}),
      .columns = s.columns(),
      .chains = o.chains,
      .draws = o.draws};
  for (const auto& [path, text] : s.run.model.files) m.files[path] = text->text();
  return m;
}

Sampling sampling_in(const DrawsFolder& folder) {
  const SamplingManifest& m = folder.manifest();
  const Json& o = m.options;
  const auto maybe = [&](const char* key) {
    return o.at(key).is_null() ? std::nullopt : std::optional(o.at(key).number());
  };
  try {
    SamplingOptions options{.kernel = {.kernel = kernel_named(o.at("kernel").text()),
                                       .friction = o.at("friction").number(),
                                       .max_depth = o.at("max_depth").whole<int>()},
                            .draws = m.draws,
                            .warmup = o.at("warmup").whole<std::int64_t>(),
                            .thin = o.at("thin").whole<std::int64_t>(),
                            .chains = m.chains,
                            .seed = o.at("seed").whole<std::uint64_t>(),
                            .step = maybe("step"),
                            .accept = maybe("accept"),
                            .adapt_metric = o.at("diagonal").boolean(),
                            .spread = o.at("spread").number()};
    take_integrator(o.at("integrator").text(), options.kernel.mover);
    const TargetOptions target{.measure = choice_named<Measure>(o.at("measure").text()),
                               .temperature = maybe("temperature")};
    return make_sampling(model_run(m.text, m.model, {}, m.set, stored_files(m.files)), target, options);
  } catch (const JsonError& error) {
    throw InputError(fmt::format("{}: {}.", folder.folder().path_of(sampling_manifest), error.what()));
  }
}

}  // namespace taut
