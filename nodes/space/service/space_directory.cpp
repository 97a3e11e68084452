#include "nodes/space/service/space_directory.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "bus/core/wire/name.hpp"
#include "nodes/space/ports.hpp"

namespace starbus::nodes::space {
namespace {

/// "group/space_nodes#HOST.NODE"
const std::string kNodePrefix = std::string(kSpaceNodes) + "#";

}  // namespace

bus::Result<> SpaceDirectory::start() {
  const auto watch = [this](std::string_view prefix,
                            void (SpaceDirectory::*take)(const bus::WatchUpdate&)) {
    auto lapsed = [prefix = std::string(prefix)](const bus::Error& error) {
      spdlog::error("the watch of {} is refused: {}; spaces go on as they were known", prefix,
                    error.to_string());
    };
    return watches_
        .emplace_back(
            bus_, std::string(prefix),
            [this, take](const bus::WatchUpdate& update) {
              (this->*take)(update);
              listener_.on_directory_changed();
            },
            std::move(lapsed))
        .start();
  };
  if (auto begun = watch(kNodePrefix, &SpaceDirectory::nodes); !begun) return begun;
  if (auto begun = watch(kSpaces, &SpaceDirectory::names); !begun) return begun;
  return watch(bus::kServerPrefix, &SpaceDirectory::servers);
}

const std::string* SpaceDirectory::node_of(const bus::Process& process) const {
  const auto found = processes_.find(process);
  return found == processes_.end() ? nullptr : &found->second;
}

void SpaceDirectory::node_left(const std::string& node) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  processes_.erase(found->second);
  nodes_.erase(found);
  listener_.on_node_left(node);
}

void SpaceDirectory::nodes(const bus::WatchUpdate& update) {
  for (const bus::WatchRow& row : update.changes) {
    const std::string node = row.name.substr(kNodePrefix.size());
    // A member is called after its process; a row of a name that is gone does not have its owner.
    if (!row.present) {
      node_left(node);
      continue;
    }
    if (row.owner_name != node) continue;
    const auto found = nodes_.find(node);
    if (found != nodes_.end() && found->second == row.owner) continue;
    node_left(node);  // an earlier life of the process
    nodes_[node] = row.owner;
    processes_[row.owner] = node;
    listener_.on_node_came(node);
  }
  nodes_complete_ = nodes_complete_ || update.complete;
  complete();
}

void SpaceDirectory::names(const bus::WatchUpdate& update) {
  for (const bus::WatchRow& row : update.changes) {
    const auto name = space_of_channel(row.name);
    if (!name) continue;  // not a space: no order is ever given under such a name
    const auto found = names_.find(*name);
    if (found != names_.end() && (!row.present || found->second != row.owner_name)) {
      names_.erase(found);
      listener_.on_name_freed(*name);
    }
    if (!row.present) continue;
    names_[*name] = row.owner_name;
    listener_.on_name_held(*name, row.owner_name);
  }
  names_complete_ = names_complete_ || update.complete;
  complete();
}

void SpaceDirectory::servers(const bus::WatchUpdate& update) {
  for (const bus::WatchRow& row : update.changes) {
    const auto found = servers_.find(row.name);
    if (found != servers_.end() && (!row.present || found->second != row.owner)) {
      const bus::Process left = found->second;
      servers_.erase(found);
      listener_.on_server_left(left);
    }
    if (row.present) servers_[row.name] = row.owner;
  }
}

void SpaceDirectory::complete() {
  if (told_complete_ || !nodes_complete_ || !names_complete_) return;
  told_complete_ = true;
  listener_.on_directory_complete();
}

}  // namespace starbus::nodes::space
