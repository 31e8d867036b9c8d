// Models: opened, described, evaluated.
#include <taut/mechanism/mechanism.hpp>
#include <taut/run/listing.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "border.hpp"
#include "describe.hpp"
#include "open_model.hpp"

namespace taut::capi {

namespace {

struct OpenedWith {
  std::vector<std::string> set = {};
  std::optional<std::map<std::string, std::string>> files = {};  // what the text names, by its path there
};

OpenedWith opened_with(const char* options_json, bool takes_files) {
  OpenedWith with;
  const Json options = object_of(options_json);
  for (const auto& [key, value] : options.members()) {
    if (key == "set") {
      add_settings(value, "", with.set);
    } else if (key == "files" && takes_files) {
      with.files.emplace();
      for (const JsonMember& file : value.members())
        with.files->emplace(file.key, text_at("files." + file.key, file.value));
    } else {
      throw InputError(fmt::format(
          "a model is {}, not with {}.",
          takes_files ? "read with the options `set` and `files`" : "opened with the option `set` alone",
          ticked(key)));
    }
  }
  return with;
}

Evaluated evaluated_named(const char* what) {
  need(what, "what");
  if (const auto found = choice_named<Evaluated>(what)) return *found;
  throw CallError(
      fmt::format("there is no {} to evaluate: {}.", ticked(what), in_words(choice_names<Evaluated>, "or")));
}

std::pair<std::int64_t, std::int64_t> shape_of(const Mechanism& mechanism, Evaluated what) {
  const std::int64_t n = mechanism.coordinates(), m = mechanism.constraints();
  switch (what) {
    case Evaluated::H:
    case Evaluated::V:
      return {1, 1};
    case Evaluated::H_q:
    case Evaluated::H_p:
      return {n, 1};
    case Evaluated::g:
    case Evaluated::GHp:
    case Evaluated::lambda:
      return {m, 1};
    case Evaluated::G:
      return {m, n};
  }
  return {0, 0};
}

bool needs_momenta(Evaluated what) {
  return what != Evaluated::V && what != Evaluated::g && what != Evaluated::G;
}

// Turns a stride in bytes into one in numbers.
std::int64_t numbers_in(std::int64_t stride, std::string_view name) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(double));
  if (stride % size != 0)
    throw CallError(fmt::format("{} is {} bytes, which is not a whole number of numbers.", name, stride));
  return stride / size;
}

void check_count(std::int64_t count) {
  if (count < 0) throw CallError(fmt::format("count is {}; it cannot be negative.", count));
}

}  // namespace

}  // namespace taut::capi

using namespace taut::capi;

int taut_methods(char** json) {
  return guarded([&] {
    need(json, "json");
    *json = handed_out(taut::methods_as_json().to_text(2));
    return TAUT_OK;
  });
}

int taut_problems(char** json) {
  return guarded([&] {
    need(json, "json");
    *json = handed_out(taut::as_json(taut::bundled_problems()).to_text(2));
    return TAUT_OK;
  });
}

int taut_model_open(const char* name_or_path, const char* options_json, taut_model** model) {
  return guarded([&] {
    need(model, "model");
    *model = nullptr;
    need(name_or_path, "name_or_path");
    *model = new taut_model{open_model(name_or_path, opened_with(options_json, false).set)};
    return TAUT_OK;
  });
}

int taut_model_parse(const char* text, const char* name, const char* folder, const char* options_json,
                     taut_model** model) {
  return guarded([&] {
    need(model, "model");
    *model = nullptr;
    need(text, "text");
    OpenedWith with = opened_with(options_json, true);
    *model = new taut_model{std::make_shared<OpenModel>(
        text, name == nullptr || *name == '\0' ? "model" : name,
        with.files ? taut::stored_files(*with.files)
                   : taut::files_in(folder == nullptr || *folder == '\0' ? "." : folder),
        std::move(with.set))};
    return TAUT_OK;
  });
}

void taut_model_free(taut_model* model) { delete model; }

int taut_model_set_functions(taut_model* model, const taut_functions* functions) {
  return guarded([&] {
    need(model, "model");
    need(functions, "functions");
    model->open->set_functions({.V = functions->V,
                                .grad_V = functions->grad_V,
                                .H = functions->H,
                                .H_q = functions->H_q,
                                .H_p = functions->H_p,
                                .H_pp_v = functions->H_pp_v,
                                .g = functions->g,
                                .G = functions->G});
    return TAUT_OK;
  });
}

int taut_model_describe(taut_model* model, char** json) {
  return guarded([&] {
    need(model, "model");
    need(json, "json");
    *json = handed_out(description_of(*model->open).to_text(2));
    return TAUT_OK;
  });
}

int taut_evaluate_shape(taut_model* model, const char* what, int64_t* rows, int64_t* columns) {
  return guarded([&] {
    need(model, "model");
    need(rows, "rows");
    need(columns, "columns");
    std::tie(*rows, *columns) = shape_of(*model->open->reading()->mechanism, evaluated_named(what));
    return TAUT_OK;
  });
}

int taut_evaluate(taut_model* model, const char* what, int64_t count, const double* q, int64_t q_stride,
                  const double* p, int64_t p_stride, double* out) {
  return guarded([&] {
    need(model, "model");
    const taut::Evaluated wanted = evaluated_named(what);
    check_count(count);
    if (count == 0) return TAUT_OK;
    need(q, "q");
    if (needs_momenta(wanted)) need(p, "p");
    const auto run = model->open->reading();
    const auto [rows, columns] = shape_of(*run->mechanism, wanted);
    if (rows * columns == 0) return TAUT_OK;
    need(out, "out");
    const taut::StatesToEvaluate states{
        .count = count,
        .q = q,
        .q_stride = numbers_in(q_stride, "q_stride"),
        .p = needs_momenta(wanted) ? p : nullptr,
        .p_stride = needs_momenta(wanted) ? numbers_in(p_stride, "p_stride") : 0};
    if (!run->mechanism->evaluate(wanted, states, out))
      throw taut::InputError("the model has no V: its Hamiltonian is not ½ pᵀWp + V(q).");
    return TAUT_OK;
  });
}

int taut_project(taut_model* model, int64_t count, double* q, double* p, double* moved) {
  return guarded([&]() -> int {
    need(model, "model");
    check_count(count);
    if (count == 0) return TAUT_OK;
    need(q, "q");
    need(p, "p");
    const auto run = model->open->reading();
    const auto n = static_cast<std::int64_t>(run->mechanism->coordinates());
    std::int64_t missed = 0, first = -1;
    std::string why;
    for (std::int64_t k = 0; k < count; ++k, q += n, p += n) {
      taut::PlainState x{{q, q + n}, {p, p + n}};
      const auto move = run->mechanism->project(x);
      if (move) {
        std::copy(x.q.begin(), x.q.end(), q);
        std::copy(x.p.begin(), x.p.end(), p);
      } else if (missed++ == 0) {
        first = k;
        why = fmt::format("residual {:.1e} after {} iterations", move.error().residual,
                          move.error().iterations);
      }
      if (moved != nullptr) {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        moved[2 * k] = move ? move->q : none;
        moved[2 * k + 1] = move ? move->p : none;
      }
    }
    if (missed == 0) return TAUT_OK;
    return remember(
        TAUT_FAILED, "failed",
        fmt::format("{} of {} states could not be brought onto the manifold; the first is state {} "
                    "(from 0): {}. Begin nearer to it.",
                    missed, count, first, why));
  });
}
