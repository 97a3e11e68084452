#include <iostream>

#include "tools/keygen/keygen.hpp"
#include "tools/terminal/standard_output.hpp"

int main(int argc, char** argv) {
  starbus::tools::StandardOutput out;
  const int code = starbus::keygen::run_keygen({argv + 1, argv + argc}, std::cout, std::cerr);
  return out.finish(code, "starbus-keygen");
}
