#include "daemon/config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

ConfigReader reader_of(std::string_view text) {
  return ConfigReader::parse(text, "busd.toml").value();
}

std::string problems_of(ConfigReader& reader) {
  const auto finished = reader.finish();
  if (finished) return "";
  EXPECT_EQ(finished.error().code, bus::Errc::bad_config);
  return finished.error().detail;
}

TEST(Config, SaysWhereAKeyStands) {
  auto reader = reader_of("name = \"a\"\n[admin]\nport = 1\n");
  EXPECT_EQ(reader.located("name", "no"), "busd.toml:1:8: no");
  EXPECT_EQ(reader.table("admin").located("port", "no"), "busd.toml:3:8: no");
  EXPECT_EQ(reader.table("admin").located("absent", "no"), "busd.toml:2:1: no") << "its table";
}

TEST(Config, ReadsEveryType) {
  auto reader = reader_of(R"(
name = "hostA"
verbose = true
processes = 12
timeout = "250ms"
lease = "2m"
window = "16MiB"
raw = 4096
roles = ["space", "gate"]
[admin]
port = 9321
[[peer]]
key = "a"
[[peer]]
key = "b"
)");
  EXPECT_EQ(reader.string("name", "x"), "hostA");
  EXPECT_TRUE(reader.boolean("verbose", false));
  EXPECT_EQ(reader.integer<std::uint16_t>("processes", 1, 1, 100), 12);
  EXPECT_EQ(reader.duration("timeout", 1s), 250ms);
  EXPECT_EQ(reader.duration("lease", 1s), 2min);
  EXPECT_EQ(reader.size("window", 0), 16U * 1024 * 1024);
  EXPECT_EQ(reader.size("raw", 0), 4096U);
  EXPECT_THAT(reader.strings("roles"), ElementsAre("space", "gate"));
  EXPECT_EQ(reader.table("admin").integer("port", 1, 0, 65535), 9321);
  auto peers = reader.tables("peer");
  ASSERT_EQ(peers.size(), 2U);
  EXPECT_EQ(peers[0].string("key", ""), "a");
  EXPECT_EQ(peers[1].string("key", ""), "b");
  EXPECT_EQ(peers[1].path(), "peer[2]");
  EXPECT_EQ(problems_of(reader), "");
}

TEST(Config, MissingKeysGiveTheirFallbacks) {
  auto reader = reader_of("");
  EXPECT_EQ(reader.string("name", "x"), "x");
  EXPECT_EQ(reader.integer("n", 7, 0, 9), 7);
  EXPECT_EQ(reader.duration("d", 3s), 3s);
  EXPECT_EQ(reader.size("s", 5), 5U);
  EXPECT_THAT(reader.strings("l", {"a"}), ElementsAre("a"));
  EXPECT_EQ(reader.table("t").table("u").string("k", "deep"), "deep");
  EXPECT_TRUE(reader.tables("ts").empty());
  EXPECT_FALSE(reader.has("name"));
  EXPECT_EQ(problems_of(reader), "");
}

TEST(Config, UnknownKeyIsRefusedWithPlaceAndSuggestion) {
  auto reader = reader_of("name = 'a'\n\nliste = 'x'\n");
  reader.string("name", "");
  reader.string("listen", "");
  EXPECT_EQ(problems_of(reader), "busd.toml:3:1: unknown key 'liste'; did you mean 'listen'?");
}

TEST(Config, NoSuggestionWhenNothingIsClose) {
  auto reader = reader_of("colour = 'x'\n");
  reader.string("listen", "");
  EXPECT_EQ(problems_of(reader), "busd.toml:1:1: unknown key 'colour'");
}

TEST(Config, UnknownTablesAndKeysInTablesAreRefused) {
  auto reader = reader_of("[admin]\nlistne = 'x'\n\n[amdin]\nlisten = 'x'\n[[peer]]\nkeyy = 1\n");
  reader.table("admin").string("listen", "");
  for (auto& peer : reader.tables("peer")) peer.string("key", "");
  EXPECT_EQ(problems_of(reader),
            "busd.toml:2:1: unknown key 'listne'; did you mean 'listen'?\n"
            "busd.toml:4:2: unknown table 'amdin'; did you mean 'admin'?\n"
            "busd.toml:7:1: unknown key 'keyy'; did you mean 'key'?");
}

TEST(Config, OneTableMayBeOpenedTwice) {
  auto reader = reader_of("[log]\nlevel = 'info'\ntarget = 'x'\n");
  reader.table("log").string("level", "");
  reader.table("log").string("target", "");
  EXPECT_EQ(problems_of(reader), "");
}

TEST(Config, AllProblemsAreReportedTogetherInTheOrderOfTheFile) {
  auto reader = reader_of("a = 5\nb = 'x'\nc = 'y'\nd = 1\n");
  reader.string("c", "");
  reader.integer("b", 0, 0, 1);
  reader.string("a", "");
  EXPECT_EQ(problems_of(reader),
            "busd.toml:1:5: 'a' must be a string, not an integer\n"
            "busd.toml:2:5: 'b' must be an integer, not a string\n"
            "busd.toml:4:1: unknown key 'd'");
}

TEST(Config, RangesNameWhatIsAllowed) {
  auto reader = reader_of("port = 70000\nlease = '2h'\nwindow = '1KiB'\nneg = -1\n");
  EXPECT_EQ(reader.integer("port", 1, 0, 65535), 1);
  EXPECT_EQ(reader.duration("lease", 30s, 1s, 10min), 30s);
  EXPECT_EQ(reader.size("window", 7, 65536, 1 << 30), 7U);
  EXPECT_EQ(reader.size("neg", 7), 7U);
  const std::string all = problems_of(reader);
  EXPECT_THAT(all, HasSubstr(":1:8: 'port' must be between 0 and 65535; it is 70000"));
  EXPECT_THAT(all, HasSubstr(":2:9: 'lease' must be between 1s and 10m; it is 2h"));
  EXPECT_THAT(all, HasSubstr(":3:10: 'window' must be between 64KiB and 1GiB; it is 1KiB"));
  EXPECT_THAT(all, HasSubstr(":4:7: 'neg' must be bytes"));
}

TEST(Config, DurationsAndSizesNeedTheirUnits) {
  auto reader = reader_of("a = 30\nb = '30'\nc = '1.5s'\nd = '16MB'\ne = '99999999999999h'\n");
  for (const char* key : {"a", "b", "c", "e"}) EXPECT_EQ(reader.duration(key, 1s), 1s);
  EXPECT_EQ(reader.size("d", 1), 1U);
  const std::string all = problems_of(reader);
  EXPECT_EQ(test::lines_of(all).size(), 5U) << all;
  EXPECT_THAT(all, HasSubstr(":1:5: 'a' must be a duration such as \"30s\", not an integer"));
  EXPECT_THAT(all, HasSubstr(":2:5: 'b' must be a number with ms, s, m, h or d"));
}

TEST(Config, ListsRefuseOtherTypesAndDuplicates) {
  auto reader = reader_of("roles = ['a', 'b', 'a', 3]\n");
  EXPECT_THAT(reader.strings("roles"), ElementsAre("a", "b"));
  const std::string all = problems_of(reader);
  EXPECT_THAT(all, HasSubstr("busd.toml:1:20: 'roles' names 'a' twice"));
  EXPECT_THAT(all, HasSubstr("busd.toml:1:25: 'roles' must be a list of strings, not an integer"));
}

TEST(Config, ChoicesNameTheAllowedOnes) {
  auto reader = reader_of("format = 'xml'\n");
  EXPECT_EQ(reader.choice("format", "text", {"text", "json"}), "text");
  EXPECT_EQ(problems_of(reader), "busd.toml:1:10: 'format' must be one of text, json; it is 'xml'");
}

TEST(Config, RequiredKeys) {
  auto reader = reader_of("empty = ''\n[link]\n");
  reader.required_string("empty");
  reader.required_string("host");
  reader.table("link").required_string("root");
  EXPECT_EQ(problems_of(reader),
            "busd.toml: missing key 'host'\n"
            "busd.toml:1:9: 'empty' must not be empty\n"
            "busd.toml:2:1: missing key 'root' in [link]");
}

TEST(Config, WrongShapesOfTables) {
  auto reader = reader_of("admin = 3\npeer = 'x'\n");
  EXPECT_EQ(reader.table("admin").string("listen", "fallback"), "fallback");
  EXPECT_TRUE(reader.tables("peer").empty());
  const std::string all = problems_of(reader);
  EXPECT_THAT(all, HasSubstr("busd.toml:1:9: 'admin' must be a table, not an integer"));
  EXPECT_THAT(all, HasSubstr("busd.toml:2:8: 'peer' must be a list of tables ([[peer]])"));
}

TEST(Config, ADaemonNotesItsOwnProblemsAtTheKey) {
  auto reader = reader_of("root = 'nowhere'\n");
  reader.string("root", "");
  reader.problem("root", "'nowhere' is not an endpoint");
  EXPECT_EQ(problems_of(reader), "busd.toml:1:8: 'nowhere' is not an endpoint");
}

TEST(Config, KeysOfATableThatTheOperatorNames) {
  auto reader = reader_of("[roles.space]\nbind = ['space/']\n[roles.gate]\nbind = []\n");
  auto roles = reader.table("roles");
  EXPECT_THAT(roles.keys(), ElementsAre("gate", "space"));
  for (const auto& role : roles.keys()) roles.table(role).strings("bind");
  EXPECT_EQ(problems_of(reader), "");
}

TEST(Config, DuplicateKeysAndBrokenSyntaxNameTheLine) {
  const auto twice = ConfigReader::parse("a = 1\nb = 2\na = 3\n", "busd.toml");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, bus::Errc::bad_config);
  EXPECT_THAT(twice.error().detail, HasSubstr("busd.toml:3:"));
  const auto broken = ConfigReader::parse("a = 1\nb = = 2\n", "busd.toml");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().detail, HasSubstr("busd.toml:2:"));
}

TEST(Config, FilesThatCannotBeRead) {
  const test::TempFolder folder;
  const auto missing = ConfigReader::open(folder.path() / "no.toml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, bus::Errc::bad_config);
  EXPECT_THAT(missing.error().detail, HasSubstr("no.toml: cannot be read: No such file"));
  EXPECT_THAT(missing.error().detail, HasSubstr("--config FILE"));
  const auto directory = ConfigReader::open(folder.path());
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().detail, HasSubstr("is a folder"));
  auto good = ConfigReader::open(folder.write("busd.toml", "a = 1\n"));
  ASSERT_TRUE(good);
  EXPECT_THAT(problems_of(*good), HasSubstr("busd.toml:1:1: unknown key 'a'"));
}

}  // namespace
}  // namespace starbus::daemon
