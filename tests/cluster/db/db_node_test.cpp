// starbus-db as a process: documents through the death of everything, full and failing disks.
#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "nodes/db/remote/remote_database.hpp"
#include "tests/cluster/chaos/private_mounts.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

namespace db = nodes::db;
using testing::HasSubstr;

db::Update increment(const std::string& id) {
  return {"c", id, {{db::Operator::inc, "n", 1}}, true};
}

class DbNodeTest : public ClusterTest {
 protected:
  /// Not started; `keys` are of its configuration file.
  std::unique_ptr<Daemon> node(const std::string& host, const std::string& name,
                               const std::string& keys = "",
                               const std::string& which = "starbus-db") {
    const std::string orders = "DISK_ORDERS=" + orders_file().string();
    auto made = std::make_unique<Daemon>(program(which), name, cluster.folder(),
                                         std::vector<std::string>{"/usr/bin/env", orders});
    made->configure("node = '" + name + "'\nstate_directory = '" + made->state_folder().string() +
                    "'\nidentity = 'folder'\n" + keys + "\n[bus]\nendpoint = '" +
                    cluster.endpoint(host) + "'\n");
    return made;
  }
  static bool started(Daemon& daemon) {
    daemon.start();
    return wait_for(10s, [&] { return daemon.serves(); });
  }
  std::filesystem::path orders_file() const { return cluster.folder() / "orders"; }
  void order(const std::string& text) const { std::ofstream(orders_file()) << text << std::endl; }

  /// Asks, and lets the loop run until the answer is there.
  boost::asio::awaitable<db::Result<db::Written>> write(db::RemoteDatabase& database,
                                                        db::Write one) {
    std::optional<db::Result<db::Written>> answer;
    const db::WriteRequest request{.writes = {std::move(one)}};
    const auto taken = database.write(request, [&](const auto& result) { answer = result; });
    if (!taken) co_return taken.error();
    co_await until(40s, [&] { return answer.has_value(); });
    co_return answer.value_or(db::Error(db::Errc::unavailable, "no answer"));
  }
  /// From now on the disk is slow: a write of "2" is under way when this returns.
  boost::asio::awaitable<bool> begin_slow_write(db::RemoteDatabase& database,
                                                std::optional<db::Result<db::Written>>& end) {
    order("slow");
    co_await until(100ms, [] { return false; });
    const db::WriteRequest request{.writes = {increment("2")}};
    const auto taken = database.write(request, [&](const auto& result) { end = result; });
    co_await until(100ms, [] { return false; });
    co_return taken.has_value();
  }
  boost::asio::awaitable<db::Json> find(db::RemoteDatabase& database, std::string id) {
    std::optional<db::Json> answer;
    const auto taken = database.find({"c", id}, [&](const auto& result) {
      answer = result && *result ? **result : db::Json(result ? "none" : result.error().detail);
    });
    if (!taken) co_return taken.error().to_string();
    co_await until(40s, [&] { return answer.has_value(); });
    co_return answer.value_or("no answer");
  }

  Cluster cluster;
};

/// Counts in documents, and writes down numbers in one, from one process.
class Load {
 public:
  Load(Bus& bus, int number)
      : number_(number), database_(bus, {.deadline = std::chrono::seconds(60)}) {}

  /// One more request each, up to 32 without an answer.
  void step() {
    if (database_.outstanding() >= 32) return;
    const std::string id = std::to_string(asked_ % 8);
    const auto counted = [this, id](const db::Result<db::Written>& written) {
      written ? ++counted_[id] : ++failed_;
      if (!written) ADD_FAILURE() << written.error().to_string();
    };
    ++asked_;
    EXPECT_TRUE(database_.write({.writes = {increment(id)}}, counted));
    if (listed_ >= 200) return;
    db::Update list{"c", "list" + std::to_string(number_), {}, true};
    list.changes.push_back({db::Operator::push, "list", listed_++});
    EXPECT_TRUE(database_.write({.writes = {list}}, [](const auto&) {}));
  }
  bool idle() const { return database_.outstanding() == 0; }
  std::uint64_t counted(const std::string& id) { return counted_[id]; }
  std::uint64_t asked() const { return asked_; }
  std::uint64_t listed() const { return listed_; }
  std::uint64_t failed() const { return failed_; }
  db::RemoteDatabase& database() { return database_; }

 private:
  const int number_;
  db::RemoteDatabase database_;
  std::map<std::string, std::uint64_t> counted_;
  std::uint64_t asked_ = 0, listed_ = 0, failed_ = 0;
};

TEST_F(DbNodeTest, CountsEachIncrementOnceAndInOrderWhateverIsKilled) {
  run(
      [this]() -> Task {
        const auto main = node("a", "db-1");
        CO_TRUE(started(*main));
        Bus near(loop, cluster.node("a", "near"));
        Bus far(loop, cluster.node("b", "far"));
        CO_OK(co_await near.connect(use_awaitable));
        CO_OK(co_await far.connect(use_awaitable));
        Load one(near, 1);
        Load two(far, 2);
        const auto run_for = [&](std::chrono::milliseconds time) -> boost::asio::awaitable<void> {
          const auto end = std::chrono::steady_clock::now() + time;
          co_await until(time, [&] {
            one.step();
            two.step();
            return std::chrono::steady_clock::now() >= end;
          });
        };
        for (const char* const victim : {"db", "a", "db", "b", "root", "pause", "db", "stop"}) {
          co_await run_for(500ms);
          const std::string name = victim;
          if (name == "db") main->restart();
          if (name == "pause") main->stop();
          if (name == "stop") {
            main->process().signal(SIGTERM);
            CO_TRUE(co_await until(20s, [&] { return main->process().ended().has_value(); }));
            EXPECT_EQ(main->process().ended(), 0) << main->log();
            main->start();
          }
          if (name == "a" || name == "b" || name == "root") cluster.daemon(name).restart();
          co_await run_for(500ms);
          if (name == "pause") main->cont();
        }
        CO_TRUE(co_await until(60s, [&] { return one.idle() && two.idle(); }));
        EXPECT_EQ(one.failed() + two.failed(), 0u);
        EXPECT_GT(one.asked(), 100u);
        EXPECT_GT(two.asked(), 100u);
        for (int i = 0; i < 8; ++i) {
          const std::string id = std::to_string(i);
          const db::Json document = co_await find(two.database(), id);
          EXPECT_EQ(document.value("n", 0u), one.counted(id) + two.counted(id)) << id;
        }
        for (Load* const load : {&one, &two}) {
          const std::string id = load == &one ? "list1" : "list2";
          db::Json expected = db::Json::array();
          for (std::uint64_t i = 0; i < load->listed(); ++i) expected.push_back(i);
          const db::Json document = co_await find(one.database(), id);
          EXPECT_EQ(document.at("list"), expected);
        }
        EXPECT_EQ(main->json("/inspect")["load"]["stalls"], 0);
        std::cout << one.asked() << " and " << two.asked() << " increments, "
                  << one.database().counters().sent << " and " << two.database().counters().sent
                  << " requests sent" << std::endl;
      },
      150s);
}

TEST_F(DbNodeTest, AFullDiskRefusesWhatPutsAndMendsItself) {
  if (const auto refused = enter_private_mounts(); !refused.empty()) GTEST_SKIP() << refused;
  run(
      [this]() -> Task {
        const auto main = node("a", "db-1", "headroom = '1MiB'");
        std::filesystem::create_directories(main->state_folder());
        const SmallDisk disk(main->state_folder(), 64 * 1024 * 1024);
        CO_TRUE(started(*main));
        Bus bus(loop, cluster.node("b", "client"));
        CO_OK(co_await bus.connect(use_awaitable));
        db::RemoteDatabase database(bus);
        for (const char* const id : {"1", "2"}) CO_TRUE(co_await write(database, increment(id)));
        const auto filler = main->state_folder() / "filler";
        const auto room = std::filesystem::space(main->state_folder()).available;
        std::ofstream(filler) << std::string(room - 512 * 1024, 'x') << std::flush;
        db::Result<db::Written> refused = db::Written();
        for (int i = 0; i < 100 && refused; ++i) {
          refused = co_await write(database, increment("1"));
        }
        CO_TRUE(!refused);
        EXPECT_EQ(refused.error(), db::Errc::store_full) << refused.error().to_string();
        const db::Json document = co_await find(database, "2");
        EXPECT_EQ(document.value("n", 0), 1);
        db::Write erase = db::Erase{"c", "2"};
        const auto erased = co_await write(database, erase);
        EXPECT_TRUE(erased) << "in the space that is kept for that";
        EXPECT_TRUE(main->serves()) << "it mends itself";
        CO_TRUE(co_await until(10s, [&] {
          return main->get("/metrics")
                     .body.find("starbus_db_refused_total{reason=\"store_full\"}") !=
                 std::string::npos;
        }));
        std::filesystem::remove(filler);
        bool mended = false;
        for (int i = 0; i < 200 && !mended; ++i) {
          const auto again = co_await write(database, increment("3"));
          mended = again.has_value();
          if (!mended) co_await until(50ms, [] { return false; });
        }
        EXPECT_TRUE(mended);
      },
      90s);
}

TEST_F(DbNodeTest, AFailedSyncEndsTheProcessAndTheNextStartSettlesWhatWasOpen) {
  run(
      [this]() -> Task {
        const auto main = node("a", "db-1", "", "starbus-db-failing");
        CO_TRUE(started(*main));
        Bus bus(loop, cluster.node("b", "client"));
        CO_OK(co_await bus.connect(use_awaitable));
        db::RemoteDatabase database(bus);
        CO_TRUE(co_await write(database, increment("1")));
        order("fail");
        co_await until(100ms, [] { return false; });
        std::optional<db::Result<db::Written>> end;
        const db::WriteRequest request{.writes = {increment("1")}};
        CO_TRUE(database.write(request, [&](const auto& result) { end = result; }));
        CO_TRUE(co_await until(20s, [&] { return main->process().ended().has_value(); }));
        EXPECT_EQ(main->process().ended(), 1);
        EXPECT_THAT(main->log(), HasSubstr("the store has stopped: io_error"));
        EXPECT_FALSE(end) << "it is open until the next start";
        order("none");
        main->start();
        CO_TRUE(co_await until(20s, [&] { return end.has_value(); }));
        EXPECT_TRUE(*end) << end->error().to_string();
        const db::Json document = co_await find(database, "1");
        EXPECT_EQ(document.value("n", 0), 2);
      },
      90s);
}

TEST_F(DbNodeTest, ASlowDiskHoldsUpNeitherTheLoopNorReads) {
  run(
      [this]() -> Task {
        const auto main = node("a", "db-1", "", "starbus-db-failing");
        CO_TRUE(started(*main));
        Bus bus(loop, cluster.node("b", "client"));
        CO_OK(co_await bus.connect(use_awaitable));
        db::RemoteDatabase database(bus);
        CO_TRUE(co_await write(database, increment("1")));
        std::optional<db::Result<db::Written>> end;
        CO_TRUE(co_await begin_slow_write(database, end));
        const db::Json document = co_await find(database, "1");
        EXPECT_EQ(document.value("n", 0), 1);
        EXPECT_FALSE(end) << "the disk still works";
        CO_TRUE(co_await until(20s, [&] { return end.has_value(); }));
        EXPECT_TRUE(*end);
        EXPECT_EQ(main->json("/inspect")["load"]["stalls"], 0);
        EXPECT_THAT(main->get("/metrics").body, HasSubstr("starbus_db_commit_seconds_count 2"));
        EXPECT_EQ(main->terminate(20s), 0);
      },
      60s);
}

TEST_F(DbNodeTest, ADrainWaitsForTheDiskAndAnswersWhatItHasTaken) {
  run(
      [this]() -> Task {
        const auto main = node("a", "db-1", "", "starbus-db-failing");
        CO_TRUE(started(*main));
        Bus bus(loop, cluster.node("b", "client"));
        CO_OK(co_await bus.connect(use_awaitable));
        db::RemoteDatabase database(bus);
        CO_TRUE(co_await write(database, increment("1")));
        std::optional<db::Result<db::Written>> end;
        CO_TRUE(co_await begin_slow_write(database, end));
        EXPECT_FALSE(end) << "the disk still works";
        main->process().signal(SIGTERM);
        CO_TRUE(co_await until(20s, [&] { return end.has_value(); }));
        EXPECT_TRUE(*end);
        CO_TRUE(co_await until(20s, [&] { return main->process().ended().has_value(); }));
        EXPECT_EQ(main->process().ended(), 0);
        order("none");
        CO_TRUE(started(*main));
        const db::Json document = co_await find(database, "2");
        EXPECT_EQ(document.value("n", 0), 1);
        EXPECT_EQ(main->terminate(20s), 0);
      },
      60s);
}

TEST_F(DbNodeTest, OneFolderHasOneProcessAndOneDatabase) {
  const std::string folder = "folder = '" + (cluster.folder() / "documents").string() + "'\n";
  const auto main = node("a", "db-1", folder);
  ASSERT_TRUE(started(*main));
  EXPECT_THAT(main->get("/healthz").body, HasSubstr("main: 0 documents"));
  const auto second = node("a", "db-2", folder + "database = 'second'");
  second->start();
  EXPECT_EQ(second->process().wait(10s), 1);
  EXPECT_THAT(second->log(), HasSubstr("in_use"));
  EXPECT_EQ(main->terminate(20s), 0);
  const auto other = node("a", "db-3", folder + "database = 'other'");
  other->start();
  EXPECT_EQ(other->process().wait(10s), 1);
  EXPECT_THAT(other->log(), HasSubstr("has the database main, not other"));
}

TEST_F(DbNodeTest, DeclaresItsIndexesAndRefusesWhatIsNotItsOwn) {
  run(
      [this]() -> Task {
        const auto main =
            node("a", "db-1",
                 "collections = ['c']\n[[index]]\ncollection = 'c'\nname = 'n'\nfields = ['-n']");
        CO_TRUE(started(*main));
        Bus bus(loop, cluster.node("b", "client"));
        CO_OK(co_await bus.connect(use_awaitable));
        db::RemoteDatabase database(bus);
        for (const char* const id : {"1", "2"}) CO_TRUE(co_await write(database, increment(id)));
        std::optional<db::Result<db::Page>> page;
        const db::Query query{.range = {.collection = "c", .index = "n"}};
        CO_TRUE(database.query(query, [&](const auto& result) { page = result; }));
        CO_TRUE(co_await until(10s, [&] { return page.has_value(); }));
        EXPECT_EQ(page->value().found.size(), 2u);
        db::Write elsewhere = db::Erase{"d", "1"};
        const auto refused = co_await write(database, elsewhere);
        EXPECT_EQ(refused.error(), db::Errc::not_here);
        CO_TRUE(co_await until(10s, [&] { return main->json("/db")["documents"] == 2; }));
        EXPECT_EQ(main->json("/db")["collections"], 1);
        db::RemoteDatabase nobody(bus, {.database = "nobody", .deadline = 300ms});
        const auto unavailable = co_await write(nobody, increment("1"));
        EXPECT_EQ(unavailable.error(), db::Errc::unavailable);
      },
      60s);
}

TEST_F(DbNodeTest, ToolsLookIntoItWhileItRuns) {
  const auto main = node("a", "db-1");
  const auto copy = node("b", "db-2", "database = 'copy'");
  ASSERT_TRUE(started(*main) && started(*copy));
  const auto tool = [&](const std::string& host, const std::string& database,
                        const std::string& command, const std::string& log) {
    const auto child =
        cluster.run({"/bin/sh", "-c",
                     program("starbus-db-tool") + " --bus " + cluster.endpoint(host) +
                         " --database " + database + " " + command},
                    log);
    return child->wait(20s).value_or(-1);
  };
  const std::string exported = (cluster.folder() / "import").string();
  const std::string text =
      "{\"starbus-db-export\":1}\n"
      "{\"collection\":\"c\",\"document\":{\"n\":1},\"id\":\"1\"}\n{\"end\":1}\n";
  std::ofstream(exported) << text << std::flush;
  EXPECT_EQ(tool("b", "main", "import <" + exported, "in"), 0) << cluster.log_of("in");
  EXPECT_EQ(tool("a", "main", "export", "out"), 0);
  EXPECT_EQ(cluster.log_of("out"), text);
  EXPECT_EQ(tool("a", "copy", "import <" + (cluster.folder() / "out.log").string(), "copied"), 0);
  EXPECT_EQ(tool("a", "copy", "get c 1", "get"), 0);
  EXPECT_EQ(cluster.log_of("get"), "{\"n\":1}\n");
  EXPECT_EQ(tool("a", "main", "check", "check"), 0) << cluster.log_of("check");
}

TEST_F(DbNodeTest, MistakesOfTheConfigurationAreNamed) {
  const auto bad = node("a", "bad",
                        "database = 'a b'\ncollections = ['x y']\n"
                        "[[index]]\ncollection = 'c'\nname = 'n'\nfields = []");
  bad->start();
  EXPECT_EQ(bad->process().wait(10s), 2);
  EXPECT_THAT(bad->log(), HasSubstr("'a b': a name has"));
  EXPECT_THAT(bad->log(), HasSubstr("'x y': a name has"));
  EXPECT_THAT(bad->log(), HasSubstr("an index has 1..4 fields"));
}

}  // namespace
}  // namespace starbus::cluster_test
