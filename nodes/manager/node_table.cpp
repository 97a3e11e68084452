#include "nodes/manager/node_table.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "nodes/manager/limits.hpp"
#include "nodes/runtime/presence.hpp"

namespace starbus::nodes::manager {

void NodeTable::listen(Listener& listener) {
  listeners_.push_back(&listener);
  for (const auto& [process, node] : nodes_) listener.came(node);
}

void NodeTable::tell(void (Listener::*what)(const KnownNode&), const KnownNode& node) {
  for (Listener* const listener : listeners_) (listener->*what)(node);
}

const KnownNode* NodeTable::find(const std::string& process) const {
  const auto found = nodes_.find(process);
  return found == nodes_.end() ? nullptr : &found->second;
}

KnownNode* NodeTable::row(const std::string& process, const bus::Process& owner) {
  const auto found = nodes_.find(process);
  if (found != nodes_.end()) {
    if (found->second.owner == owner) return &found->second;
    end(process);
  }
  if (nodes_.size() == kMaxNodes) {
    if (left_out_++ == 0) {
      spdlog::error("more than {} nodes: {} and others are left out", kMaxNodes, process);
    }
    return nullptr;
  }
  KnownNode& made = nodes_[process];
  made.process = process;
  made.owner = owner;
  return &made;
}

void NodeTable::end(const std::string& process) {
  const auto node = nodes_.extract(process);
  if (node) tell(&Listener::left, node.mapped());
}

void NodeTable::end_if_gone(const std::string& process) {
  const KnownNode* const node = find(process);
  if (node != nullptr && !node->on_bus && !node->ready) end(process);
}

void NodeTable::presence(const bus::WatchUpdate& update) {
  for (const bus::WatchRow& change : update.changes) {
    const auto process = present_process(change);
    if (!process) continue;
    if (!change.present) {
      const auto found = nodes_.find(*process);
      if (found != nodes_.end()) found->second.on_bus = false;
      end_if_gone(*process);
      continue;
    }
    KnownNode* const node = row(*process, change.owner);
    if (node == nullptr) continue;
    const bool known = node->on_bus || node->ready;
    node->on_bus = true;
    if (!known) tell(&Listener::came, *node);
  }
  presence_complete_ = presence_complete_ || update.complete;
}

void NodeTable::readiness(const bus::WatchUpdate& update) {
  for (const bus::WatchRow& change : update.changes) {
    const auto ready = ready_node(change);
    if (!ready) continue;
    if (!change.present) {
      const auto found = nodes_.find(ready->process);
      if (found == nodes_.end() || !std::exchange(found->second.ready, false)) continue;
      if (found->second.on_bus) {
        tell(&Listener::changed, found->second);
      } else {
        end(ready->process);
      }
      continue;
    }
    KnownNode* const node = row(ready->process, change.owner);
    if (node == nullptr) continue;
    const bool known = node->on_bus || node->ready;
    node->ready = true;
    node->role = ready->role;
    tell(known ? &Listener::changed : &Listener::came, *node);
  }
  readiness_complete_ = readiness_complete_ || update.complete;
}

void NodeTable::role_known(const std::string& process, const std::string& role) {
  const auto found = nodes_.find(process);
  if (found == nodes_.end() || found->second.role == role) return;
  found->second.role = role;
  tell(&Listener::changed, found->second);
}

}  // namespace starbus::nodes::manager
