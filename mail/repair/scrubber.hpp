#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mail/limits.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// How fast a Scrubber reads.
struct ScrubSettings {
  std::uint64_t rate = kScrubRate;         // bytes a second; 0: none is read
  std::chrono::milliseconds rest{60'000};  // between two rounds
  friend bool operator==(const ScrubSettings&, const ScrubSettings&) = default;
};

/// Figures of a Scrubber, for metrics.
struct ScrubFigures {
  std::uint64_t rounds = 0;   // that came to their end
  std::uint64_t bytes = 0;    // read
  std::uint64_t damaged = 0;  // places, of the latest round and of what the present one has found
  std::uint64_t found = 0;    // places, ever, each once
  std::vector<std::string> findings;  // of those, the first kScrubShown: with their mailboxes
};

/// Reads all files of a store in use, slowly, round after round, on a thread of its own: it finds
/// damage while there still are backups, and before a compaction meets it, which makes busd close
/// and repair the store. Reports each damaged place once, with its mailboxes; forgets a place that
/// is sound in a later round. The store is not owned. The destructor ends the thread within the
/// time of one read.
class Scrubber {
 public:
  using Trouble = std::function<void(const std::string& text)>;
  /// `trouble` is called on the thread of the scrub.
  Scrubber(const storage::Store& store, const ScrubSettings& settings, Trouble trouble);
  ~Scrubber();
  Scrubber(const Scrubber&) = delete;
  Scrubber& operator=(const Scrubber&) = delete;

  /// Any thread.
  ScrubFigures figures() const;

 private:
  /// By file and first key: the report of each place.
  using Places = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

  void run();
  void go_round();
  bool wait_for(std::chrono::steady_clock::duration time);
  void found(const storage::FileDamage& damage, Places& places);
  std::vector<std::string> name(const storage::FileDamage& damage) const;
  void publish(const Places& present);

  const storage::Store& store_;
  const ScrubSettings settings_;
  const Trouble trouble_;
  Places latest_;             // of the latest whole round; of the thread
  std::string cannot_check_;  // why, when it was told last; likewise
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  ScrubFigures figures_;
  std::thread thread_;
};

}  // namespace starbus::mail
