// Says how it was compiled.
#include <taut/version.hpp>

#include <iostream>

int main() {
#ifdef __OPTIMIZE__
  std::cout << "optimised\n";
#else
  std::cout << "not optimised\n";
#endif
}
