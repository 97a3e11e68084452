/// What the test of entities runs as a process of its own: guilds, each kept in a file of its name
/// when it ends, and made from that file when the node is ready.
///
///   folder = "/tmp/x"        # for the files
///   guilds = 3               # guild/g0, guild/g1, guild/g2
#pragma once

#include <filesystem>
#include <optional>

#include "tests/nodes/hosting/guild.hpp"

namespace starbus::cluster_test {

using nodes::entities::Guild;

class Town final : public nodes::App {
 public:
  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(nodes::Node& node) override;

 private:
  void open();
  void save(nodes::entities::SavedEntity saved, nodes::Done done);

  std::filesystem::path folder_;
  std::uint32_t guilds_ = 0;
  nodes::Node* node_ = nullptr;
  std::optional<nodes::entities::EntityHost> host_;
};

}  // namespace starbus::cluster_test
