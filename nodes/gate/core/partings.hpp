/// Why clients were disconnected, and sessions ended, of late: for operators.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "nodes/gate/core/effects.hpp"
#include "nodes/gate/core/limits.hpp"

namespace starbus::nodes::gate {

/// What a CloseReason is called in reports and documents.
std::string_view name_of(CloseReason reason);

/// One connection that has ended, or one session.
struct Parting {
  GateTime at{};
  SessionId session{};
  std::string account{};
  std::string subject{};
  std::string address{};  // of the client; empty: it was away
  std::string why{};      // a CloseReason, or an Ending of the sockets, by name
  bool over = false;      // the session has ended, too, or is another gate's
};

/// The newest kPartingsKept of them. Belongs to the loop's thread.
class Partings {
 public:
  /// At kPartingsKept the oldest goes.
  void add(Parting parting) {
    if (rows_.size() == kPartingsKept) rows_.pop_front();
    rows_.push_back(std::move(parting));
  }
  /// The oldest is the first.
  const std::deque<Parting>& rows() const { return rows_; }

 private:
  std::deque<Parting> rows_;
};

}  // namespace starbus::nodes::gate
