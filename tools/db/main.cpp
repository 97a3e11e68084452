#include <csignal>
#include <iostream>

#include "tools/db/cli.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return starbus::db_tool::run_db_tool({argv + 1, argv + argc}, {std::cin, std::cout, std::cerr});
}
