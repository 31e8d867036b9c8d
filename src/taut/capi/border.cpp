#include "border.hpp"

#include <taut/run/model_run.hpp>
#include <taut/version.hpp>
#include <taut/words/wording.hpp>

#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

namespace taut::capi {

namespace {

struct LastError {
  std::string sentence, json;
  const char* fixed = nullptr;  // if there was no memory for a sentence
};

// The error of each thread is made when the first call fails there.
LastError& last_error() {
  static thread_local LastError error;
  return error;
}

constexpr std::string_view flags[] = {"method",
                                      "formulation",
                                      "projection",
                                      "projection-tolerance",
                                      "steps",
                                      "step",
                                      "until",
                                      "every",
                                      "set",
                                      "quantity",
                                      "lambda",
                                      "local-error",
                                      "tolerance",
                                      "first-guess",
                                      "stop-rule",
                                      "error-tolerance",
                                      "out",
                                      "format",
                                      "on-failure",
                                      "on-jump",
                                      "overwrite",
                                      "checkpoint-every",
                                      "solver",
                                      "plain-updates",
                                      "backend",
                                      "project-start",
                                      "threads",
                                      "precision",
                                      "vary",
                                      "size",
                                      "seed",
                                      "grid",
                                      "table",
                                      "lanes",
                                      "methods",
                                      "steps-ladder",
                                      "ladder-time",
                                      "device",
                                      "step-function",
                                      "shortest-step",
                                      "longest-step",
                                      "interval",
                                      "event",
                                      "at",
                                      "measure",
                                      "temperature",
                                      "kernel",
                                      "chains",
                                      "draws",
                                      "warmup",
                                      "thin",
                                      "accept",
                                      "metric",
                                      "friction",
                                      "max-depth",
                                      "inits",
                                      "spread",
                                      "integrator",
                                      "of",
                                      "count",
                                      "window",
                                      "exponents",
                                      "block",
                                      "period",
                                      "vectors",
                                      "covariance",
                                      "density"};

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

Json places_of(const std::vector<ModelError>& errors) {
  Json list = Json::list();
  for (const ModelError& error : errors) {
    Json one = Json::object({{"origin", in_options(error.origin)}, {"sentence", error.sentence}});
    if (error.line > 0) {
      one["line"] = error.line;
      one["column"] = error.column;
    }
    if (!error.note.empty()) one["note"] = error.note;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

std::string in_options(std::string sentence) {
  for (std::size_t at = sentence.find("--"); at != std::string::npos; at = sentence.find("--", at + 1)) {
    if (at > 0 && (is_letter(sentence[at - 1]) || sentence[at - 1] == '.')) continue;
    std::size_t end = at + 2;
    while (end < sentence.size() && is_letter(sentence[end])) ++end;
    const std::string_view name = std::string_view(sentence).substr(at + 2, end - at - 2);
    for (const std::string_view flag : flags)
      if (flag == name) {
        sentence.erase(at, 2);
        break;
      }
  }
  return sentence;
}

int remember(int status, std::string_view kind, std::string sentence, Json more) noexcept {
  try {
    LastError& last = last_error();
    last.fixed = nullptr;
    std::string words = in_options(std::move(sentence));
    Json object = Json::object({{"status", status}, {"kind", kind}, {"sentence", words}});
    for (const JsonMember& member : more.members()) object[member.key] = member.value;
    last.json = object.to_text();
    last.sentence = std::move(words);
  } catch (...) {
    last_error().fixed = "there is not enough memory.";
    return status == TAUT_FAILED || status == TAUT_STOPPED ? status : TAUT_NO_MEMORY;
  }
  return status;
}

int remember_exception() noexcept {
  try {
    throw;
  } catch (const CallError& error) {
    return remember(TAUT_BAD_CALL, "call", error.what());
  } catch (const ModelFileError& error) {
    try {
      return remember(TAUT_BAD_INPUT, "model", error.what(),
                      Json::object({{"errors", places_of(error.errors)}}));
    } catch (...) {
      return remember(TAUT_BAD_INPUT, "model", error.what());
    }
  } catch (const ChoiceError& error) {
    return remember(TAUT_BAD_INPUT, "choice", error.what(), Json::object({{"key", error.key}}));
  } catch (const InputError& error) {
    return remember(TAUT_BAD_INPUT, "input", error.what());
  } catch (const JsonError& error) {
    return remember(TAUT_BAD_INPUT, "input", error.what());
  } catch (const MemoryError& error) {
    return remember(TAUT_NO_MEMORY, "memory", error.what());
  } catch (const std::bad_alloc&) {
    last_error().fixed = "there is not enough memory.";
    return TAUT_NO_MEMORY;
  } catch (const WriteError& error) {
    return remember(TAUT_FAILED, "write", error.what());
  } catch (const StoppedByCaller&) {
    return remember(TAUT_STOPPED, "stopped", "stopped by the caller before it came to its end.");
  } catch (const StoppedWhileCompiling&) {
    return remember(TAUT_STOPPED, "stopped", "stopped while the step was compiled; nothing has begun.");
  } catch (const std::exception& error) {
    return remember(TAUT_INTERNAL, "internal",
                    std::string("an error of the library itself: ") + error.what());
  } catch (...) {
    return remember(TAUT_INTERNAL, "internal", "an error of the library itself, of an unknown kind.");
  }
}

void need(const void* pointer, std::string_view name) {
  if (pointer == nullptr) throw CallError(std::string(name) + " is a null pointer.");
}

char* handed_out(std::string_view text) {
  char* const memory = static_cast<char*>(std::malloc(text.size() + 1));
  if (memory == nullptr) throw std::bad_alloc();
  std::memcpy(memory, text.data(), text.size());
  memory[text.size()] = '\0';
  return memory;
}

}  // namespace taut::capi

using namespace taut::capi;

int taut_abi_version(void) { return TAUT_ABI_VERSION; }

const char* taut_version(void) { return taut::version.data(); }

const char* taut_last_error(void) {
  const LastError& last = last_error();
  return last.fixed != nullptr ? last.fixed : last.sentence.c_str();
}

const char* taut_last_error_json(void) {
  const LastError& last = last_error();
  if (last.fixed != nullptr)
    return R"({"status": 5, "kind": "memory", "sentence": "there is not enough memory."})";
  return last.json.empty() ? "{}" : last.json.c_str();
}

void taut_free(char* text) { std::free(text); }
