#include <iostream>

#include "tools/starbus/cli.hpp"
#include "tools/terminal/standard_output.hpp"

int main(int argc, char** argv) {
  starbus::tools::StandardOutput out;
  const int code = starbus::starter::run_starbus({argv + 1, argv + argc}, std::cout, std::cerr);
  return out.finish(code, "starbus");
}
