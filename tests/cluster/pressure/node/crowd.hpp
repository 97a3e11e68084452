/// A node that has more to do than a core can: villagers with three watchers each, all of which
/// change in each tick until it drains, and a function of the tick that takes longer than the tick,
/// to the end. It notes how old a change is when it is stored, and whether an update is told twice
/// within a tick.
///
///   folder = "/tmp/x"     # where the last saved state of each villager is written at the end
///   villagers = 1000
///   demand = 150          # percent of a core that a tick's function takes
///   save_every = "1s"
///   [loop]
///   tick = "50ms"
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "entity/properties/properties.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "tests/cluster/pressure/node/keeper.hpp"

namespace starbus::cluster_test {

struct VillagerState : entity::Properties<VillagerState> {
  /// The number of the tick that has written it last.
  entity::Field<std::uint64_t, entity::Flags::all_clients | entity::Flags::save> stamp{this,
                                                                                       "stamp"};
};
class Villager final : public entity::EntityOf<Villager> {
 public:
  static constexpr std::string_view kTypeName = "villager";
  explicit Villager(const entity::ConstructKey& key) : EntityOf(key) {}
  entity::Root* properties() override { return &state; }
  VillagerState state;

 private:
  ~Villager() override = default;
};

class Crowd final : public nodes::App, private nodes::entities::AudienceSink {
 public:
  ~Crowd() override;
  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(nodes::Node& node) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Save {
    std::string id;
    std::uint64_t stamp = 0;
    nodes::Done done;
  };
  void news(const entity::Entity& entity, entity::Audience audience, bus::ByteView) override;
  void open();
  void tick();
  void save(const nodes::entities::SavedEntity& saved, nodes::Done done);
  void write();
  void stored(const std::string& id, std::uint64_t stamp);
  /// Of the oldest change that was not stored by now, or was stored late.
  std::chrono::milliseconds oldest() const;
  std::string report();

  std::filesystem::path folder_;
  std::uint32_t villagers_ = 0;
  std::uint32_t demand_ = 0;
  std::chrono::milliseconds save_every_{};
  bool works_ = true;
  bool drains_ = false;
  nodes::Node* node_ = nullptr;
  std::uint64_t drawn_ = 0;
  std::vector<Clock::time_point> written_;     // by stamp
  std::map<std::string, std::uint64_t> kept_;  // the latest stored stamp, by villager
  Clock::duration latest_{};                   // of those that were stored
  std::vector<Save> gathered_;
  bool writes_ = false;
  std::uint64_t told_ = 0;
  std::uint64_t doubled_ = 0;  // told twice within one tick
  std::map<std::pair<std::uint64_t, entity::Audience>, std::uint64_t> told_in_;  // which tick
  Keeper keeper_;
  std::optional<nodes::entities::EntityHost> host_;
};

}  // namespace starbus::cluster_test
