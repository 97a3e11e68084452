/// Tells the registry what the directory shows: which processes run spaces, and who has which name
/// of a space. Also knows which process of the bus is which node, and when a caller has ended.
///
/// Belongs to the loop's thread; the Bus and the listener outlive it. A watch that is refused is
/// asked for again, and the log says so: the rows that were seen count until then.
#pragma once

#include <list>
#include <map>
#include <string>

#include "bus/client/lasting_watch.hpp"
#include "nodes/space/names.hpp"

namespace starbus::nodes::space {

class SpaceDirectory {
 public:
  /// Called within a change, on the loop. HOST.NODE is a node.
  class Listener {
   public:
    /// It is a member of the group of nodes that run spaces. Each life of a process once.
    virtual void on_node_came(const std::string& node) = 0;
    /// It has ended, or left the group.
    virtual void on_node_left(const std::string& node) = 0;
    /// The name of a space has this owner.
    virtual void on_name_held(const SpaceName& name, const std::string& node) = 0;
    /// It has none, or is about to be held by another one.
    virtual void on_name_freed(const SpaceName& name) = 0;
    /// Both snapshots, of nodes and of names, are whole. Once.
    virtual void on_directory_complete() = 0;
    /// A server of the cluster has ended: it listens to no answer.
    virtual void on_server_left(const bus::Process& process) = 0;
    /// After all of these that came at once.
    virtual void on_directory_changed() = 0;

   protected:
    ~Listener() = default;
  };

  SpaceDirectory(bus::Bus& bus, Listener& listener) : bus_(bus), listener_(listener) {}

  /// Begins the watches. The errors of bus::Bus::watch that last: closed.
  bus::Result<> start();
  /// HOST.NODE of a process that runs spaces. Null: it is none, or is not known yet.
  const std::string* node_of(const bus::Process& process) const;

 private:
  void nodes(const bus::WatchUpdate& update);
  void names(const bus::WatchUpdate& update);
  void servers(const bus::WatchUpdate& update);
  void node_left(const std::string& node);
  void complete();

  bus::Bus& bus_;
  Listener& listener_;
  std::map<std::string, bus::Process> nodes_;  // by HOST.NODE
  std::map<bus::Process, std::string> processes_;
  std::map<SpaceName, std::string> names_;  // HOST.NODE of their owners
  std::map<std::string, bus::Process> servers_;
  bool nodes_complete_ = false;
  bool names_complete_ = false;
  bool told_complete_ = false;
  std::list<bus::LastingWatch> watches_;
};

}  // namespace starbus::nodes::space
