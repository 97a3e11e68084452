#include "tests/cluster/pressure/node/crowd.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace starbus::cluster_test {

using entity::Audience;
using std::chrono::milliseconds;

/// The host has ended all entities by then, and their last states are stored.
Crowd::~Crowd() {
  host_.reset();
  if (folder_.empty()) return;
  std::ofstream file(folder_ / "kept");
  file << written_.size() << '\n';
  for (const auto& [id, stamp] : kept_) file << id << ' ' << stamp << '\n';
}

void Crowd::configure(daemon::ConfigReader& reader) {
  folder_ = reader.string("folder", "/tmp");
  villagers_ = reader.integer<std::uint32_t>("villagers", 1'000, 1, 100'000);
  demand_ = reader.integer<std::uint32_t>("demand", 150, 0, 1'000);
  save_every_ = reader.duration("save_every", std::chrono::seconds(1));
}

bus::Result<> Crowd::start(nodes::Node& node) {
  node_ = &node;
  nodes::entities::HostOptions options;
  options.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
    return entity::OnlineId{++drawn_};
  };
  options.save = [this](const nodes::entities::SavedEntity& saved, nodes::Done done) {
    save(saved, std::move(done));
  };
  options.save_every = save_every_;
  options.sink = this;
  options.tick = std::chrono::duration_cast<milliseconds>(node.ticks().period());
  host_.emplace(node.rpc(), node.timers(), node.name(), std::move(options));
  host_->declare<Villager>();
  const auto ticking = node.ticks().add({.name = "crowd"}, [this](const entity::Tick&) { tick(); });
  if (!ticking) return bus::Error(bus::Errc::bad_config, ticking.error().to_string());
  keeper_.on_report = [this] { return report(); };
  keeper_.on_work = [this](bool works) { works_ = works; };
  node.offer(kKeeper, keeper_);
  node.on_state([this](nodes::NodeState state) {
    if (state == nodes::NodeState::ready) open();
    if (state == nodes::NodeState::draining) drains_ = true;
  });
  return host_->join(node);
}

void Crowd::open() {
  for (std::uint32_t i = 0; i < villagers_; ++i) {
    entity::CreateOptions how;
    how.persistent_id = "v" + std::to_string(i);
    const auto made = host_->entities().create_with<Villager>(how);
    if (!made) return spdlog::error("{}: {}", how.persistent_id, made.error().to_string());
    kept_[how.persistent_id] = written_.size();
    for (const Audience audience :
         {Audience::ghost, Audience::other_clients, Audience::own_client}) {
      static_cast<void>(host_->watch(**made, audience));
    }
    host_->publish(**made, "villager/" + how.persistent_id, [](const bus::Result<>& bound) {
      if (!bound) spdlog::error("{}", bound.error().to_string());
    });
  }
  told_ = doubled_ = 0;  // the snapshots of the watching
  told_in_.clear();
}

/// Changes all, then takes its share of the time that there is.
void Crowd::tick() {
  if (!works_ || kept_.empty()) return;
  const auto begun = Clock::now();
  if (!drains_) {
    written_.push_back(begun);
    host_->entities().for_each<Villager>(
        [this](Villager& villager) { villager.state.stamp = written_.size(); });
  }
  const auto end = begun + node_->ticks().period() * demand_ / 100;
  while (Clock::now() < end) {
  }
}

void Crowd::news(const entity::Entity& entity, Audience audience, bus::ByteView) {
  ++told_;
  const std::uint64_t tick = host_ ? host_->told().ticks : 0;
  const auto id = static_cast<std::uint64_t>(entity.online_id());
  const auto [at, first] = told_in_.try_emplace({id, audience}, tick);
  if (!first && std::exchange(at->second, tick) == tick) ++doubled_;
}

void Crowd::save(const nodes::entities::SavedEntity& saved, nodes::Done done) {
  VillagerState state;
  if (!state.load_saved(saved.properties)) return done(bus::Error(bus::Errc::corrupt));
  gathered_.push_back({saved.persistent_id, state.stamp.get(), std::move(done)});
  if (!writes_) write();
}

/// A worker pretends to be a disk, and takes all at once that has come while it wrote.
void Crowd::write() {
  writes_ = !gathered_.empty();
  if (!writes_) return;
  const auto batch = std::make_shared<std::vector<Save>>(std::exchange(gathered_, {}));
  const auto submitted = node_->tasks().submit(
      "disk", [] {},
      [this, batch](const bus::Result<>& written) {
        writes_ = false;
        for (const Save& one : *batch) {
          if (written) stored(one.id, one.stamp);
          one.done(written);
        }
        if (!writes_) write();
      });
  if (submitted) return;
  writes_ = false;
  for (const Save& one : *batch) one.done(submitted);
}

void Crowd::stored(const std::string& id, std::uint64_t stamp) {
  std::uint64_t& kept = kept_[id];
  if (stamp <= kept) return;
  latest_ = std::max(latest_, Clock::now() - written_[kept]);  // of the first that was not stored
  kept = stamp;
}

milliseconds Crowd::oldest() const {
  Clock::duration oldest = latest_;
  for (const auto& [id, stamp] : kept_) {
    if (stamp < written_.size()) oldest = std::max(oldest, Clock::now() - written_[stamp]);
  }
  return std::chrono::duration_cast<milliseconds>(oldest);
}

std::string Crowd::report() {
  return nlohmann::json({{"changes", written_.size()},
                         {"sync_ticks", host_->told().ticks},
                         {"told", told_},
                         {"doubled", doubled_},
                         {"oldest_ms", oldest().count()},
                         {"saved", host_->counters().saved},
                         {"unsaved", host_->counters().unsaved},
                         {"notes", keeper_.notes.last},
                         {"notes_wrong", keeper_.notes.wrong}})
      .dump();
}

}  // namespace starbus::cluster_test
