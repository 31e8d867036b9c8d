// The border between C and C++: nothing is thrown across it, and what went wrong is kept for the thread that
// asked.
#pragma once

#include <taut/bytes/json.hpp>
#include <taut/contract/request.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "taut.h"

namespace taut::capi {

// An argument of a call makes no sense.
struct CallError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The caller's watch ended what he waited for, and nothing of it is handed out.
struct StoppedByCaller {};

// Keeps an error for taut_last_error and returns its status. `more` has further members of the JSON object.
int remember(int status, std::string_view kind, std::string sentence, Json more = Json::object()) noexcept;
// Does so for the exception that is being handled.
int remember_exception() noexcept;

// Calls f, which returns a status, and turns what it throws into one.
template <class F>
int guarded(F&& f) noexcept {
  try {
    return std::forward<F>(f)();
  } catch (...) {
    return remember_exception();
  }
}

// Throws CallError if a pointer is null.
void need(const void* pointer, std::string_view name);

// Returns the text as memory that taut_free gives back.
char* handed_out(std::string_view text);

// Writes a sentence of the program in the words of a caller: options have no dashes in front.
std::string in_options(std::string sentence);

}  // namespace taut::capi
