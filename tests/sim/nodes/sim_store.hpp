/// A simulated disk with the store's contract, and the store that stands on it for one life of its
/// program. Batches become durable some time after they were committed, in order; a crash keeps
/// some prefix of those that were not, each whole. A sync that fails ends the store, and whether
/// the disk has that batch shows when it is opened again. One thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "storage/store.hpp"
#include "tests/sim/nodes/node.hpp"
#include "tests/sim/random.hpp"

namespace starbus::sim {

struct SimDisk {
  enum class Room { plenty, little, none };  // little: only bookkeeping is taken
  std::map<std::string, std::string> rows;
  Room room = Room::plenty;
  std::optional<int> syncs_left{};  // so many batches become durable; the rest waits, or is lost
  bool fails = false;               // the next sync; another one, when a new program has opened it
};

class SimStore final : public storage::Store {
 public:
  /// `after` runs things later, while the program lives.
  using After = std::function<void(Time, std::function<void()>)>;
  SimStore(SimDisk& disk, Random& random, After after)
      : disk_(disk), random_(random), after_(std::move(after)) {}

  /// Looks at a batch that is durable now, while the disk is still as it was before.
  std::function<void(const storage::Batch&)> when_durable;

  /// The end of the program; how many batches were lost.
  int crash();
  bool stopped() const { return stopped_; }

  storage::Result<> commit(storage::Batch batch, Completion done) override;
  storage::Result<std::optional<std::string>> get(std::string_view key) const override;
  storage::Result<std::unique_ptr<storage::Snapshot>> snapshot() const override;
  storage::Result<bool> erases(std::string_view, std::string_view) const override { return false; }
  void compact(std::string_view, std::string_view) override {}
  storage::Result<> check_files(const storage::FileCheck&) const override { return {}; }
  storage::Report report() const override;
  void close() override {}

 private:
  struct Pending {
    storage::Batch batch;
    Completion done;
  };
  void sync();
  void fail();
  void apply(const storage::Batch& batch);

  SimDisk& disk_;
  Random& random_;
  After after_;
  std::deque<Pending> pending_;
  std::optional<storage::Batch> torn_;  // of which nobody knows whether the disk has it
  bool stopped_ = false;
};

}  // namespace starbus::sim
