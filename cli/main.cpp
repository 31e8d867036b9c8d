#include <fmt/core.h>

#include <taut/version.hpp>

int main() { fmt::print("taut {}\n", taut::version); }
