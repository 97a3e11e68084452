/// The manager's report about the nodes. Plain values that are sent over the bus.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace starbus::nodes::manager {

/// One node, as the manager knows it.
struct ClusterNode {
  std::string process;  // HOST.NODE
  std::string role;     // empty: not known yet
  bool ready = false;
  bool answers = false;      // the latest question was answered
  std::uint64_t age_ms = 0;  // of what follows, which is its latest answer
  std::string state;         // of nodes::NodeState; empty: it has never answered
  std::string status;        // in its own words
  double busy_ms_per_s = 0;  // of 1000
  std::uint64_t stalls = 0;
  std::uint64_t posted = 0;
  std::uint64_t tasks = 0;
  std::uint64_t dictionary = 0;  // hash of what it can be called with

  template <class Archive>
  void serialize(Archive& archive) {
    archive(process, role, ready, answers, age_ms, state, status, busy_ms_per_s, stalls, posted,
            tasks, dictionary);
  }
};

struct ClusterReport {
  std::string manager;  // HOST.NODE of the manager that reports
  std::vector<ClusterNode> nodes;
  std::uint64_t total = 0;
  std::uint64_t left_out = 0;  // the table is full: see kMaxNodes
  bool more = false;           // there are nodes after the last of these

  template <class Archive>
  void serialize(Archive& archive) {
    archive(manager, nodes, total, left_out, more);
  }
};

/// A range of ids, both ends included.
struct IdRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(first, last);
  }
  friend bool operator==(const IdRange&, const IdRange&) = default;
};

}  // namespace starbus::nodes::manager
