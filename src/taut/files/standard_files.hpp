#pragma once

namespace taut {

// Opens /dev/null in the place of standard input, output and error if they are closed. Otherwise the first
// files that a program opens would take their numbers, and what is printed would go into them.
void open_standard_files();

}  // namespace taut
