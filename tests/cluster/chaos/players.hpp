// A poster and a reader of one mailbox as processes of their own (player/main.cpp), to be killed.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/cluster/cluster_harness.hpp"
#include "tests/places.hpp"

namespace starbus::cluster_test {

/// What a reader saves with the effect of a message is its cursor; each message of the poster has
/// an idempotency key. So whenever they are killed, each message is stored once and takes effect
/// once.
class Players {
 public:
  explicit Players(Cluster& cluster) : cluster_(cluster) {}

  /// `death`: a step and a message at which the process kills itself, see player/main.cpp.
  std::unique_ptr<Child> start(const std::string& host, const std::string& what, int count,
                               const std::vector<std::string>& death = {}) {
    std::vector<std::string> command{"/usr/bin/env",
                                     "STARBUS_BUSD=" + cluster_.endpoint(host),
                                     program("starbus-test-player"),
                                     what,
                                     "player/killed",
                                     file(what),
                                     std::to_string(count)};
    command.insert(command.end(), death.begin(), death.end());
    return cluster_.run(command, what + "-" + std::to_string(++runs_));
  }
  std::string last_log() {
    return cluster_.log_of("post-" + std::to_string(runs_)) +
           cluster_.log_of("read-" + std::to_string(runs_));
  }

  /// Starts those again, on either host, that were killed or have ended before this count; true if
  /// both have ended well.
  bool tend(int count) {
    const bool posted = tend(poster_, "post", count);
    const bool read = tend(reader_, "read", count);
    return posted && read;
  }
  void kill_poster() { poster_.process.reset(); }
  void kill_reader() { reader_.process.reset(); }

  /// Each file has the lines "1 1", "2 2" up to `count`.
  void expect_all(int count) {
    for (const std::string what : {"post", "read"}) {
      std::ifstream lines(file(what));
      int number = 0;
      for (std::string line; std::getline(lines, line);) {
        ++number;
        EXPECT_EQ(line, std::to_string(number) + " " + std::to_string(number)) << what;
      }
      EXPECT_EQ(number, count) << what;
    }
  }

 private:
  struct Player {
    std::unique_ptr<Child> process;
    int count = 0;
  };
  bool tend(Player& player, const std::string& what, int count) {
    const bool ended = player.process && player.process->ended() == 0;
    if (ended && player.count == count) return true;
    if (!player.process || ended) player = {start(next_host(), what, count), count};
    return false;
  }
  std::string file(const std::string& what) { return (cluster_.folder() / what).string(); }
  std::string next_host() { return runs_ % 3 == 0 ? "a" : "b"; }

  Cluster& cluster_;
  int runs_ = 0;
  Player poster_, reader_;
};

}  // namespace starbus::cluster_test
