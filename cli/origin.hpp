// The origin of a report: the command that was typed, and the date.
#pragma once

#include <taut/report/computed.hpp>

namespace taut::cli {

// Remembers the words of the command line; once, at the beginning of the program.
void remember_command(int argc, char** argv);

// The date is the time now, or that of SOURCE_DATE_EPOCH, so that two pages of the same run can be compared.
// Throws InputError if that variable is not a number of seconds.
Origin origin_of_report();

}  // namespace taut::cli
