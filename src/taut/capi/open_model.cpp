#include "open_model.hpp"

#include <taut/contract/request.hpp>
#include <taut/mechanism/make_mechanism.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "border.hpp"

namespace taut::capi {

namespace {

constexpr std::size_t most_variants = 16;  // settings of which readings are kept

// Writes a start as settings, which a run that is kept in a folder can be made from again.
void add_start(const ModelRun& run, const PlainState& start, std::vector<std::string>& set) {
  if (run.model.particles)
    throw InputError(
        "a start of one's own for a system of particles cannot be kept in a folder: leave out `out`, or "
        "write the "
        "start into [particles].");
  const std::vector<std::string> names = run.columns();
  const std::size_t n = start.q.size();
  for (std::size_t j = 0; j < n; ++j) {
    set.push_back(fmt::format("{}={}", names[j], start.q[j]));
    set.push_back(fmt::format("{}={}", names[n + j], start.p[j]));
  }
}

void take_list(const char* key, const Json& value, std::vector<double>& into) {
  std::vector<double> numbers = numbers_at(fmt::format("start.{}", key), value);
  if (numbers.size() != into.size())
    throw InputError(fmt::format("start.{} has {} numbers, and the model has {} coordinates.", key,
                                 numbers.size(), into.size()));
  into = std::move(numbers);
}

}  // namespace

OpenModel::OpenModel(std::string text, std::string name, Surroundings around, std::vector<std::string> set)
    : text_(std::move(text)), name_(std::move(name)), around_(std::move(around)), set_(std::move(set)) {
  free_[{}].push_back(std::make_unique<ModelRun>(read({}, {})));
}

ModelRun OpenModel::read(const RunRequest& request, const std::vector<std::string>& more) const {
  std::vector<std::string> set = set_;
  set.insert(set.end(), more.begin(), more.end());
  ModelRun run = model_run(text_, name_, request, set, around_);
  if (functions_) {
    run.system = with_functions(*run.system, *functions_);
    run.mechanism = make_mechanism(run.system);
    run.request.backend = Backend::interpret;
  }
  return run;
}

void OpenModel::check(const RunRequest& request) const {
  if (!functions_) return;
  const auto refuse = [&](const char* what) {
    throw InputError(fmt::format("{} has functions of the caller: {}.", name_, what));
  };
  if (request.backend != Backend::automatic && request.backend != Backend::interpret)
    refuse("they cannot be compiled. Leave out the option backend");
  if (request.precision != Precision::double_precision)
    refuse("they are known in double precision alone. Leave out the option precision");
  if (!request.out.empty())
    refuse(
        "a run of it cannot be kept in a folder, because `taut resume` could not go on. Leave out the option "
        "out");
}

void OpenModel::set_functions(const ForeignFunctions& functions) {
  const ModelRun plain = read({}, {});
  if (plain.model.particles) throw InputError("a system of particles cannot have functions of the caller.");
  with_functions(*plain.system, functions);  // throws if they do not fit
  const std::scoped_lock lock(mutex_);
  functions_ = functions;
  free_.clear();
}

OpenModel::Lease::~Lease() {
  if (run_ && from_) from_->give_back(key_, std::move(run_));
}

void OpenModel::give_back(const std::vector<std::string>& key, std::unique_ptr<ModelRun> run) {
  try {
    run->asked = {};
    run->request = {};
    const std::scoped_lock lock(mutex_);
    if (free_.size() >= most_variants && !free_.contains(key))
      std::erase_if(free_, [](const auto& entry) { return !entry.first.empty(); });
    free_[key].push_back(std::move(run));
  } catch (...) {  // NOLINT(bugprone-empty-catch): without memory the next call reads the model again
  }
}

OpenModel::Lease OpenModel::reading(const std::vector<std::string>& more) {
  std::unique_ptr<ModelRun> run;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto at = free_.find(more); at != free_.end() && !at->second.empty()) {
      run = std::move(at->second.back());
      at->second.pop_back();
    }
  }
  if (!run) {
    run = std::make_unique<ModelRun>(read({}, more));
  }
  run->request = run->requested({});
  if (functions_) run->request.backend = Backend::interpret;
  run->request.out.clear();
  return {shared_from_this(), more, std::move(run)};
}

OpenModel::Lease OpenModel::reading(const Options& options) {
  check(options.request);
  std::vector<std::string> more = options.set;
  const bool has_start = !options.start.is_null();
  const bool wide = options.request.precision != Precision::double_precision;
  if (has_start && (wide || !options.request.out.empty())) {
    const Lease plain = reading(more);
    add_start(*plain, start_of(*plain, options.start), more);
  }
  if (wide) {  // more digits than a double has are read from the text
    auto run = std::make_unique<ModelRun>(read(options.request, more));
    run->request.out = options.request.out;
    return {nullptr, {}, std::move(run)};
  }
  Lease run = reading(more);
  run->asked = options.request;
  run->request = run->requested(options.request);
  if (functions_) run->request.backend = Backend::interpret;
  run->request.out = options.request.out;
  if (has_start && options.request.out.empty()) run->request.start = start_of(*run, options.start);
  return run;
}

ModelRun OpenModel::fresh(const Options& options) {
  check(options.request);
  std::vector<std::string> more = options.set;
  if (!options.start.is_null()) {
    const Lease plain = reading(options.set);
    add_start(*plain, start_of(*plain, options.start), more);
  }
  ModelRun run = read(options.request, more);
  run.request.out = options.request.out;
  return run;
}

std::shared_ptr<OpenModel> open_model(const std::string& name_or_path, std::vector<std::string> set) {
  FoundModel found = find_model(name_or_path);
  return std::make_shared<OpenModel>(std::move(found.text), name_or_path, std::move(found.around),
                                     std::move(set));
}

PlainState start_of(const ModelRun& run, const Json& start) {
  PlainState x = run.mechanism->start();
  if (start.is_null()) return x;
  std::vector<std::string> names;
  try {
    start.members();
  } catch (const JsonError&) {
    throw InputError("the option start takes an object: {\"q\": [...], \"p\": [...]}, or values by name.");
  }
  for (const JsonMember& member : start.members()) {
    const bool is_list = !member.value.is_text() && member.value.is_list();
    if (is_list && member.key == "q") {
      take_list("q", member.value, x.q);
      continue;
    }
    if (is_list && member.key == "p") {
      take_list("p", member.value, x.p);
      continue;
    }
    if (names.empty()) names = run.columns();
    const auto at = std::find(names.begin(), names.end(), member.key);
    if (at == names.end())
      throw InputError(fmt::format("the option start names {}, which is no coordinate and no momentum. {}",
                                   ticked(member.key), known_names("known:", member.key, names)));
    const auto k = static_cast<std::size_t>(at - names.begin());
    (k < x.q.size() ? x.q[k] : x.p[k - x.q.size()]) = number_at("start." + member.key, member.value);
  }
  return x;
}

}  // namespace taut::capi
