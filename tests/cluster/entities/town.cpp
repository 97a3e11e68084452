#include "tests/cluster/entities/town.hpp"

#include <spdlog/spdlog.h>

#include <fstream>
#include <iterator>

namespace starbus::cluster_test {

void Town::configure(daemon::ConfigReader& reader) {
  folder_ = reader.string("folder", "/tmp");
  guilds_ = reader.integer<std::uint32_t>("guilds", 1, 0, 1'000);
}

bus::Result<> Town::start(nodes::Node& node) {
  node_ = &node;
  nodes::entities::HostOptions options;
  options.save = [this](nodes::entities::SavedEntity saved, nodes::Done done) {
    save(std::move(saved), std::move(done));
  };
  host_.emplace(node.rpc(), node.timers(), node.name(), std::move(options));
  host_->declare<Guild>();
  node.on_state([this](nodes::NodeState state) {
    if (state == nodes::NodeState::ready) open();
  });
  return host_->join(node);
}

void Town::open() {
  for (std::uint32_t i = 0; i < guilds_; ++i) {
    entity::CreateOptions how;
    how.persistent_id = "g" + std::to_string(i);
    std::ifstream file(folder_ / how.persistent_id, std::ios::binary);
    const std::string kept(std::istreambuf_iterator<char>(file), {});
    if (!kept.empty()) how.saved = bus::as_bytes(kept);
    const auto made = host_->entities().create_with<Guild>(how);
    if (!made) return spdlog::error("{}: {}", how.persistent_id, made.error().to_string());
    host_->publish(**made, "guild/" + how.persistent_id, [](const bus::Result<>& bound) {
      if (!bound) spdlog::error("{}", bound.error().to_string());
    });
  }
}

void Town::save(nodes::entities::SavedEntity saved, nodes::Done done) {
  const auto submitted = node_->tasks().submit(
      saved.persistent_id,
      [path = folder_ / saved.persistent_id, bytes = std::move(saved.properties)] {
        std::ofstream(path, std::ios::binary) << bus::as_text(bytes);
      },
      done);
  if (!submitted) done(submitted);
}

}  // namespace starbus::cluster_test
