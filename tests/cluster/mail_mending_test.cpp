// A busd whose mail store meets damage: it repairs it, tells what is lost, and goes on.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

namespace fs = std::filesystem;

constexpr int kBoxes = 10;
constexpr const char* kRead = "player/7";

class MendedStoreTest : public ClusterTest {
 protected:
  bus::Task post_some(int each) {
    Bus bus(loop, cluster.node("b", "poster"));
    CO_OK(co_await bus.connect(use_awaitable));
    for (int i = 0; i < each * kBoxes; ++i) {
      const std::string box = "player/" + std::to_string(i % kBoxes);
      const std::string body = box + " has mail: " + std::string(300, '.');
      const auto number = co_await bus.post(box, body, {.ttl = 0ms}, use_awaitable);
      CO_OK(number);
      EXPECT_EQ(*number, ++posted_[box]) << box;
    }
  }
  /// Every number once and in order; those that are lost say so.
  bus::Task read_all(bool some_lost) {
    Bus bus(loop, cluster.node("b", "reader"));
    CO_OK(co_await bus.connect(use_awaitable));
    std::size_t lost = 0;
    for (const auto& [name, last] : posted_) {
      CO_OK(co_await bus.bind(name, bus::kNoHandlers, use_awaitable));
      auto box = co_await bus.open_mailbox(name, {}, use_awaitable);
      CO_OK(box);
      for (std::uint64_t number = 1; number <= last; ++number) {
        const auto mail = co_await box->next(use_awaitable);
        CO_OK(mail);
        CO_TRUE(mail->number == number);
        lost += mail->damaged || mail->body.empty() ? 1U : 0U;
      }
    }
    EXPECT_EQ(lost != 0, some_lost);
  }
  fs::path store() { return cluster.busd("a").state_folder() / "mail"; }
  bool ready() { return cluster.busd("a").get("/mail/stats").status == 200; }
  /// A start moves the log into a table.
  void restart(const std::function<void()>& meanwhile = {}) {
    ASSERT_TRUE(cluster.busd("a").terminate(20s));
    if (meanwhile) meanwhile();
    cluster.busd("a").start();
    ASSERT_TRUE(wait_for(20s, [this] { return ready(); })) << cluster.busd("a").log();
  }
  fs::path largest_table() {
    fs::path largest;
    for (const auto& entry : fs::directory_iterator(store())) {
      if (entry.path().extension() != ".ldb") continue;
      if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
    }
    return largest;
  }
  void spoil(const fs::path& table, std::size_t length) {
    std::fstream file(table, std::ios::binary | std::ios::in | std::ios::out);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = bytes.find(std::string(kRead) + " has mail");
    ASSERT_NE(at, std::string::npos);
    file.clear();
    file.seekp(static_cast<std::streamoff>(at));
    file << std::string(length, '!');
  }
  std::uint64_t damage(const std::string& key) {
    return cluster.busd("a").json("/status")["mail"]["damage"][key].get<std::uint64_t>();
  }
  int tool(const std::vector<std::string>& arguments, const std::string& log) {
    std::vector<std::string> command = {program(arguments.front())};
    command.insert(command.end(), arguments.begin() + 1, arguments.end());
    command.insert(command.end(), {"--admin", cluster.busd("a").admin()});
    return cluster.run(command, log)->wait(20s).value_or(-1);
  }
  bus::Task post_until_mended() {
    for (int i = 0; i < 100 && damage("repairs") == 0; ++i) co_await post_some(1);
  }
  void meet_in_a_compaction(std::size_t length) {
    ASSERT_TRUE(wait_for(10s, [this] { return ready(); }));
    for (int i = 0; i < 3; ++i) {
      run([this] { return post_some(40); }, 60s);
      restart();
    }
    run([this] { return post_some(40); }, 60s);
    // With a fourth table LevelDB compacts them.
    restart([this, length] { spoil(largest_table(), length); });
    run([this] { return post_until_mended(); }, 60s);
    ASSERT_TRUE(wait_for(20s, [this] { return damage("repairs") == 1; }))
        << cluster.busd("a").log();
    run([this] { return post_some(20); }, 60s);
  }

  std::map<std::string, std::uint64_t> posted_;
  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\ncheck_rate = '0'\n"}}}};
};

TEST_F(MendedStoreTest, ACompactionThatMeetsDamageIsMendedAndTheRestGoesOn) {
  meet_in_a_compaction(60);
  const std::string log = cluster.busd("a").log();
  EXPECT_NE(log.find(std::string("damage: ") + kRead + ": lost "), std::string::npos) << log;
  run([this] { return read_all(true); }, 60s);
  const auto health = cluster.busd("a").get("/healthz");
  EXPECT_EQ(health.status, 503);
  EXPECT_NE(health.body.find("mail store has lost mail: "), std::string::npos) << health.body;
  EXPECT_EQ(tool({"bustop", "doctor"}, "doctor"), 2);
  EXPECT_NE(cluster.log_of("doctor").find("mail_lost"), std::string::npos);
  const std::string metrics = cluster.busd("a").get("/metrics").body;
  EXPECT_NE(metrics.find("starbus_mail_store_repairs_total 1\n"), std::string::npos);
  EXPECT_EQ(metrics.find("starbus_mail_unreadable_total 0\n"), std::string::npos);
  EXPECT_EQ(tool({"starbus-mail", "acknowledge"}, "acknowledge"), 0);
  EXPECT_TRUE(wait_for(10s, [this] { return cluster.busd("a").serves(); }));
}

TEST_F(MendedStoreTest, AFlippedBitInACompactionCostsNothing) {
  meet_in_a_compaction(1);
  EXPECT_EQ(damage("lost"), 0U);
  EXPECT_GE(damage("repaired"), 1U);
  // Its 256 names are taken again one after the other; the mail above needed a few of them.
  EXPECT_TRUE(wait_for(10s, [this] { return cluster.busd("a").serves(); }))
      << cluster.busd("a").get("/healthz").body;
  run([this] { return read_all(false); }, 60s);
}

TEST_F(MendedStoreTest, ATableThatIsGoneIsToldAndTheRestGoesOn) {
  ASSERT_TRUE(wait_for(10s, [this] { return ready(); }));
  run([this] { return post_some(40); }, 60s);
  restart();
  run([this] { return post_some(20); }, 60s);
  restart([this] { fs::remove(largest_table()); });
  EXPECT_EQ(damage("lost"), 1U);
  const std::string log = cluster.busd("a").log();
  EXPECT_NE(log.find("the file is gone; of player/"), std::string::npos) << log;
  run([this] { return post_some(1); }, 60s);  // no number comes again
  run([this] { return read_all(true); }, 60s);
}

/// What takes a folder, while busd runs and is posted to.
class LentStoreTest : public MendedStoreTest {
 protected:
  /// What it is given are variables: see "g++ 12" in bus.hpp.
  boost::asio::awaitable<int> detached(const std::vector<std::string>& arguments,
                                       const std::string& log) {
    std::vector<std::string> command = {program("starbus-mail")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const std::vector<std::string> where = {"--directory", store().string(), "--busd",
                                            cluster.busd("a").admin()};
    command.insert(command.end(), where.begin(), where.end());
    const auto child = cluster.run(command, log);
    std::optional<int> code;
    std::function<bool()> ended = [&] { return (code = child->ended()).has_value(); };
    const bool in_time = co_await until(60s, ended);
    EXPECT_TRUE(in_time) << log;
    co_return code.value_or(-1);
  }
  /// Posts that come while a store is detached wait, and go on by their numbers.
  bus::Task use_tools() {
    co_await post_some(3);
    const std::string file = (cluster.folder() / "all.jsonl").string();
    const std::vector<std::vector<std::string>> commands = {
        {"check"}, {"repair"}, {"ls", "player/"}, {"export", file}, {"import", file, "--append"}};
    std::map<std::string, std::uint64_t> exported;
    for (const std::vector<std::string>& command : commands) {
      const std::string& name = command.front();
      if (name == "export") exported = posted_;
      const int code = co_await detached(command, name);
      EXPECT_EQ(code, 0) << cluster.log_of(name);
      if (name == "import") {
        for (const auto& [box, count] : exported) posted_[box] += count;
      }
      // The next command may come at once, or when others have posted.
      if (name != "check" && name != "ls") co_await post_some(1);
    }
  }
  /// What was posted behind the backup is lost, and readers are told; its numbers do not come
  /// again, so that who has read it is given what is posted now.
  bus::Task go_back() {
    co_await post_some(3);
    const std::string backup = (cluster.folder() / "backup").string();
    const int made = tool({"starbus-mail", "backup", backup}, "backup");
    CO_TRUE(made == 0);
    co_await post_some(2);
    const std::vector<std::string> command = {"restore", backup};
    const int code = co_await detached(command, "restore");
    EXPECT_EQ(code, 0) << cluster.log_of("restore");
    co_await post_some(1);
    co_await read_all(true);
  }
};

TEST_F(LentStoreTest, ABackupTakesItsPlaceWhileItsBusdRuns) {
  ASSERT_TRUE(wait_for(10s, [this] { return ready(); }));
  run([this] { return go_back(); }, 120s);
  EXPECT_TRUE(wait_for(10s, [this] { return cluster.busd("a").serves(); }));
  const std::string said = cluster.log_of("restore");
  const std::string_view place = "its earlier files are in ";
  const auto at = said.find(place);
  ASSERT_NE(at, std::string::npos) << said;
  const auto begin = at + place.size();
  const fs::path replaced = said.substr(begin, said.find('\n', at) - begin);
  EXPECT_TRUE(fs::exists(replaced / "CURRENT")) << replaced;
  EXPECT_FALSE(fs::exists(store().string() + ".partial"));
}

TEST_F(LentStoreTest, IsCheckedRepairedExportedAndImportedWhileItsBusdRuns) {
  ASSERT_TRUE(wait_for(10s, [this] { return ready(); }));
  run([this] { return use_tools(); }, 120s);
  EXPECT_TRUE(wait_for(10s, [this] { return cluster.busd("a").serves(); }));
}

}  // namespace
}  // namespace starbus::cluster_test
