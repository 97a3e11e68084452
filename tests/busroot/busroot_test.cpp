/// What busroot adds to RootRouter: its configuration, its allow list and its two files.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "busroot/allow_list.hpp"
#include "busroot/journal.hpp"
#include "busroot/log_source.hpp"
#include "busroot/settings.hpp"

namespace starbus::busroot {
namespace {

const std::string kKeyA(40, 'a');
const std::string kKeyB(40, 'b');
const std::string kKeyC(40, 'c');

TEST(AllowList, WithCurveEveryHostHasItsOwnKeys) {
  const AllowList list(true, {{"host-a", {kKeyA, kKeyB}}, {"host-b", {kKeyC}}});
  EXPECT_TRUE(list.knows_key(kKeyB));
  EXPECT_FALSE(list.knows_key("other"));
  EXPECT_TRUE(list.check(kKeyA, "host-a"));
  EXPECT_TRUE(list.check(kKeyB, "host-a"));
  EXPECT_EQ(list.check(kKeyA, "host-b").error(), bus::Errc::unauthorized);
  EXPECT_EQ(list.check("other", "host-a").error(), bus::Errc::unauthorized);
  EXPECT_EQ(list.check("", "host-a").error(), bus::Errc::unauthorized);
  EXPECT_FALSE(AllowList(true, {}).check(kKeyA, "host-a"));
}

TEST(AllowList, WithoutCurveNamesAreCheckedIfThereAreAny) {
  EXPECT_TRUE(AllowList(false, {}).check("", "host-a"));
  const AllowList list(false, {{"host-a", {}}});
  EXPECT_TRUE(list.check("", "host-a"));
  EXPECT_FALSE(list.check("", "host-b"));
}

// Names of channels and nodes are the peer's to choose, and its port is another one each time.
TEST(LogSource, IsTheHostOrTheAddressWhateverElseTheLineSays) {
  for (const char* line : {"host host-a: session ended: silent; its 3 names wait for the lease",
                           "host-a.one claims x/1 by epoch 1.7, which was not granted to it",
                           "host-a.two (pid 4711) claims x/2 and maybe more: left out: full"}) {
    EXPECT_EQ(log_source(line).name, "host-a") << line;
    EXPECT_FALSE(log_source(line).stranger);
  }
  for (const char* address : {"10.0.0.7:4711", "[fe80::1]:4711"}) {
    const std::string line = std::string(address) + " refused: unauthorized: as x: y";
    EXPECT_EQ(log_source(line).name, address);
    EXPECT_TRUE(log_source(line).stranger);
  }
  EXPECT_EQ(log_source("grace: over").name, "grace");
  EXPECT_EQ(log_source("").name, "");
}

struct JournalTest : ::testing::Test {
  std::filesystem::path folder;
  void SetUp() override {
    std::string path = (std::filesystem::temp_directory_path() / "busroot-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(path.data()), nullptr);
    folder = path;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
};

TEST_F(JournalTest, TheTermGrowsFromStartToStart) {
  for (std::uint64_t start = 1; start <= 3; ++start) {
    auto state = daemon::StateDirectory::open(folder);
    ASSERT_TRUE(state);
    const auto term = next_term(*state);
    ASSERT_TRUE(term);
    EXPECT_EQ(*term, start);
  }
  auto state = daemon::StateDirectory::open(folder);
  ASSERT_TRUE(state);
  for (const char* broken : {"", "x\n", "12x\n", "-1\n", "16777216\n"}) {
    ASSERT_TRUE(state->write("term", broken));
    EXPECT_EQ(next_term(*state).error(), bus::Errc::io_error) << broken;
  }
}

TEST_F(JournalTest, HostsAreRestored) {
  auto state = daemon::StateDirectory::open(folder);
  ASSERT_TRUE(state);
  EXPECT_TRUE(stored_hosts(*state)->empty());
  const std::vector<std::string> hosts = {"host-a", "host-b"};
  ASSERT_TRUE(store_hosts(*state, hosts));
  EXPECT_EQ(*stored_hosts(*state), hosts);
  ASSERT_TRUE(state->write("hosts", "host a\n"));
  EXPECT_FALSE(stored_hosts(*state));
}

TEST_F(JournalTest, BoundsAreRestored) {
  auto state = daemon::StateDirectory::open(folder);
  ASSERT_TRUE(state);
  EXPECT_TRUE(stored_bounds(*state)->empty());
  const std::vector<bus::GrantBound> bounds = {{3, 1'048'576}, {4, 2'000'000}};
  ASSERT_TRUE(store_bounds(*state, bounds));
  EXPECT_EQ(*stored_bounds(*state), bounds);
  for (const char* broken : {"3\n", "3 x\n", "3 4 5\n", "-1 4\n"}) {
    ASSERT_TRUE(state->write("granted", broken));
    EXPECT_EQ(stored_bounds(*state).error(), bus::Errc::io_error) << broken;
  }
}

/// The problems of a file, "" if there are none.
std::string problems_of(const std::string& text, Settings* settings = nullptr) {
  auto reader = daemon::ConfigReader::parse(text, "busroot.toml");
  if (!reader) return reader.error().detail;
  const Settings read = read_settings(*reader);
  if (settings != nullptr) *settings = read;
  const auto finished = reader->finish();
  return finished ? "" : finished.error().detail;
}

TEST(BusrootSettings, ReadsAFile) {
  Settings settings;
  EXPECT_EQ(problems_of(R"(
[busroot]
name = "root-1"
listen = ["tcp://127.0.0.1:7600", "unix:///run/starbus/busroot.sock"]
session_ports = "7700-7999"
lease = "10s"
[security]
curve = false
[[security.hosts]]
name = "host-a"
bind = ["gate/"]
send = ["entity/"]
stores = ["0-1", "7"]
admin = "read"
max_names = 10
max_processes = 3
[[security.hosts]]
name = "host-b"
)",
                        &settings),
            "");
  const bus::HostRights& rights = settings.rights.at("host-a");
  EXPECT_EQ(rights.bind, std::vector<std::string>{"gate/"});
  EXPECT_EQ(rights.send, std::vector<std::string>{"entity/"});
  EXPECT_EQ(rights.stores, (std::set<unsigned>{0, 1, 7}));
  EXPECT_EQ(rights.admin, bus::HostRights::Admin::read);
  EXPECT_EQ(rights.max_names, 10u);
  EXPECT_EQ(rights.max_processes, 3u);
  EXPECT_EQ(settings.rights.at("host-b"), bus::HostRights{});
  EXPECT_EQ(settings.name, "root-1");
  EXPECT_EQ(settings.listen.size(), 2u);
  EXPECT_EQ(settings.first_session_port, 7700);
  EXPECT_EQ(settings.last_session_port, 7999);
  EXPECT_EQ(settings.lease, bus::from_ms(10'000));
  EXPECT_TRUE(settings.hosts.contains("host-a"));
}

TEST(BusrootSettings, CurveIsTheDefaultAndNeedsAKey) {
  EXPECT_NE(problems_of("").find("secret_key_file"), std::string::npos);
  EXPECT_NE(problems_of("[busroot]\nlisten = [\"unix:///tmp/x\"]\n").find("only tcp://"),
            std::string::npos);
}

TEST(BusrootSettings, WithoutCurveOnlyThisMachineUnlessAsked) {
  const std::string open = "[security]\ncurve = false\n";
  EXPECT_NE(problems_of(open).find("insecure"), std::string::npos);
  EXPECT_EQ(problems_of(open + "insecure = true\n"), "");
  for (const char* local : {"tcp://127.0.0.1:1", "stream://[::1]:1", "ipc:///tmp/x"}) {
    EXPECT_EQ(problems_of(std::string("[busroot]\nlisten = [\"") + local + "\"]\n" + open), "");
  }
}

TEST(BusrootSettings, NamesWhatIsWrong) {
  const auto wrong = [](const std::string& text, const std::string& part) {
    const std::string open = "[security]\ncurve = false\ninsecure = true\n";
    EXPECT_NE(problems_of(text.starts_with("[busroot]") ? text + open : open + text).find(part),
              std::string::npos)
        << text;
  };
  wrong("[busroot]\nname = \"a b\"\n", "a b");
  wrong("[busroot]\nlisten = []\n", "at least one");
  wrong("[busroot]\nlisten = [\"foo://x\"]\n", "foo://x");
  for (const char* ports : {"1", "9-3", "0-3", "1-70000", "1-2x"}) {
    wrong(std::string("[busroot]\nsession_ports = \"") + ports + "\"\n", "range of ports");
  }
  wrong("[[security.hosts]]\nname = \"a\"\n[[security.hosts]]\nname = \"a\"\n", "two hosts");
  wrong("[[security.hosts]]\nname = \"a\"\nkeys = [\"short\"]\n", "40 characters");
  wrong("[[security.hosts]]\nname = \"a\"\nstores = [\"256\"]\n", "shard number");
  wrong("[[security.hosts]]\nname = \"a\"\nadmin = \"all\"\n", "admin");
  wrong("[[security.hosts]]\nname = \"a\"\nkeys = [\"" + kKeyA + "\", \"" + kKeyB + "\", \"" +
            kKeyC + "\"]\n",
        "at most two");
  wrong("[[security.hosts]]\nname = \"a\"\nkeys = [\"" + kKeyA +
            "\"]\n[[security.hosts]]\nname = \"b\"\nkeys = [\"" + kKeyA + "\"]\n",
        "another host");
}

}  // namespace
}  // namespace starbus::busroot
