/// The names that must exist before a node is ready, as its watches show them.
///
/// Sans-IO: fed with the updates of one watch per requirement. Belongs to the loop's thread.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bus/client/bus.hpp"
#include "bus/core/error.hpp"

namespace starbus::nodes {

/// `name` is one of
///   "service/db"   a shared name, or "group/gates", a group: `count` instances or members
///   "ready/db/"    a prefix, which ends in '/': `count` names that begin with it
///   "store/7"      exactly this channel
struct Requirement {
  std::string name;
  std::size_t count = 1;
  friend bool operator==(const Requirement&, const Requirement&) = default;
};

/// Parses "service/db" or "ready/space/ >= 3", as in configurations. bad_config: it contains one of
/// `<>=` and is malformed.
bus::Result<Requirement> read_requirement(const std::string& text);

class Requirements {
 public:
  struct Row {
    Requirement wanted;
    std::string prefix;           // to watch
    std::set<std::string> there;  // names that count
    bool complete = false;        // the snapshot is whole
    std::string meant = {};       // a name that there is, if this one looks misspelled
    bool met() const { return complete && there.size() >= wanted.count; }
  };

  /// bad_name; bad_config: more than kMaxRequirements. If a name is added twice, the larger count
  /// counts.
  bus::Result<> add(Requirement requirement);
  /// An update of the watch of the requirement with this index.
  void update(std::size_t index, const bus::WatchUpdate& update);

  /// Notes which name a requirement may mean, for missing().
  void hint(const std::string& wanted, const std::string& meant);

  /// Whether every requirement is met.
  bool met() const;
  std::span<const Row> rows() const { return rows_; }
  /// "service/db (0 of 1), ready/space/ (1 of 2)": those that are not met; empty if all are. With
  /// "; did you mean service/db?" after the number where a name was hinted at.
  std::string missing() const;

 private:
  std::vector<Row> rows_;
};

}  // namespace starbus::nodes
