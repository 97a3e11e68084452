#include "nodes/manager/cluster_watch.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
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
    return watches_
        .emplace_back(
            node_.bus(), std::string(prefix),
            [this, take](const bus::WatchUpdate& update) {
              (table_.*take)(update);
              updated();
            },
            [prefix](const bus::Error& error) {
              spdlog::error(
                  "the watch of {} is refused: {}; the manager goes on with the nodes "
                  "that it knows, and asks again",
                  prefix, error.to_string());
            })
        .start();
  };
  if (auto watched = watch(kPresencePrefix, &NodeTable::presence); !watched) return watched;
  return watch(kReadyPrefix, &NodeTable::readiness);
}

bool ClusterWatch::current() const {
  return std::ranges::all_of(watches_, &bus::LastingWatch::current);
}

void ClusterWatch::updated() {
  if (waiting_ && table_.complete()) std::exchange(waiting_, nullptr)({});
}

}  // namespace starbus::nodes::manager
