// What busd's configuration says of mail, and what it may not say.
#include "busd/settings.hpp"

#include <gmock/gmock.h>

#include "daemon/config/config.hpp"

namespace starbus::busd {
namespace {

using testing::HasSubstr;

/// The problems of a busd.toml with this [mail]; empty: there are none.
std::string problems_of(const std::string& mail) {
  auto reader = daemon::ConfigReader::parse("[busd]\nhost = 'a'\n[mail]\n" + mail, "busd.toml");
  if (!reader) return reader.error().detail;
  (void)read_settings(*reader);
  const auto end = reader->finish();
  return end ? "" : end.error().detail;
}

TEST(BusdSettings, TheFolderOfAStoreIsAbsolute) {
  EXPECT_THAT(problems_of("directory = 'mail'\n"), HasSubstr("must be an absolute path"));
  EXPECT_THAT(problems_of("directory = '/mail'\n"), testing::Not(HasSubstr("'directory'")));
}

TEST(BusdSettings, AgesAreMostlyDays) {
  EXPECT_THAT(problems_of("age = '30'\n"), HasSubstr("ms, s, m, h or d"));
  EXPECT_THAT(problems_of("age = '30d'\n"), testing::Not(HasSubstr("'age'")));
}

TEST(BusdSettings, OneTableForALogIsToldHowToWriteTheList) {
  EXPECT_THAT(problems_of("[mail.log]\nprefix = 'log/'\n"), HasSubstr("([[mail.log]])"));
}

/// A file with this text after [busd].
struct File {
  explicit File(const std::string& text)
      : reader(daemon::ConfigReader::parse("[busd]\nhost = 'a'\n" + text, "busd.toml").value()) {
    settings = read_settings(reader);
    if (const auto end = reader.finish(); !end) problems = end.error().detail;
  }
  std::string warnings() const {
    std::string all;
    for (const std::string& one : reader.warnings()) all += one + "\n";
    return all;
  }

  daemon::ConfigReader reader;
  Settings settings;
  std::string problems;
};

TEST(BusdSettings, ARoleIsReadWhole) {
  const File file(
      "[[role]]\nname = 'gate'\nusers = ['0']\nbind = ['gate/']\nsend = ['entity/']\n"
      "watch = ['service/']\nnodes = ['gate-*', 'gate']\nmax_sessions = 3\ntrust = 'server'\n");
  ASSERT_EQ(file.settings.roles.size(), 1u);
  const bus::Role& role = file.settings.roles.front();
  EXPECT_THAT(role.watch, testing::ElementsAre("service/"));
  EXPECT_THAT(role.nodes, testing::ElementsAre("gate-*", "gate"));
  EXPECT_EQ(role.max_sessions, 3u);
  EXPECT_EQ(role.trust, bus::Trust::server);
  EXPECT_THAT(file.problems, testing::Not(HasSubstr("role")));
}

TEST(BusdSettings, ARoleIsNoServerAndWatchesWhatItUsesUnlessItSaysOtherwise) {
  const File file("[[role]]\nname = 'gate'\nusers = ['0']\nbind = ['gate/']\nsend = ['x/']\n");
  const bus::Role& role = file.settings.roles.front();
  EXPECT_EQ(role.trust, bus::Trust::client);
  EXPECT_THAT(role.watch, testing::ElementsAre("gate/", "x/"));
  EXPECT_THAT(role.nodes, testing::ElementsAre("*"));
}

TEST(BusdSettings, WrongKeysOfARoleAreNamed) {
  const File file(
      "[[role]]\nname = 'gate'\nusers = ['nobody-of-that-name']\nnodes = ['g*te']\n"
      "trust = 'much'\nmax_sessions = 0\n");
  EXPECT_THAT(file.problems, HasSubstr("'nobody-of-that-name' is not known to this system"));
  EXPECT_THAT(file.problems, HasSubstr("'g*te' is not a node name"));
  EXPECT_THAT(file.problems, HasSubstr("'trust'"));
  EXPECT_THAT(file.problems, HasSubstr("'max_sessions'"));
}

TEST(BusdSettings, AnOpenRoleForTheWholeGroupOfTheSocketIsWarnedOf) {
  const std::string group = "socket_group = '0'\n[[role]]\nname = 'node'\nsend = ['']\n";
  EXPECT_THAT(File(group + "groups = ['0']\n").warnings(),
              HasSubstr("role 'node': every member of the socket's group has it"));
  EXPECT_THAT(File(group).warnings(), HasSubstr("every member of the socket's group"));
  EXPECT_EQ(File(group + "users = ['0']\n").warnings(), "");
  EXPECT_EQ(File("[[role]]\nname = 'guest'\nsend = ['x/']\n").warnings(), "");
}

}  // namespace
}  // namespace starbus::busd
