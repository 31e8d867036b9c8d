#include <taut/files/standard_files.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace taut {

void open_standard_files() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    // The lowest free number is given, and those below are taken by now.
    if (::fcntl(number, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != number) ::_exit(1);
}

}  // namespace taut
