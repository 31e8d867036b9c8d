#include <taut/contract/request.hpp>
#include <taut/report/computed.hpp>
#include <taut/words/wording.hpp>

#include <fmt/chrono.h>

#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace taut {

namespace {

constexpr std::time_t last_second = 253402300799;  // The end of the year 9999.

std::time_t time_of_report() {
  const char* asked = std::getenv("SOURCE_DATE_EPOCH");
  if (asked == nullptr || *asked == '\0') return std::time(nullptr);
  const std::string_view text = asked;
  std::time_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > last_second)
    throw InputError(
        fmt::format("the environment has SOURCE_DATE_EPOCH={}, which is not a number of seconds since 1970.\n"
                    "  The date of a report comes from it: set it to a whole number, or unset it.",
                    shown(text)));
  return seconds;
}

}  // namespace

std::string date_of_report() { return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(time_of_report())); }

}  // namespace taut
