// bench_compile: what a game's developer waits for. Installs the package from the build tree that
// this program stands in, and compiles projects against it: one job, no compiler cache, Debug, the
// compiler that CMake finds. Figures are seconds of a processor, not of the clock, so that they are
// right on a machine that does other work, too.
#include <filesystem>

#include "bench/compile/cases.hpp"
#include "bench/harness/process.hpp"

namespace starbus::bench::compile {
namespace {

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures how long games compile against the installed package, in processor seconds: the\n"
      "three files of a player of 50 lines, the project of `starbus new` after an edit, and many\n"
      "classes. One job, no compiler cache, Debug. The target `installable` has been built."};
  SuiteOptions suite;
  suite.repetitions = 1;
  Options options;
  add_suite_options(app, suite, "Few classes: does it work?");
  add_count(app, "--classes", options.classes, "Copies of the player; the bar is for 200");
  std::string prefix;
  app.add_option("--prefix", prefix, "Of a package that is installed, instead of this build's")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  CLI11_PARSE(app, argc, argv);
  make_quick(app, suite, "--classes", options.classes, 2);
  install_interrupt_handler();
  const std::filesystem::path program = own_executable();
  Package package(program.parent_path().parent_path(), prefix);
  return run_suite(suite, cases_of(options, package), Report("compile", Subjects{}));
}

}  // namespace
}  // namespace starbus::bench::compile

int main(int argc, char** argv) {
  return starbus::bench::compile::main_of(argc, argv);
}
