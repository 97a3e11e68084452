#include <iostream>

#include "tools/aoi-view/cli.hpp"

int main(int argc, char** argv) {
  return starbus::aoi_view::run_aoi_view({argv + 1, argv + argc}, std::cout, std::cerr);
}
