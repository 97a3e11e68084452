/// What is said to groups of clients: who is in which group, and which announcements a session has
/// had already.
///
/// Belongs to the loop's thread. A group is walked in slices, in the order of the sessions' ids: a
/// member that joins meanwhile may hear the announcement or not.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nodes/gate/wire/frames.hpp"

namespace starbus::nodes::gate {

/// How far an announcement has come at one gate.
struct Reach {
  enum class State : std::uint8_t { speaking, done, refused };
  State state = State::speaking;
  std::uint64_t handed = 0;  // clients that were sent it
  std::uint64_t kept = 0;    // clients that are away: it waits for them
  friend bool operator==(const Reach&, const Reach&) = default;
};

/// Announcements that a session has had: of each origin the highest number, and which of the 64
/// before it. So one that comes twice, or late by way of a gate before, is told from a new one.
class SpokenSeen {
 public:
  struct Origin {
    bus::Process process{};
    std::uint64_t highest = 0;
    std::uint64_t before = 0;  // bit i: highest - 1 - i has been seen, too
    friend bool operator==(const Origin&, const Origin&) = default;
  };
  SpokenSeen() = default;
  explicit SpokenSeen(std::vector<Origin> origins) : origins_(std::move(origins)) {}

  /// False: it is a double, or too old to tell.
  bool first(const bus::Process& origin, std::uint64_t number);
  const std::vector<Origin>& origins() const { return origins_; }

 private:
  std::vector<Origin> origins_;  // the one that was heard last is the last
};

/// The members of groups, in the order of their ids. Belongs to the loop's thread.
class GroupTable {
 public:
  /// Again: nothing happens.
  void join(const std::string& group, const SessionId& session);
  /// A group without members is forgotten.
  void leave(const std::string& group, const SessionId& session);
  /// The next member after this one (zero: the first).
  std::optional<SessionId> after(const std::string& group, const SessionId& session) const;
  std::size_t size(const std::string& group) const;

 private:
  std::map<std::string, std::set<SessionId>> members_;
};

}  // namespace starbus::nodes::gate
