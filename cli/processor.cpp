// Says in words that the program was built for another processor, which would otherwise end it without one.
// This file is compiled for every processor, and its function is called before any other of the program.
// The build defines TAUT_BUILT_WITH as the list of what its compiler assumed: TAUT_ASK("avx") TAUT_ASK("fma")
#ifdef TAUT_BUILT_WITH

#include <unistd.h>

#include <cstring>

namespace {

void say(const char* words) {
  // If nobody reads the sentence, the exit status is all that is left.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, words, std::strlen(words));
}

[[gnu::constructor(101)]] void ask_the_processor() {
  __builtin_cpu_init();
  const char* missing = nullptr;
#define TAUT_ASK(extension) \
  if (!__builtin_cpu_supports(extension)) missing = extension;
  TAUT_BUILT_WITH
#undef TAUT_ASK
  if (missing == nullptr) return;
  say("taut: this program was built for another processor: it uses ");
  say(missing);
  say(", which this one does not have.\n  Build it on this machine, or with cmake -D TAUT_NATIVE=OFF for "
      "any.\n");
  _exit(1);
}

}  // namespace

#endif
