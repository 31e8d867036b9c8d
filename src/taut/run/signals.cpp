#include <taut/run/signals.hpp>

#include <array>
#include <csignal>

namespace taut {

namespace {

constexpr std::array stopping = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t noted = 0;

void note(int signal) { noted = signal; }

}  // namespace

StopSignals::StopSignals() {
  noted = 0;
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : stopping) {
    struct sigaction before{};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // else it stays ignored: nohup
  }
}

StopSignals::~StopSignals() {
  for (const int signal : stopping) {
    struct sigaction now{};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == note) std::signal(signal, SIG_DFL);
  }
}

int StopSignals::caught() { return noted; }

const char* StopSignals::name(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

}  // namespace taut
