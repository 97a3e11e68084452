// Operators and a running store: a backup while it takes posts, its restore, what the daemon tells.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "bus/core/wire/name.hpp"
#include "mail/rows.hpp"
#include "storage/recovery/repair.hpp"
#include "storage/store.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

namespace fs = std::filesystem;

class MailToolsTest : public ClusterTest {
 protected:
  using Posted = std::map<std::string, std::map<std::uint64_t, std::string>>;  // box, number, body

  /// Posts until `stop_`, a window at a time.
  void post_more(Bus& bus) {
    while (!stop_ && under_way_ < 500) {
      const std::string box = "player/" + std::to_string(next_ % 50);
      const std::string body = std::to_string(next_++);
      ++under_way_;
      bus.post(box, body, {.ttl = 0ms}, [this, &bus, box, body](bus::Result<std::uint64_t> end) {
        --under_way_;
        if (end) posted_[box][*end] = body;
        if (!end) ADD_FAILURE() << end.error().to_string();
        ++ended_;
        post_more(bus);
      });
    }
  }

  /// A program that has to end by itself, while the loop runs. What it is given are variables: see
  /// "g++ 12" in bus.hpp.
  boost::asio::awaitable<int> tool(const std::vector<std::string>& command,
                                   const std::string& log) {
    const auto child = cluster.run(command, log);
    std::optional<int> code;
    std::function<bool()> ended = [&] { return (code = child->ended()).has_value(); };
    const bool in_time = co_await until(60s, ended);
    EXPECT_TRUE(in_time) << log << " does not end";
    co_return code.value_or(-1);
  }
  std::string admin() { return cluster.busd("a").admin(); }
  fs::path backup_folder() { return cluster.folder() / "backup"; }
  fs::path restored_folder() { return cluster.folder() / "restored"; }

  bus::Task back_up_while_posting() {
    Bus bus(loop, cluster.node("b", "poster"));
    CO_OK(co_await bus.connect(use_awaitable));
    post_more(bus);
    std::function<bool()> enough = [this] { return ended_ >= 3'000; };
    CO_TRUE(co_await until(30s, enough));
    before_ = posted_;
    std::vector<std::string> command{
        program("starbus-mail"), "backup", backup_folder(), "--admin", admin(), "--json"};
    std::string log = "backup";
    const int code = co_await tool(command, log);
    EXPECT_EQ(code, 0) << cluster.log_of("backup");
    enough = [this, now = ended_] { return ended_ >= now + 500; };
    CO_TRUE(co_await until(30s, enough));
    co_await ask_around();
    stop_ = true;
    enough = [this] { return under_way_ == 0; };
    CO_TRUE(co_await until(30s, enough));
  }

  /// What the daemon tells while it works.
  bus::Task ask_around() {
    std::vector<std::string> command{program("starbus-mail"), "shards", "--admin", admin()};
    std::string log = "shards";
    int code = co_await tool(command, log);
    EXPECT_EQ(code, 0) << cluster.log_of("shards");
    EXPECT_NE(cluster.log_of("shards").find("256  0-255"), std::string::npos)
        << cluster.log_of("shards");
    // From another host, so over the bus.
    const std::string other = cluster.busd("b").admin();
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"ls", "player/"}, {"peek", "player/7"}, {"stats"}}) {
      command = {program("bustop"), "mail"};
      command.insert(command.end(), words.begin(), words.end());
      command.insert(command.end(), {"--admin", other});
      log = "mail-" + words.front();
      code = co_await tool(command, log);
      EXPECT_EQ(code, 0) << cluster.log_of(log);
      EXPECT_NE(cluster.log_of(log).find(words.front() == "stats" ? "running" : "player/7"),
                std::string::npos)
          << cluster.log_of(log);
    }
    const auto stats = cluster.busd("a").json("/mail/stats");
    EXPECT_EQ(stats["mailboxes"], 50);
    EXPECT_EQ(stats["shards_held"], 256);
    const std::string metrics = cluster.busd("a").get("/metrics").body;
    for (const char* name :
         {"starbus_mail_stored_total", "starbus_mail_store_syncs_total",
          "starbus_mail_commit_seconds_bucket", "starbus_mail_batch_rows_count"}) {
      EXPECT_NE(metrics.find(name), std::string::npos) << name;
    }
    EXPECT_EQ(cluster.busd("b").get("/mail/stats").status, 404) << "it keeps no mail";
    EXPECT_EQ(cluster.busd("a").get("/mail/peek?name=player/77").status, 404);
    EXPECT_EQ(cluster.busd("a").get("/mail/boxes?after=x").status, 400);
    EXPECT_EQ(cluster.busd("a").json("/status")["mail"]["state"], "running");
  }

  static Posted stored_in(const fs::path& folder, const Posted& boxes) {
    const auto store = storage::open_store({.folder = folder, .repair_logs = storage::repair_logs});
    EXPECT_TRUE(store) << store.error().to_string();
    Posted stored;
    for (const auto& [box, unused] : boxes) {
      const bus::ChannelId id = bus::channel_id(box);
      for (std::uint64_t number = 1;; ++number) {
        const auto row = (*store)->get(mail::message_key(bus::shard_of(id), id, number));
        EXPECT_TRUE(row);
        if (!row || !row->has_value()) break;
        stored[box][number] = mail::decode_message(**row).value().body;
      }
    }
    return stored;
  }

  bus::Task post_to_restored() {
    Bus bus(loop, cluster.node("b", "later"));
    CO_OK(co_await bus.connect(use_awaitable));
    const std::string body = "later";
    for (const auto& [box, numbers] : restored_) {
      const bus::PostOptions options{.ttl = 0ms};
      const auto number = co_await bus.post(box, body, options, use_awaitable);
      CO_OK(number);
      EXPECT_EQ(*number, numbers.rbegin()->first + 1) << box;
    }
  }

  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};
  Posted posted_;
  Posted before_;  // what was acknowledged before the backup began
  Posted restored_;
  std::uint64_t ended_ = 0;

 private:
  std::uint64_t next_ = 0;
  std::uint64_t under_way_ = 0;
  bool stop_ = false;
};

TEST_F(MailToolsTest, ABackupUnderLoadHasAllThatWasAcknowledgedBefore) {
  run([this] { return back_up_while_posting(); }, 120s);
  ASSERT_TRUE(cluster.busd("a").terminate(10s));
  const auto restore = cluster.run(
      {program("starbus-mail"), "restore", backup_folder(), "--directory", restored_folder()},
      "restore");
  ASSERT_EQ(restore->wait(60s), 0) << cluster.log_of("restore");
  restored_ = stored_in(restored_folder(), posted_);
  for (const auto& [box, numbers] : before_) {
    for (const auto& [number, body] : numbers) {
      ASSERT_TRUE(restored_[box].contains(number)) << box << " " << number;
    }
  }
  std::uint64_t count = 0;
  for (const auto& [box, numbers] : restored_) {
    count += numbers.size();
    for (const auto& [number, body] : numbers) EXPECT_EQ(posted_[box].at(number), body);
  }
  std::uint64_t all = 0;
  for (const auto& [box, numbers] : posted_) all += numbers.size();
  EXPECT_LT(count, all) << "the backup is of a moment, and posts went on";
  const auto check =
      cluster.run({program("starbus-mail"), "check", "--directory", restored_folder()}, "check");
  EXPECT_EQ(check->wait(60s), 0) << cluster.log_of("check");

  // The restored store serves: its numbers go on where the backup ended.
  cluster.busd("a").configure(cluster.busd_config("a", {}) + "directory = '" +
                              restored_folder().string() + "'\n");
  cluster.busd("a").start();
  ASSERT_TRUE(wait_for(10s, [this] { return cluster.busd("a").serves(); }));
  run([this] { return post_to_restored(); }, 60s);
}

TEST_F(MailToolsTest, AStoreThatIsServedIsNotTouched) {
  // busd serves before its store is open.
  ASSERT_TRUE(wait_for(10s, [this] { return cluster.busd("a").get("/mail/stats").status == 200; }));
  const auto check = cluster.run(
      {program("starbus-mail"), "check", "--directory", cluster.busd("a").state_folder() / "mail"},
      "check");
  EXPECT_EQ(check->wait(20s), 1);
  EXPECT_NE(cluster.log_of("check").find("is open: busd runs on it"), std::string::npos);
  const auto relative =
      cluster.run({program("starbus-mail"), "backup", "relative", "--admin", admin()}, "backup");
  EXPECT_EQ(relative->wait(20s), 1);
  EXPECT_NE(cluster.log_of("backup").find("absolute path"), std::string::npos)
      << cluster.log_of("backup");
}

class DamagedMailTest : public ClusterTest {
 protected:
  bus::Task post_some(std::uint64_t first) {
    Bus bus(loop, cluster.node("b", "poster"));
    CO_OK(co_await bus.connect(use_awaitable));
    for (int i = 0; i < 100; ++i) {
      const std::string box = "player/" + std::to_string(i % 10);
      const auto number = co_await bus.post(box, "some mail", {.ttl = 0ms}, use_awaitable);
      CO_OK(number);
      EXPECT_EQ(*number, first + static_cast<std::uint64_t>(i) / 10);
    }
  }
  fs::path store() { return cluster.busd("a").state_folder() / "mail"; }
  bool ready() { return cluster.busd("a").get("/mail/stats").status == 200; }

  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\ncheck_pause = '20ms'\n"}}}};
};

TEST_F(DamagedMailTest, ATableThatIsLostBeneathARunningStoreIsToldAndTheRestGoesOn) {
  ASSERT_TRUE(wait_for(10s, [this] { return ready(); }));
  run([this] { return post_some(1); }, 60s);
  // A start moves the log into tables.
  ASSERT_TRUE(cluster.busd("a").terminate(10s));
  cluster.busd("a").start();
  ASSERT_TRUE(wait_for(10s, [this] { return ready() && cluster.busd("a").serves(); }));
  run([this] { return post_some(11); }, 60s);
  // Healthy once it has all its shards.
  ASSERT_TRUE(wait_for(10s, [this] { return cluster.busd("a").get("/healthz").status == 200; }));
  for (const auto& entry : fs::directory_iterator(store())) {
    if (entry.path().extension() == ".ldb") fs::remove(entry.path());
  }
  const auto damaged = [this] { return cluster.busd("a").get("/healthz").status == 503; };
  ASSERT_TRUE(wait_for(20s, damaged));
  const std::string health = cluster.busd("a").get("/healthz").body;
  EXPECT_NE(health.find("mail store damaged: "), std::string::npos) << health;
  // The first that was lost may be one without mail; what is in the log since may be named, too.
  const auto named = [this] {
    return cluster.busd("a").json("/status")["mail"]["scrub"].dump().find(
               "player/7: damaged_block 1 to 20") != std::string::npos;
  };
  EXPECT_TRUE(wait_for(20s, named)) << cluster.busd("a").json("/status")["mail"]["scrub"].dump();
  EXPECT_NE(cluster.busd("a").log().find("mail: damage: player/7: damaged_block 1 to 20"),
            std::string::npos);
  EXPECT_EQ(cluster.busd("a").get("/metrics").body.find("starbus_mail_store_damaged 0\n"),
            std::string::npos);
  const auto doctor =
      cluster.run({program("bustop"), "doctor", "--admin", cluster.busd("a").admin()}, "doctor");
  EXPECT_EQ(doctor->wait(20s), 2);
  EXPECT_NE(cluster.log_of("doctor").find("mail_store_damaged"), std::string::npos)
      << cluster.log_of("doctor");
  run([this] { return post_some(21); }, 60s);
}

}  // namespace
}  // namespace starbus::cluster_test
