#include <iostream>

#include "tools/keygen/keygen.hpp"

int main(int argc, char** argv) {
  return starbus::keygen::run_keygen({argv + 1, argv + argc}, std::cout, std::cerr);
}
