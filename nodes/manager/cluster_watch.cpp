#include "nodes/manager/cluster_watch.hpp"

#include <utility>

#include "nodes/runtime/presence.hpp"

namespace starbus::nodes::manager {

ClusterWatch::ClusterWatch(Node& node, NodeTable& table) : node_(node), table_(table) {
  node.before_ready("see the cluster", [this](Done done) {
    waiting_ = std::move(done);
    updated();
  });
}

bus::Result<> ClusterWatch::start() {
  const auto watch = [this](std::string_view prefix,
                            void (NodeTable::*take)(const bus::WatchUpdate&)) -> bus::Result<> {
    auto handle = node_.bus().watch(
        std::string(prefix),
        [this, take](const bus::WatchUpdate& update) {
          (table_.*take)(update);
          updated();
        },
        [this](const bus::Error& error) { node_.stop(error); });
    if (!handle) return handle.error();
    watches_.push_back(std::move(*handle));
    return {};
  };
  if (auto watched = watch(kPresencePrefix, &NodeTable::presence); !watched) return watched;
  return watch(kReadyPrefix, &NodeTable::readiness);
}

void ClusterWatch::updated() {
  if (waiting_ && table_.complete()) std::exchange(waiting_, nullptr)({});
}

}  // namespace starbus::nodes::manager
