/// starbus-catalogue: writes the reference pages of errors and limits from the tables in the code.
///
///   starbus-catalogue --markdown errors > docs/reference/errors.md
///
/// scripts/docs does this for both pages. Exit code 2 for a wrong command line.
#include <cstdio>
#include <iostream>
#include <string_view>

#include "tools/catalogue/pages.hpp"

int main(int argc, char** argv) {
  const std::string_view option = argc == 3 ? argv[1] : "";
  const std::string_view page = argc == 3 ? argv[2] : "";
  if (option == "--markdown" && page == "errors") {
    std::cout << starbus::catalogue::errors_page();
  } else if (option == "--markdown" && page == "limits") {
    std::cout << starbus::catalogue::limits_page();
  } else {
    std::cerr << "usage: starbus-catalogue --markdown errors|limits\n";
    return 2;
  }
  return std::cout.flush() ? 0 : 1;
}
