/// A thread with many bots: one epoll, one heap of deadlines. Made and asked by the run's thread;
/// its bots belong to its own thread, which holds a lock while it works, so that the run can look.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/result.hpp"
#include "tools/bots/bot.hpp"

namespace starbus::bots {

/// See above.
class Loop {
 public:
  /// Errors: io_error (no descriptors).
  static Result<std::unique_ptr<Loop>> make(std::unique_ptr<Ground> ground);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Before start().
  void add(std::uint64_t number, Nanos arrival);
  void start();
  /// Any thread.
  void enter(Stage stage);
  /// Takes the figures away, and looks at the bots. Any thread.
  Figures take(Gauges& gauges);
  /// What bots that play see and are. Any thread.
  void look(std::vector<Sighting>& all);
  void stand(std::vector<Standing>& all);
  /// After settling. Any thread.
  void judge_end();
  /// Accounts and what they may come back with.
  void tickets(Tickets& all);

 private:
  explicit Loop(std::unique_ptr<Ground> ground) : ground_(std::move(ground)) {}
  struct Row;
  /// What epoll knows of a session's socket.
  struct Watched {
    int fd = -1;
    std::uint64_t connection = 0;
    bool writes = false;
  };
  struct Row {
    std::unique_ptr<Bot> bot;
    Nanos scheduled = kNever;
    Watched sockets[2]{};  // of present() and next()
  };
  struct Due {
    Nanos at;
    std::size_t row;
    bool operator<(const Due& other) const { return at > other.at; }  // the earliest is on top
  };

  void run();
  void turn(std::size_t row, Nanos now, bool ready);
  void watch(std::size_t row);
  void watch(std::size_t row, Watched& known, const Player* player);
  void schedule(std::size_t row);
  void turn_due();
  void set_timer();
  void say_goodbye();

  std::unique_ptr<Ground> ground_;
  FileDescriptor epoll_, timer_, wake_;
  std::mutex mutex_;  // all below, while the loop works
  std::vector<Row> rows_;
  std::priority_queue<Due> due_;
  Nanos timer_at_ = kNever;
  bool goodbye_ = false;
  std::atomic<Stage> stage_{Stage::playing};
  std::thread thread_;
};

}  // namespace starbus::bots
