#include <iostream>

#include "tools/starbus/cli.hpp"

int main(int argc, char** argv) {
  return starbus::starter::run_starbus({argv + 1, argv + argc}, std::cout, std::cerr);
}
