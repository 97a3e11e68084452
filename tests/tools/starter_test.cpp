/// What `starbus new` writes and refuses, and that it leaves nothing half-written.
#include "tools/starbus/project.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "tools/starbus/cli.hpp"

namespace starbus::starter {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class Starter : public testing::Test {
 protected:
  Starter() {
    std::string pattern = testing::TempDir() + "starter.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Starter() override { fs::remove_all(folder_); }

  int starbus(std::vector<std::string> arguments) {
    out_.str("");
    err_.str("");
    return run_starbus(arguments, out_, err_);
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  std::string read(const fs::path& path) const {
    std::ifstream file(folder_ / path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(Starter, WritesAProjectOfThatName) {
  ASSERT_EQ(starbus({"new", "dragon-2", "--in", folder_.string()}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("dragon-2"));
  EXPECT_EQ(entries(), 1u);
  EXPECT_THAT(read("dragon-2/CMakeLists.txt"), HasSubstr("project(dragon-2 "));
  EXPECT_TRUE(fs::exists(folder_ / "dragon-2/.gitignore"));
  EXPECT_TRUE(fs::exists(folder_ / "dragon-2/src/chat.hpp")) << "the default template";
  EXPECT_THAT(read("dragon-2/web/index.html"), HasSubstr("<title>dragon-2</title>"));
  EXPECT_THAT(read("dragon-2/config/gate.toml"), HasSubstr("@PORT@")) << "for scripts/up";
}

TEST_F(Starter, WritesAllFilesOfEachTemplate) {
  for (const Template& each : templates()) {
    const std::string name = "my-" + std::string(each.name);
    ASSERT_EQ(starbus({"new", name, "--template", std::string(each.name), "--in", folder_}), 0)
        << err_.str();
    std::size_t written = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / name)) {
      written += entry.is_regular_file() ? 1u : 0u;
    }
    EXPECT_EQ(written, each.common.size() + each.own.size()) << each.name;
    for (const auto& files : {each.common, each.own}) {
      ASSERT_FALSE(files.empty()) << each.name;
      for (const TemplateFile& file : files) {
        const std::string text = read(fs::path(name) / file.path);
        EXPECT_FALSE(text.empty()) << file.path;
        EXPECT_THAT(text, Not(HasSubstr("@NAME@"))) << file.path;
        EXPECT_THAT(text, Not(HasSubstr("@VERSION@"))) << file.path;
        struct stat status {};
        ASSERT_EQ(::stat((folder_ / name / file.path).c_str(), &status), 0);
        EXPECT_EQ((status.st_mode & 0100) != 0, text.starts_with("#!")) << file.path;
      }
    }
  }
}

TEST_F(Starter, AnUnknownTemplateIsRefusedWithTheList) {
  EXPECT_EQ(starbus({"new", "demo", "--template", "chess", "--in", folder_.string()}), 1);
  EXPECT_EQ(err_.str(), "starbus: bad_template: 'chess': the templates are starter, arena\n");
  EXPECT_EQ(entries(), 0u);
  EXPECT_EQ(starbus({"new", "--help"}), 0);
  for (const Template& each : templates()) {
    EXPECT_THAT(out_.str(),
                HasSubstr("\n  " + std::string(each.name) + ": " + std::string(each.about)));
  }
}

TEST_F(Starter, RefusesWhatIsNoName) {
  const std::string longest(kMaxProjectName, 'a');
  EXPECT_TRUE(check_project_name(longest));
  EXPECT_TRUE(check_project_name("a"));
  for (const std::string& name :
       {std::string(), longest + "a", std::string("Game"), std::string("2d"), std::string("-x"),
        std::string("x-"), std::string("../x"), std::string("a b"), std::string("a/b")}) {
    const Status written = write_project(folder_, name);
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(written.error().code, Errc::bad_name) << name;
  }
  EXPECT_EQ(starbus({"new", "Game", "--in", folder_.string()}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("bad_name: 'Game'"));
  EXPECT_EQ(starbus({"new"}), 64);
  EXPECT_EQ(starbus({}), 64);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Starter, TouchesNothingThatExists) {
  fs::create_directory(folder_ / "folder");
  std::ofstream(folder_ / "file") << "mine";
  fs::create_symlink("nowhere", folder_ / "link");
  for (const char* name : {"folder", "file", "link"}) {
    const Status written = write_project(folder_, name);
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(written.error().code, Errc::exists) << name;
  }
  EXPECT_TRUE(fs::is_empty(folder_ / "folder"));
  EXPECT_EQ(read("file"), "mine");
  EXPECT_EQ(entries(), 3u);
}

TEST_F(Starter, LeavesNothingHalfWritten) {
  // The second file needs a folder where the first one is.
  const TemplateFile common[] = {{"a", "text"}};
  const TemplateFile own[] = {{"a/b", "text"}};
  const Status written = write_project(folder_, "game", {"broken", "", common, own});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::io_error);
  EXPECT_EQ(entries(), 0u);

  const Status nowhere = write_project(folder_ / "nowhere", "game");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, Errc::io_error);
}

}  // namespace
}  // namespace starbus::starter
