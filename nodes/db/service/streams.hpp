#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <utility>

#include "bus/core/ids.hpp"
#include "nodes/db/limits.hpp"
#include "nodes/db/remote/wire.hpp"

namespace starbus::nodes::db {

/// Which request of each client comes next. A session begins with its first request; later ones
/// come without gaps, and an earlier session is over. So of each client, what was taken is a
/// beginning of what it asked for, whatever was refused or lost, and what it sends again joins on.
///
/// Of one thread; plain values. Clients that are forgotten (kMaxStreams) begin a session anew.
class Streams {
 public:
  explicit Streams(std::size_t most = kMaxStreams) : most_(most) {}

  /// Whether nothing before it is missing.
  bool is_next(const bus::Process& caller, const Place& place) const;
  /// It was next, and is taken.
  void took(const bus::Process& caller, const Place& place);
  std::size_t size() const { return rows_.size(); }

 private:
  using Key = std::pair<bus::Process, std::uint64_t>;
  struct Row {
    Key key;
    std::uint64_t session = 0;
    std::uint64_t sequence = 0;  // the last one that was taken
  };

  const std::size_t most_;
  std::list<Row> rows_;  // the latest in front
  std::map<Key, std::list<Row>::iterator> by_key_;
};

}  // namespace starbus::nodes::db
