/// A node whose code throws at random wherever a game may throw: imps that others call, and all
/// that goes on by itself, closures, tasks, coroutines, timers, functions of the tick, listeners,
/// hooks, deadlines, completions. Its ledger counts what it throws; the node must count the same.
#pragma once

#include <optional>
#include <vector>

#include "entity/events/dispatcher.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "tests/cluster/pressure/node/keeper.hpp"
#include "tests/nodes/hosting/wild_imp.hpp"

namespace starbus::cluster_test {

inline constexpr std::size_t kImps = 8;       // imp/0 to imp/7
inline constexpr const char* kRaw = "raw/x";  // numbers as text

class Wild final : public nodes::App, private nodes::entities::AudienceSink {
 public:
  ~Wild() override;
  bus::Result<> start(nodes::Node& node) override;

 private:
  struct Bell {};
  void news(const entity::Entity&, entity::Audience, bus::ByteView) override;
  void open();
  /// One round of what goes on by itself.
  void stir();
  void work(bool wild);
  /// All that a round has begun has ended.
  bool settled() const;
  std::string report();

  nodes::entities::wild::Ledger ledger_{20'261'128};
  nodes::Node* node_ = nullptr;
  std::uint64_t drawn_ = 0;
  std::uint64_t dreams_ = 0, calls_ = 0, answers_ = 0, tasks_ = 0, tasks_ended_ = 0;
  Stream posted_, raw_;
  entity::Dispatcher<Bell> bell_;
  std::vector<nodes::entities::wild::Imp*> imps_;
  std::optional<nodes::entities::wild::Moods> moods_;
  Keeper keeper_;
  entity::TimerOwner timers_;
  std::optional<nodes::entities::EntityHost> host_;
};

}  // namespace starbus::cluster_test
