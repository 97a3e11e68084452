/// The thread that surveys the run, and the latest document of it. Constructor, destructor, look()
/// and ordered() are for the thread of the loop.
///
/// Twice a second while somebody looks; each kIdleRound otherwise, so that travels are not missed
/// and the run is hardly disturbed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "examples/arena/operator/history.hpp"
#include "examples/arena/operator/run_folder.hpp"

namespace arena::view {

class Watch {
 public:
  static constexpr std::chrono::milliseconds kRound{500};
  static constexpr std::chrono::milliseconds kIdleRound{5000};
  /// Nobody looks any more, when nobody has for so long.
  static constexpr std::chrono::milliseconds kIdle{5000};
  /// For one answer of a program; those that hang delay a round by that.
  static constexpr std::chrono::milliseconds kPatience{300};
  /// Events of one answer: the latest.
  static constexpr std::size_t kMostEvents = 128;

  /// The folder outlives this.
  explicit Watch(const RunFolder& folder);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// The latest round, with "events" after that number, "last" (of the latest event), "travels"
  /// (since the beginning) and "age_ms" (of the round; null before the first one).
  nlohmann::json look(std::uint64_t after);
  /// By an operator; the next round begins at once.
  void ordered(Event::What what, const std::string& program);

 private:
  void run();
  bool goes_on();

  const RunFolder& folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  History history_;
  nlohmann::json latest_ = nlohmann::json::object();
  Moment surveyed_{};  // 0: not yet
  Moment looked_{};
  bool soon_ = false;
  bool ends_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace arena::view
