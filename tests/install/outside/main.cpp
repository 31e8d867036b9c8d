// A program outside the source tree, built against the installed package alone.
#include <iostream>

#include <taut/version.hpp>

int main() { std::cout << "taut " << taut::version << '\n'; }
