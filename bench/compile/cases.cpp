#include "bench/compile/cases.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <filesystem>

namespace starbus::bench::compile {
namespace {

namespace fs = std::filesystem;
using enum Bar::Kind;

constexpr int kClassesOfTheBar = 200;
constexpr int kBatch = 20;
constexpr double kBarOfTheFiles = 12;     // seconds
constexpr double kBarOfTheEdit = 15;      // seconds
constexpr double kBarOfTheClasses = 360;  // seconds

// Steps of a case, each with its cost; the first that fails ends it.
class Steps {
 public:
  void run(const std::string& metric, const std::vector<std::string>& command) {
    if (!failure_.what.empty()) return;
    const auto cost = cost_of(command);
    if (cost && !metric.empty()) metrics_[metric] = *cost;
    if (!cost) failure_ = cost.error();
  }
  void write(const std::string& path, const std::string& text) {
    if (!failure_.what.empty()) return;
    if (const auto written = write_text(path, text); !written) failure_ = written.error();
  }
  Result<Metrics> end() const {
    if (!failure_.what.empty()) return failure_;
    return metrics_;
  }

 private:
  Metrics metrics_;
  Failure failure_;
};

std::string source(const std::string& path) {
  return std::string(STARBUS_BENCH_SOURCE) + "/" + path;
}

// The player of the tests, and the shop that it asks, beside each other. Empty: it is not there.
std::string player_text() {
  const auto text = read_text(source("tests/nodes/hosting/player/player.hpp"));
  return text ? boost::replace_all_copy(*text, "tests/nodes/hosting/player/", "") : "";
}

// A new folder with the project.
std::string begin(const Package& package, const std::string& name, Steps& steps) {
  const std::string folder = package.folder() + "/" + name;
  fs::remove_all(folder);
  fs::copy(source("bench/compile/project"), folder);
  fs::copy_file(source("tests/nodes/hosting/player/shop.hpp"), folder + "/shop.hpp");
  steps.write(folder + "/player.hpp", player_text());
  return folder;
}

std::vector<std::string> configure(const std::string& folder, const std::string& variable) {
  return {"cmake",        "-S", folder, "-B", folder + "/build", "-DCMAKE_BUILD_TYPE=Debug",
          "-D" + variable};
}

std::vector<std::string> build(const std::string& folder, const std::string& target) {
  return {"cmake", "--build", folder + "/build", "--parallel", "1", "--target", target};
}

Result<Metrics> run_player(Package& package, bool precompiled) {
  Steps steps;
  const std::string folder = begin(package, "player", steps);
  steps.run("", configure(folder, std::string("PRECOMPILE=") + (precompiled ? "ON" : "OFF")));
  if (precompiled) steps.run("header", build(folder, "starbus_precompiled"));
  steps.run("files", build(folder, "game"));
  return steps.end();
}

Result<Metrics> run_edit(Package& package) {
  Steps steps;
  const std::string folder = package.folder() + "/edited";
  fs::remove_all(folder);
  steps.run("", {"starbus", "new", "edited", "--in", package.folder()});
  const std::string at = folder + "/build/debug";
  steps.run("", {"cmake", "-S", folder, "-B", at, "-DCMAKE_BUILD_TYPE=Debug"});
  const std::vector<std::string> all{"cmake", "--build", at, "--parallel", "1"};
  steps.run("first", all);
  steps.run("", {"touch", folder + "/src/player.hpp"});
  steps.run("edit", all);
  return steps.end();
}

// Copies of the player with names of their own, each of which is made in a file of its own.
void write_classes(const std::string& folder, int count, Steps& steps) {
  fs::create_directory(folder + "/classes");
  fs::remove(folder + "/player.cpp");
  const std::string text = player_text();
  std::string declared;
  std::string made;
  for (int number = 1; number <= count; ++number) {
    const std::string id = std::to_string(number);
    std::string copy = boost::replace_all_copy(text, "\"shop.hpp\"", "\"../shop.hpp\"");
    for (const char* const name : {"Item", "Backpack", "Player"})
      boost::replace_all(copy, name, name + id);
    const std::string file = folder + "/classes/player_" + id;
    steps.write(file + ".hpp", copy);
    const std::string function =
        "void declare_" + id + "(starbus::nodes::entities::EntityHost& host)";
    steps.write(file + ".cpp", "#include \"player_" + id +
                                   ".hpp\"\n#include \"nodes/hosting/entity_host.hpp\"\n" +
                                   "namespace game {\n" + function + " {\n  host.declare<Player" +
                                   id + ">();\n}\n}\n");
    declared += function + ";\n";
    made += "    game::declare_" + id + "(*host_);\n";
  }
  const auto host = read_text(folder + "/host.cpp");
  std::string main = host ? *host : "";
  boost::replace_all(main, "#include \"player.hpp\"\n", "namespace game {\n" + declared + "}\n");
  boost::replace_all(main, "    host_->declare<game::Player>();\n", made);
  steps.write(folder + "/classes/main.cpp", main);
}

// `batch`: so many files are compiled as one (CMake's unity build); 1: each by itself.
Result<Metrics> run_classes(Package& package, int count, int batch) {
  Steps steps;
  const std::string folder = begin(package, "classes", steps);
  write_classes(folder, count, steps);
  auto command = configure(folder, "CLASSES=" + std::to_string(count));
  if (batch > 1) {
    command.insert(command.end(), {"-DCMAKE_UNITY_BUILD=ON",
                                   "-DCMAKE_UNITY_BUILD_BATCH_SIZE=" + std::to_string(batch)});
  }
  steps.run("", command);
  steps.run("header", build(folder, "starbus_precompiled"));
  steps.run("rest", build(folder, "game"));
  const auto metrics = steps.end();
  if (!metrics) return metrics;
  const double all = metrics->at("header") + metrics->at("rest");
  return Metrics{{"all", all}, {"each", metrics->at("rest") / count}};
}

}  // namespace

std::vector<SuiteCase> cases_of(const Options& options, Package& package) {
  const auto installed = [&package](auto run) {
    return [&package, run](const std::string&, int) -> Result<Metrics> {
      if (const auto done = package.install(); !done) return done.error();
      return run(package);
    };
  };
  const auto row = [](const char* name, const char* of, const char* metric, std::string note,
                      std::optional<Bar> bar = {}) {
    return Row{name, "s", {of, metric}, {}, bar, std::move(note)};
  };
  const std::string count = std::to_string(options.classes);
  const auto bar_of_classes = options.classes == kClassesOfTheBar
                                  ? std::optional(Bar{at_most, kBarOfTheClasses})
                                  : std::nullopt;
  std::vector<SuiteCase> cases(5);
  cases[0] = {.name = "player", .about = "the three files of a player, with precompiled headers"};
  cases[0].run = installed([](Package& there) { return run_player(there, true); });
  cases[0].rows = {
      row("player", "player", "files", "a player's header alone, its host, its caller",
          Bar{at_most, kBarOfTheFiles}),
      row("player.header", "player", "header", "the headers of starbus, once in a project")};
  cases[1] = {.name = "player.plain", .about = "the same without"};
  cases[1].run = installed([](Package& there) { return run_player(there, false); });
  cases[1].rows = {
      row("player.plain", "player.plain", "files", "the three files, nothing is precompiled")};
  cases[2] = {.name = "edit",
              .about = "the project that `starbus new` writes, after an edit of a header"};
  cases[2].run = installed(run_edit);
  cases[2].rows = {
      row("edit", "edit", "edit", "the template's project after an edit of src/player.hpp",
          Bar{at_most, kBarOfTheEdit}),
      row("edit.first", "edit", "first", "all of it, the first time")};
  cases[3] = {.name = "classes", .about = count + " classes of the player's size, each in a file"};
  cases[3].run =
      installed([&options](Package& there) { return run_classes(there, options.classes, 1); });
  cases[3].rows = {
      row("classes", "classes", "all", count + " classes, and the headers of starbus once",
          bar_of_classes),
      row("classes.each", "classes", "each", "one of them, with its share of the link")};
  cases[4] = {.name = "classes.batched",
              .about = "the same in batches of 20 files, by CMake's unity build"};
  cases[4].run =
      installed([&options](Package& there) { return run_classes(there, options.classes, kBatch); });
  cases[4].rows = {row("classes.batched", "classes.batched", "all",
                       "all, 20 files at a time (CMAKE_UNITY_BUILD)"),
                   row("classes.batched.each", "classes.batched", "each", "one of them")};
  return cases;
}

}  // namespace starbus::bench::compile
