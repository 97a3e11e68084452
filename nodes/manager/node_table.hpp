/// Who is on the bus, and who of these is ready: what the watches of node/ and ready/ have shown.
///
/// No I/O. Belongs to the loop's thread. Two watches are not ordered with each other, so either
/// name makes a row, and it takes the end of both to end it. A process of the same name that is
/// another one (it was restarted) is told as one that left and one that came. Never fails; beyond
/// kMaxNodes a node is left out, which means that it waits, unseen, until another one has left.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bus/client/bus.hpp"

namespace starbus::nodes::manager {

struct KnownNode {
  std::string process;  // HOST.NODE
  std::string role;     // empty: it was not ready yet, and has not answered
  bus::Process owner;   // another one after a restart
  bool on_bus = false;  // node/HOST.NODE is there
  bool ready = false;   // ready/ROLE/HOST.NODE is there
};

class NodeTable {
 public:
  /// Who wants to know. Told at once; must not change the table, and lives as long as it is used.
  class Listener {
   public:
    virtual void on_node_added(const KnownNode& node) = 0;
    /// Its role is known, or it is ready or not any more.
    virtual void on_node_changed(const KnownNode&) {}
    virtual void on_node_removed(const KnownNode& node) = 0;

   protected:
    ~Listener() = default;
  };

  /// Is told who is there already.
  void listen(Listener& listener);

  void presence(const bus::WatchUpdate& update);   // of node/
  void readiness(const bus::WatchUpdate& update);  // of ready/
  /// From a report of its own. Nothing if it is not there.
  void role_known(const std::string& process, const std::string& role);

  /// Both watches have shown all that there is.
  bool complete() const { return presence_complete_ && readiness_complete_; }
  const std::map<std::string, KnownNode>& nodes() const { return nodes_; }
  const KnownNode* find(const std::string& process) const;
  /// Nodes that wait for room.
  std::size_t left_out() const { return waiting_.size(); }

 private:
  using Rows = std::map<std::string, KnownNode>;
  /// The row of that process, made if need be: among those who wait if there is no room.
  KnownNode& row(const std::string& process, const bus::Process& owner);
  /// Null: there is none, seen or waiting.
  KnownNode* known(const std::string& process);
  bool is_seen(const KnownNode& node) const { return find(node.process) == &node; }
  void gone(KnownNode& node, bool KnownNode::*what);
  void end(const std::string& process);
  void take_in();
  void tell(void (Listener::*what)(const KnownNode&), const KnownNode& node);

  Rows nodes_;
  Rows waiting_;
  std::vector<Listener*> listeners_;
  bool presence_complete_ = false;
  bool readiness_complete_ = false;
};

}  // namespace starbus::nodes::manager
