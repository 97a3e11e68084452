/// What a test and the busd that it lets crash (busd-crashing) have in common: where the test says
/// at which change of the disk busd is to die, and where busd notes each of them before it makes
/// it, so that the dead can be asked. A file that both map. One busd at a time; the test writes its
/// part, but for the phase, only while none runs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cluster/chaos/shared_file.hpp"

namespace starbus::cluster_test {

/// Calls that change the disk: those of storage::testing::Call, by the same numbers.
enum class DiskCall : std::uint8_t { open, append, sync, rename, remove, sync_folder };
enum class DiskFile : std::uint8_t { log, table, manifest, current, temporary, folder, other };
/// What the test was about.
enum class Phase : std::uint8_t {
  opening,
  posting,
  logging,
  reading,
  erasing,
  purging,
  closing,
  recovering,
  moving,
  ageing
};
/// When busd dies: before the call; when half of an append is on the disk (other calls: as after);
/// or when all of it is, and nobody was told.
enum class Moment : std::uint8_t { before, half, after };
inline constexpr Moment kMoments[] = {Moment::before, Moment::half, Moment::after};

/// A call, and what it was for.
struct Situation {
  DiskCall call{};
  DiskFile file{};
  Phase phase{};
  friend auto operator<=>(const Situation&, const Situation&) = default;
};
std::string name_of(const Situation& situation);
std::string name_of(Moment moment);

/// Which calls count for a CrashPoint: all, those of its situation's kind whatever the test was
/// about, or those in its situation.
enum class Counts : std::uint8_t { all, kind, situation };

/// The `nth` of those calls of this busd's life that count; 0: none.
struct CrashPoint {
  std::uint32_t nth = 0;
  Moment moment = Moment::before;
  Counts counts = Counts::all;
  Situation situation{};
};
std::string name_of(const CrashPoint& point);

class CrashSheet {
 public:
  /// Of the environment, for busd: the path of the file.
  static constexpr const char* kVariable = "STARBUS_CRASH_SHEET";
  static constexpr std::size_t kMost = 100'000;  // calls of a life that are noted

  static CrashSheet create(const std::filesystem::path& path);
  static CrashSheet open(const std::filesystem::path& path) {
    return CrashSheet(SharedFile::open(path));
  }

  // --- the test ---
  /// For the next life of busd, of which nothing is noted yet.
  void arm(const CrashPoint& point);
  void enter(Phase phase) { content().phase = phase; }
  /// Sets the clock of busd's mail ahead of the system's by so much, at once and for later lives.
  void set_clock_ahead(std::uint64_t ms) { content().clock_ahead_ms = ms; }
  /// Calls of this life so far; the last one is the crash, if it was struck.
  std::vector<Situation> calls() const;
  bool struck() const { return content().struck; }

  // --- busd; one thread at a time ---
  /// Notes a call; true: here it ends.
  bool note(DiskCall call, DiskFile file);
  Moment moment() const { return content().point.moment; }
  std::uint64_t clock_ahead() const { return content().clock_ahead_ms; }  // any thread

 private:
  struct Content {
    CrashPoint point;
    std::atomic<Phase> phase;
    std::atomic<std::uint64_t> clock_ahead_ms;
    std::atomic<std::uint32_t> made;
    std::atomic<std::uint32_t> matched;
    std::atomic<bool> struck;
    std::array<Situation, kMost> calls;
  };
  explicit CrashSheet(SharedFile file) : file_(std::move(file)) {}
  Content& content() const { return *reinterpret_cast<Content*>(file_.data()); }

  SharedFile file_;
};

}  // namespace starbus::cluster_test
