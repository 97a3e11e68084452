/// The account of a run of moves: a shared file, like Board. Channels `mover/0`... wander between
/// the nodes while they send to each other, and the nodes themselves send to them. Numbers of a
/// stream must come as 0, 1, 2... wherever its two ends are.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/cluster/chaos/board.hpp"
#include "tests/cluster/chaos/shared_file.hpp"

namespace starbus::cluster_test {

inline constexpr std::uint32_t kMovers = 8;
inline constexpr std::uint32_t kSenders = kMovers + kNodes;  // the nodes come behind the movers

/// wait: places the channels; go: moves and sends; halt: ends what it has begun; flush: until all
/// is acknowledged; leave.
enum class MovePhase : std::uint32_t { wait, go, halt, flush, leave };
enum class MoverState : std::uint32_t { starting, ready, halted, flushed };

/// One sender to one mover.
struct Wander {
  std::atomic<std::uint32_t> sent;
  std::atomic<std::uint32_t> handled;  // in sequence: what is expected next
  std::atomic<std::uint32_t> wrong;    // any other number
};

struct MoverAccount {
  std::atomic<std::uint32_t> owners;  // that hold it active
  std::atomic<std::uint32_t> arrivals;
  std::atomic<std::uint32_t> two_owners;   // times that there was one already
  std::atomic<std::uint32_t> stale_state;  // arrived with another state than it had when frozen
};

struct MoverNodeAccount {
  std::atomic<MoverState> state;
  std::atomic<std::uint32_t> leases_lost;
  std::atomic<std::uint32_t> undelivered;
};

struct MoveTable {
  std::atomic<MovePhase> phase;
  std::atomic<std::uint32_t> begun;
  std::atomic<std::uint32_t> wanted;
  std::atomic<std::uint32_t> done;
  std::atomic<std::uint32_t> failures[64];  // by number of the Errc
  MoverNodeAccount nodes[kNodes];
  MoverAccount movers[kMovers];
  Wander wanders[kSenders][kMovers];
};

class MoveBoard {
 public:
  static MoveBoard create(const std::filesystem::path& path) {
    return MoveBoard(SharedFile::create(path, sizeof(MoveTable)));
  }
  static MoveBoard open(const std::filesystem::path& path) {
    return MoveBoard(SharedFile::open(path));
  }
  MoveTable* operator->() const { return reinterpret_cast<MoveTable*>(file_.data()); }

  static std::string channel_of(std::uint32_t mover) { return "mover/" + std::to_string(mover); }
  static std::string process_of(std::uint32_t node) {
    return Board::host_name(Board::host_of(node)) + ".n" + std::to_string(node);
  }

 private:
  explicit MoveBoard(SharedFile file) : file_(std::move(file)) {}
  SharedFile file_;
};

}  // namespace starbus::cluster_test
