// Posters and readers are killed, and the store as well: each message is stored once and takes
// effect once. What a reader saves with the effect is its cursor, a poster's message has a key.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <random>
#include <set>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

const std::string kBox = "player/1";

class MailKillTest : public ::testing::Test {
 protected:
  /// `death`: a step and a message at which it kills itself, see player/main.cpp.
  std::unique_ptr<Child> player(const std::string& host, const std::string& what, int count,
                                const std::vector<std::string>& death = {}) {
    const auto file = (cluster.folder() / what).string();
    std::vector<std::string> command{"/usr/bin/env",
                                     "STARBUS_BUSD=" + cluster.endpoint(host),
                                     program("starbus-test-player"),
                                     what,
                                     kBox,
                                     file,
                                     std::to_string(count)};
    command.insert(command.end(), death.begin(), death.end());
    return cluster.run(command, what + "-" + std::to_string(++runs_));
  }
  void ends(Child& child, int code) {
    EXPECT_EQ(child.wait(20s), code) << cluster.log_of("post-" + std::to_string(runs_))
                                     << cluster.log_of("read-" + std::to_string(runs_));
  }
  /// The lines of a file: "1 1", "2 2"...
  void expect_all(const std::string& what, int count) {
    std::ifstream file(cluster.folder() / what);
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      EXPECT_EQ(line, std::to_string(number) + " " + std::to_string(number)) << what;
    }
    EXPECT_EQ(number, count) << what;
  }

  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};
  int runs_ = 0;
};

TEST_F(MailKillTest, AtEachStepOfAMessage) {
  constexpr int kCount = 30;
  ends(*player("a", "post", kCount, {"before", "5"}), -SIGKILL);
  ends(*player("b", "post", kCount, {"posted", "10"}), -SIGKILL);
  ends(*player("b", "post", kCount, {"posted", "11"}), -SIGKILL);
  ends(*player("a", "read", kCount, {"before", "3"}), -SIGKILL);
  ends(*player("b", "read", kCount, {"saved", "3"}), -SIGKILL);
  ends(*player("b", "read", kCount, {"acknowledged", "6"}), -SIGKILL);
  ends(*player("a", "post", kCount), 0);
  ends(*player("a", "read", kCount, {"saved", "20"}), -SIGKILL);
  ends(*player("b", "read", kCount), 0);
  expect_all("post", kCount);
  expect_all("read", kCount);
}

// All at once: a poster, a reader and the store, each killed at any time.
TEST_F(MailKillTest, AtAnyTime) {
  const int least = long_runs() ? 300 : 10;
  const int more = long_runs() ? 20'000 : 600;
  int count = more;
  std::mt19937 random(std::random_device{}());
  const auto below = [&](unsigned bound) { return static_cast<int>(random() % bound); };
  const auto host = [&] { return std::string(below(2) == 0 ? "a" : "b"); };
  std::unique_ptr<Child> poster, reader;
  int kills = 0;
  const auto limit = std::chrono::steady_clock::now() + (long_runs() ? 600s : 100s);
  // One that was killed begins anew; one that has ended well is not begun again.
  const auto tend = [&](std::unique_ptr<Child>& child, const std::string& what) {
    if (!child) child = player(host(), what, count);
    return child->ended() == 0;
  };
  while (true) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit) << kills << " kills";
    const bool posted = tend(poster, "post");
    const bool read = tend(reader, "read");
    if (posted && read) {
      if (kills >= least) break;
      // Too fast to be killed so often: there is more to do.
      count += more;
      poster.reset();
      reader.reset();
      continue;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + below(150)));
    const int whom = below(8);
    if (kills >= least) continue;  // the rest in peace
    if (whom == 0) {
      cluster.busd("a").restart();
    } else if (whom < 4 && poster->ended() != 0) {
      poster.reset();
    } else if (whom >= 4 && reader->ended() != 0) {
      reader.reset();
    } else {
      continue;
    }
    ++kills;
  }
  expect_all("post", count);
  expect_all("read", count);
  RecordProperty("kills", kills);
}

}  // namespace
}  // namespace starbus::cluster_test
