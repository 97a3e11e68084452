// One hostile program with hundreds of sessions, each of which acts again and again, beside honest
// processes: these keep their sessions and their names, every call of theirs is answered, and
// `bustop doctor` says which program it is.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

constexpr int kHonest = 8;
constexpr int kNames = 10;         // that each of them holds
constexpr int kSessions = 512;     // of the hostile program
constexpr unsigned kUser = 65534;  // whom that program becomes, if the test may do this
constexpr auto kAttack = 3s;
/// Each of its sessions acts once in this time: what it holds and asks for is what is bounded by
/// shares. A busd that it keeps busy without a pause has less time for all.
constexpr auto kPace = 1000ms;

/// Both may do everything; but they are two users where the test runs as root.
std::string roles() {
  if (::getuid() != 0) return "";
  const std::string all = "bind = ['']\nsend = ['']\nwatch = ['']\n";
  return "[[role]]\nname = 'honest'\nusers = ['0']\n" + all +
         "[[role]]\nname = 'hostile'\nusers = ['" + std::to_string(kUser) + "']\n" + all;
}

std::string name_of(int process, int number) {
  return "honest/" + std::to_string(process) + "." + std::to_string(number);
}

class IntruderTest : public ClusterTest {
 protected:
  /// Of the sessions that this busd serves at most the program takes more than a half.
  IntruderTest() {
    Daemon& busd = cluster.busd("a");
    std::string config = cluster.busd_config("a", {""});
    const std::string table = "[busd]\n";
    config.insert(config.find(table) + table.size(), "max_processes = 800\nsocket_mode = '0666'\n");
    busd.configure(config);
    busd.restart();
    ::chmod(cluster.folder().c_str(), 0711);
    EXPECT_TRUE(wait_for(20s, [&] { return busd.serves(); }));
  }

  Task start_honest() {
    for (int i = 0; i < kHonest; ++i) {
      const std::string host = i % 4 == 3 ? "b" : "a";
      honest.push_back(
          std::make_unique<Bus>(loop, cluster.node(host, "honest-" + std::to_string(i))));
      Bus& bus = *honest.back();
      bus.on_lease_lost([this] { ++leases_lost; });
      CO_OK(co_await bus.connect(use_awaitable));
      watches.push_back(bus.watch("honest/", [this](const bus::WatchUpdate& update) {
        for (const bus::WatchRow& row : update.changes) names_gone += row.present ? 0 : 1;
      }));
      for (int n = 0; n < kNames; ++n) {
        const auto echo = [](bus::Call& call) { (void)call.reply(call.body()); };
        const bus::Handlers handlers{.on_call = echo};
        CO_OK(co_await bus.bind(name_of(i, n), handlers, use_awaitable));
      }
    }
  }

  /// Calls names of the next process in turn, until told to stop.
  Task call_on(int process) {
    boost::asio::steady_timer pause(loop);
    for (int n = 0; !enough; ++n) {
      const auto reply = co_await honest[static_cast<std::size_t>(process)]->call(
          name_of((process + 1) % kHonest, n % kNames), "hello", {.deadline = 10s}, use_awaitable);
      if (!reply) ADD_FAILURE() << "call " << n << ": " << reply.error().to_string();
      ++calls;
      pause.expires_after(20ms);
      co_await pause.async_wait(use_awaitable);
    }
    ++callers_ended;
  }

  /// The findings of a check, as doctor prints them.
  Task doctor(std::string check, std::vector<std::string>& findings) {
    const auto child = cluster.run(
        {program("bustop"), "--admin", cluster.busd("a").admin(), "doctor", "--json"}, "doctor");
    CO_TRUE(co_await until(20s, [&] { return child->ended().has_value(); }));
    const auto json = nlohmann::json::parse(cluster.log_of("doctor"), nullptr, false);
    CO_TRUE(json.is_object());
    for (const auto& finding : json.at("findings")) {
      if (finding.at("check") == check) findings.push_back(finding.at("what"));
    }
  }

  Task expect_named(pid_t pid) {
    std::vector<std::string> findings;
    co_await doctor("user_takes_most", findings);
    const std::string who = "pid " + std::to_string(pid) + " (";
    EXPECT_TRUE(std::ranges::any_of(findings, [&](const std::string& what) {
      return what.starts_with(who);
    })) << ::testing::PrintToString(findings);
  }

  /// nullopt: busd does not answer.
  std::optional<std::uint64_t> sessions_at_busd() {
    const auto status = cluster.busd("a").json("/status");
    if (!status.is_object()) return std::nullopt;
    return status.at("shares").at("processes").at("used").get<std::uint64_t>();
  }

  Cluster cluster{{.roles = roles()}};
  std::vector<std::unique_ptr<Bus>> honest;
  std::vector<bus::Result<bus::WatchHandle>> watches;  // gone before their buses
  int names_gone = 0;                                  // as any of them saw
  std::uint64_t calls = 0;
  int callers_ended = 0;
  int leases_lost = 0;
  bool enough = false;
};

TEST_F(IntruderTest, NeighboursKeepWhatTheyHaveAndDoctorNamesIt) {
  run(
      [this]() -> Task {
        co_await start_honest();
        for (int i = 0; i < kHonest; ++i) spawn([this, i] { return call_on(i); });
        CO_TRUE(co_await until(10s, [&] { return calls > kHonest; }));
        const std::uint64_t before = sessions_at_busd().value_or(0);
        auto intruder = cluster.run(
            {program("starbus-test-intruder"), cluster.socket("a"), "a", std::to_string(kSessions),
             "honest/", std::to_string(kUser), std::to_string(kPace.count())},
            "intruder");
        const pid_t pid = intruder->pid();
        CO_TRUE(co_await until(
            20s, [&] { return cluster.log_of("intruder").find("ready") != std::string::npos; }));
        EXPECT_GT(sessions_at_busd().value_or(0), before + kSessions / 2);
        const auto begun = std::chrono::steady_clock::now();
        const std::uint64_t calls_before = calls;
        co_await expect_named(pid);
        Bus newcomer(loop, cluster.node("a", "newcomer"));
        CO_OK(co_await newcomer.connect(use_awaitable));
        CO_OK(co_await newcomer.call(name_of(0, 0), "hello", {.deadline = 10s}, use_awaitable));
        CO_TRUE(co_await until(20s,
                               [&] { return std::chrono::steady_clock::now() - begun > kAttack; }));
        EXPECT_FALSE(intruder->ended()) << "it was not there to the end";
        EXPECT_GT(calls, calls_before + kHonest) << "calls stand still";

        enough = true;
        CO_TRUE(co_await until(20s, [&] { return callers_ended == kHonest; }));
        for (const auto& bus : honest) EXPECT_EQ(bus->counters().connects, 1U);
        EXPECT_EQ(leases_lost, 0);
        EXPECT_EQ(names_gone, 0);
        for (int i = 0; i < kHonest; ++i) {
          for (int n = 0; n < kNames; ++n) {
            CO_OK(
                co_await newcomer.call(name_of(i, n), "there?", {.deadline = 10s}, use_awaitable));
          }
        }
        intruder->kill();
        EXPECT_TRUE(co_await until(10s, [&] {
          return sessions_at_busd().value_or(kSessions) <= before + 1;
        })) << "its sessions are left";
      },
      110s);
}

}  // namespace
}  // namespace starbus::cluster_test
