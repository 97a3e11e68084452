#include "nodes/manager/node_table.hpp"

#include <spdlog/spdlog.h>

#include <cassert>
#include <utility>

#include "nodes/manager/limits.hpp"
#include "nodes/runtime/presence.hpp"

namespace starbus::nodes::manager {

void NodeTable::listen(Listener& listener) {
  listeners_.push_back(&listener);
  for (const auto& [process, node] : nodes_) listener.on_node_added(node);
}

void NodeTable::notify(void (Listener::*what)(const KnownNode&), const KnownNode& node) {
  for (Listener* const listener : listeners_) (listener->*what)(node);
}

const KnownNode* NodeTable::find(const std::string& process) const {
  const auto found = nodes_.find(process);
  return found == nodes_.end() ? nullptr : &found->second;
}

KnownNode* NodeTable::find_any(const std::string& process) {
  for (Rows* const rows : {&nodes_, &waiting_}) {
    const auto found = rows->find(process);
    if (found != rows->end()) return &found->second;
  }
  return nullptr;
}

KnownNode& NodeTable::row_of(const std::string& process, const bus::Process& owner) {
  if (KnownNode* const node = find_any(process)) {
    if (node->owner == owner) return *node;
    remove(process);
  }
  const bool room = nodes_.size() < kMaxNodes;
  if (!room && waiting_.empty()) {
    spdlog::error("node table: full at {} nodes; {} and later ones are left out", kMaxNodes,
                  process);
  }
  KnownNode& made = (room ? nodes_ : waiting_)[process];
  made.process = process;
  made.owner = owner;
  assert(nodes_.size() <= kMaxNodes);
  return made;
}

void NodeTable::remove(const std::string& process) {
  const auto node = nodes_.extract(process);
  if (node) notify(&Listener::on_node_removed, node.mapped());
  waiting_.erase(process);
}

/// One of the two names of a node has ended; the other one may still exist.
void NodeTable::drop_name(KnownNode& node, bool KnownNode::*what) {
  const bool was_ready = node.ready;
  node.*what = false;
  if (!node.on_bus && !node.ready) return remove(std::string(node.process));
  if (was_ready && !node.ready && is_listed(node)) notify(&Listener::on_node_changed, node);
}

void NodeTable::list_waiting() {
  while (!waiting_.empty() && nodes_.size() < kMaxNodes) {
    const auto taken = nodes_.insert(waiting_.extract(waiting_.begin())).position;
    if (waiting_.empty()) spdlog::info("node table: all nodes are listed again");
    notify(&Listener::on_node_added, taken->second);
  }
}

void NodeTable::presence(const bus::WatchUpdate& update) {
  thread_.check();
  for (const bus::WatchRow& change : update.changes) {
    const auto process = present_process(change);
    if (!process) continue;
    if (!change.present) {
      if (KnownNode* const node = find_any(*process)) drop_name(*node, &KnownNode::on_bus);
      continue;
    }
    KnownNode& node = row_of(*process, change.owner);
    const bool is_new = !node.on_bus && !node.ready;
    node.on_bus = true;
    if (is_new && is_listed(node)) notify(&Listener::on_node_added, node);
  }
  list_waiting();
  presence_complete_ = presence_complete_ || update.complete;
}

void NodeTable::readiness(const bus::WatchUpdate& update) {
  thread_.check();
  for (const bus::WatchRow& change : update.changes) {
    const auto ready = ready_node(change);
    if (!ready) continue;
    if (!change.present) {
      KnownNode* const node = find_any(ready->process);
      if (node != nullptr && node->ready) drop_name(*node, &KnownNode::ready);
      continue;
    }
    KnownNode& node = row_of(ready->process, change.owner);
    const bool is_new = !node.on_bus && !node.ready;
    node.ready = true;
    node.role = ready->role;
    if (is_listed(node))
      notify(is_new ? &Listener::on_node_added : &Listener::on_node_changed, node);
  }
  list_waiting();
  readiness_complete_ = readiness_complete_ || update.complete;
}

void NodeTable::role_known(const std::string& process, const std::string& role) {
  thread_.check();
  const auto found = nodes_.find(process);
  if (found == nodes_.end() || found->second.role == role) return;
  found->second.role = role;
  notify(&Listener::on_node_changed, found->second);
}

}  // namespace starbus::nodes::manager
