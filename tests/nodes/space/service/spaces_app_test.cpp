/// The program: its keys, its files, and a reload.
#include "nodes/space/service/spaces_app.hpp"

#include <csignal>

#include "nodes/space/service/limits.hpp"
#include "tests/nodes/runtime/node_fixture.hpp"

namespace starbus::nodes::space {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTownFile =
    "[[space]]\ntype = 'town'\ncapacity = 10\nmin = [0, 0]\nmax = [9, 9]\n";
constexpr const char* kArenaFile =
    "[[space]]\ntype = 'arena'\ncapacity = 10\nmin = [0, 0]\nmax = [9, 9]\n";

class SpacesSettingsTest : public ::testing::Test {
 protected:
  /// The problems; empty: none.
  std::string read(const std::string& text) {
    auto reader = daemon::ConfigReader::parse(text, "spaces.toml").value();
    settings_ = read_spaces_settings(reader);
    return reader.finish().error().detail;
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  daemon::test::TempFolder folder_;
  SpacesSettings settings_;
};

TEST_F(SpacesSettingsTest, TypesOfAllFilesAreTogether) {
  folder_.write("a.toml", kTownFile);
  folder_.write("b.toml", kArenaFile);
  EXPECT_EQ(read("[spaces]\nfiles = ['" + path("a.toml") + "', '" + path("b.toml") + "']\n"), "");
  EXPECT_EQ(settings_.types.size(), 2u);
  EXPECT_EQ(settings_.types.at("arena").capacity, 10u);
}

TEST_F(SpacesSettingsTest, AllProblemsOfAllFilesAreNamedAtOnce) {
  folder_.write("a.toml", "[[space]]\ntype = 'town'\ncapacity = 0\nminimum = [0, 0]\n");
  folder_.write("b.toml", std::string(kArenaFile) + kArenaFile);
  const std::string problems = read("[spaces]\nfiles = ['" + path("a.toml") + "', '" +
                                    path("b.toml") + "', '" + path("none.toml") + "']\nfile = 1\n");
  EXPECT_THAT(problems, HasSubstr("a.toml:3:"));
  EXPECT_THAT(problems, HasSubstr("unknown key 'minimum'"));
  EXPECT_THAT(problems, HasSubstr("'arena' is there twice"));
  EXPECT_THAT(problems, HasSubstr("none.toml"));
  EXPECT_THAT(problems, HasSubstr("unknown key 'file'"));
}

TEST_F(SpacesSettingsTest, ATypeStandsOnceInAllFiles) {
  folder_.write("a.toml", kTownFile);
  folder_.write("b.toml", std::string(kArenaFile) + kTownFile);
  EXPECT_THAT(read("[spaces]\nfiles = ['" + path("a.toml") + "', '" + path("b.toml") + "']\n"),
              HasSubstr("b.toml:7:8: 'type': 'town' is there twice"));
}

TEST_F(SpacesSettingsTest, TheNextPlaceIsATypeWithoutKeysOfAnyFile) {
  folder_.write("town.toml", kTownFile);
  folder_.write("arena.toml", std::string(kArenaFile) + "scope = 'key'\nnext = 'town'\n");
  folder_.write(
      "duel.toml",
      "[[space]]\ntype = 'duel'\ncapacity = 2\nmin = [0, 0]\nmax = [9, 9]\nnext = 'arena'\n");
  const auto files = [&](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += "'" + path(name) + "', ";
    return "[spaces]\nfiles = [" + text + "]\n";
  };
  EXPECT_EQ(read(files({"town.toml", "arena.toml"})), "");
  EXPECT_EQ(settings_.types.at("arena").next, "town");
  EXPECT_THAT(read(files({"arena.toml"})),
              HasSubstr("type 'arena', 'next': 'town': no file has that type"));
  EXPECT_THAT(read(files({"town.toml", "arena.toml", "duel.toml"})),
              HasSubstr("type 'duel', 'next': 'arena': its places have keys"));
}

TEST_F(SpacesSettingsTest, FilesAreNeeded) {
  EXPECT_THAT(read(""), HasSubstr("'files': missing"));
}

TEST_F(SpacesSettingsTest, FilesAreBounded) {
  std::string files;
  for (std::size_t i = 0; i <= kMaxSpaceFiles; ++i) files += "'" + std::to_string(i) + "', ";
  EXPECT_THAT(read("[spaces]\nfiles = [" + files + "]\n"), HasSubstr("'files': at most 64"));
}

/// Says when the node is ready.
class WatchedSpaces final : public SpacesApp {
 public:
  explicit WatchedSpaces(std::function<void(Node&)> ready) : ready_(std::move(ready)) {}
  bus::Result<> start(Node& node) override {
    node.on_state([this, &node](NodeState state) {
      if (state == NodeState::ready) ready_(node);
    });
    return SpacesApp::start(node);
  }

 private:
  const std::function<void(Node&)> ready_;
};

class SpacesAppTest : public NodeTest {
 protected:
  int run_spaces(const std::string& endpoint, std::function<void(Node&)> ready) {
    const auto state = (folder_.path() / "state").string();
    const auto log = (folder_.path() / "log").string();
    const auto types = (folder_.path() / "types.toml").string();
    const std::string path =
        folder_
            .write("node.toml", "node = 'n'\nstate_directory = '" + state +
                                    "'\n[bus]\nendpoint = '" + endpoint + "'\n[log]\ntarget = '" +
                                    log + "'\n[spaces]\nfiles = ['" + types + "']\n")
            .string();
    auto app = std::make_unique<WatchedSpaces>(std::move(ready));
    app_ = app.get();
    const std::vector<const char*> arguments = {"spaces", "--config", path.c_str()};
    return run_node({.role = "service"}, std::move(app), static_cast<int>(arguments.size()),
                    arguments.data());
  }
  const SpacesApp* app_ = nullptr;
};

TEST_F(SpacesAppTest, DoesNotStartWithAFileThatHasProblems) {
  folder_.write("types.toml", "[[space]]\ntype = 'town'\n");
  EXPECT_EQ(run_spaces("unix:///nowhere", [](Node&) {}), daemon::kExitUsage);
}

TEST_F(SpacesAppTest, AReloadTakesGoodFilesAndKeepsTheTypesOtherwise) {
  folder_.write("types.toml", kTownFile);
  ClusterThread cluster(bus::from_ms(10'000));
  entity::TimerOwner steps;
  std::string metrics;
  int step = 0;
  cluster.begin();
  const int code = run_spaces(cluster.endpoint(), [&](Node& node) {
    metrics = node.process_context().metrics.text();
    folder_.write("types.toml", "[[space]]\ntype = 'arena'\n");
    std::raise(SIGHUP);
    const auto look = [&] {
      const std::string text = log();
      if (step == 0 && text.find("reload refused") != std::string::npos) {
        EXPECT_TRUE(app_->desk().types.contains("town"));
        folder_.write("types.toml", kArenaFile);
        std::raise(SIGHUP);
        step = 1;
      } else if (step == 1 && app_->desk().types.contains("arena")) {
        EXPECT_FALSE(app_->desk().types.contains("town"));
        step = 2;
        node.stop();
      }
    };
    EXPECT_TRUE(node.timers().every(steps, 10ms, 10ms, entity::CatchUp::once, look));
  });
  EXPECT_EQ(code, daemon::kExitOk);
  EXPECT_EQ(step, 2);
  EXPECT_THAT(log(), HasSubstr("types.toml:"));
  EXPECT_THAT(metrics, HasSubstr("starbus_space_waiters 0"));
  EXPECT_THAT(metrics, HasSubstr("starbus_space_orders_total 0"));
  EXPECT_THAT(metrics, HasSubstr("starbus_space_orders_undelivered_total 0"));
}

}  // namespace
}  // namespace starbus::nodes::space
