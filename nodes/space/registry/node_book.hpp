/// The nodes that run spaces, and the choice of one for a new space: by the load that they
/// announce, with the weight of spaces that no announcement can show yet, and with hysteresis.
///
/// Sans-IO; values that belong to one thread. The same input gives the same choice.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "nodes/space/messages.hpp"

namespace starbus::nodes::space {

/// One node, as it has announced itself.
struct SpaceNode {
  bool announced = false;  // to this service
  bool draining = false;
  bool full = false;  // from kNodeFull on, until kNodeOpen
  double load = 0;    // ms per second, smoothed
  Time heard{};
  Time asked{};              // by a Hello
  std::uint64_t unsure = 0;  // latest order that it may have handled or not; 0: none
  bool deserted = false;     // it says that it obeys a later service
  std::set<std::string, std::less<>> types;
  std::set<std::string, std::less<>> labels;

  /// It has not announced itself for kNodeSilent, or never.
  bool silent(Time now) const;

  struct Pending {
    std::uint32_t weight = 0;
    bool started = false;
  };
  /// What is ordered there.
  struct Work {
    std::set<Life> lives;
    std::map<Life, Pending> pending;  // that no announcement can show yet
    std::uint64_t weight = 0;         // of these
    std::size_t starting = 0;
    std::deque<std::pair<Time, Life>> settling;  // since when
  };
  Work work;

  /// Of what it may do in a second.
  struct Share {
    Time since{};
    std::size_t taken = 0;

    /// False: `most` are taken in this second.
    bool take(std::size_t most, Time now);
  };
  Share news;
  Share ends;
};

class NodeBook {
 public:
  /// False: it is known already, or there are kMaxSpaceNodes, and it is left out.
  bool came(const std::string& process);
  /// Forgets it, and what it ran.
  void left(const std::string& process);
  /// It says something. False: it is unknown, or has said kNewsPerSecond in this second.
  bool may_say(const std::string& process, Time now);
  /// It is to be told to end a space that is not to be. False: kEndsPerSecond are told already.
  bool may_be_told(const std::string& process, Time now);
  /// It says that it obeys a later service. True: most nodes say so, and not a liar alone.
  bool deserts(const std::string& process);
  /// Ignored if it is unknown.
  void announced(const std::string& process, const Announcement& from, Time now);
  /// A Hello has gone out.
  void asked(const std::string& process, Time now);
  /// It is not known whether the order of this number was handled, until it has announced itself
  /// after a later one.
  void unsure(const std::string& process, std::uint64_t number);

  /// A space has been ordered there, and counts its weight until kSettle after it has started.
  void begins(const std::string& process, const Life& life, std::uint32_t weight);
  void started(const std::string& process, const Life& life, Time now);
  /// It has ended, or failed.
  void ended(const std::string& process, const Life& life);

  /// The node for a space of this type that is none of `avoid`. nullopt: none has room.
  std::optional<std::string> choose(const SpaceType& type,
                                    const std::set<std::string, std::less<>>& avoid, Time now);

  /// Null if it is unknown, or left out.
  const SpaceNode* find(const std::string& process) const;
  const std::map<std::string, SpaceNode, std::less<>>& nodes() const { return nodes_; }
  /// All nodes have announced themselves.
  bool all_announced() const;
  std::size_t left_out() const { return left_out_.size(); }
  /// A node that was left out, if there is room for it now; it is known then.
  std::optional<std::string> take_in();

 private:
  using Work = SpaceNode::Work;
  static void settled(Work& work, const Life& life);
  Work* work_of(const std::string& process);
  /// Forgets those that have settled.
  static std::uint64_t pending_weight(Work& work, Time now);

  std::map<std::string, SpaceNode, std::less<>> nodes_;
  std::set<std::string> left_out_;
};

}  // namespace starbus::nodes::space
