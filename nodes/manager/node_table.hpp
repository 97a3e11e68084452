/// The nodes on the bus and whether each is ready, from the watches of node/ and ready/.
///
/// No I/O. Belongs to the loop's thread. Two watches are not ordered with each other, so the first
/// of both names adds a node, and the end of the last one removes it. A restarted process of the
/// same name is reported as removed and added. Never fails; above kMaxNodes a node waits, unlisted,
/// until another one is removed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop_thread.hpp"
#include "bus/client/bus.hpp"

namespace starbus::nodes::manager {

/// One node, from its first name to the end of its last.
struct KnownNode {
  std::string process;  // HOST.NODE
  std::string role;     // empty: it was not ready yet, and has not answered
  bus::Process owner;   // changes with a restart
  bool on_bus = false;  // node/HOST.NODE exists
  bool ready = false;   // ready/ROLE/HOST.NODE exists
};

class NodeTable {
 public:
  /// Called within the change. Must not change the table, and outlives it.
  class Listener {
   public:
    /// The first of its names is there.
    virtual void on_node_added(const KnownNode& node) = 0;
    /// Its role is known now, or its readiness has changed.
    virtual void on_node_changed(const KnownNode&) {}
    /// Both names are gone.
    virtual void on_node_removed(const KnownNode& node) = 0;

   protected:
    ~Listener() = default;
  };

  /// Calls on_node_added for each listed node at once.
  void listen(Listener& listener);

  void presence(const bus::WatchUpdate& update);   // of node/
  void readiness(const bus::WatchUpdate& update);  // of ready/
  /// From a report of the node. Ignored if the node is unknown.
  void role_known(const std::string& process, const std::string& role);

  /// Both watches have delivered their snapshots.
  bool complete() const { return presence_complete_ && readiness_complete_; }
  const std::map<std::string, KnownNode>& nodes() const { return nodes_; }
  const KnownNode* find(const std::string& process) const;
  /// Nodes that are not listed, because the table is full.
  std::size_t left_out() const { return waiting_.size(); }

 private:
  using Rows = std::map<std::string, KnownNode>;
  /// The row of that process, added if needed: to the waiting ones if the table is full.
  KnownNode& row_of(const std::string& process, const bus::Process& owner);
  /// Listed or waiting; null if unknown.
  KnownNode* find_any(const std::string& process);
  bool is_listed(const KnownNode& node) const { return find(node.process) == &node; }
  void drop_name(KnownNode& node, bool KnownNode::*what);
  void remove(const std::string& process);
  void list_waiting();
  void notify(void (Listener::*what)(const KnownNode&), const KnownNode& node);

  Rows nodes_;
  Rows waiting_;
  std::vector<Listener*> listeners_;
  bool presence_complete_ = false;
  bool readiness_complete_ = false;
  LoopThread thread_;
};

}  // namespace starbus::nodes::manager
