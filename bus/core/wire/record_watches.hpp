/// Watches: a process asks its busd, a busd asks busroot. A busd asks busroot once per prefix and
/// serves its processes from its copy; so a restart of busroot shows as the difference it made.
#pragma once

#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"
#include "bus/core/wire/record_kind.hpp"

namespace starbus::bus {

/// Asks for the names that begin with `prefix`: a snapshot, then every change.
struct Watch {
  static constexpr Kind kKind = Kind::watch;
  std::string prefix;
  template <class A>
  void fields(A& a) {
    a(prefix);
  }
};

/// Ends the watch of this prefix.
struct Unwatch {
  static constexpr Kind kKind = Kind::unwatch;
  std::string prefix;
  template <class A>
  void fields(A& a) {
    a(prefix);
  }
};

/// A name under a watched prefix, with its present owner.
struct WatchRow {
  bool present = true;  // false: the name is gone
  std::string name;
  Process owner;
  std::string owner_name;  // HOST.NODE
  Epoch epoch;
  Lineage lineage;
  template <class A>
  void fields(A& a) {
    a(present, name, owner, owner_name, epoch, lineage);
  }
};

/// `first` begins a snapshot, which replaces the rows known so far; `last` completes it. A delta
/// has neither flag, a snapshot of one record has both.
struct WatchRows {
  static constexpr Kind kKind = Kind::watch_rows;
  std::string prefix;
  bool first = false;
  bool last = false;
  std::vector<WatchRow> rows;
  template <class A>
  void fields(A& a) {
    a(prefix, first, last, rows);
  }
};

/// The watch is refused, or has ended because it grew too large.
struct WatchRefused {
  static constexpr Kind kKind = Kind::watch_refused;
  std::string prefix;
  Errc reason = Errc::watch_too_large;
  std::string detail;
  template <class A>
  void fields(A& a) {
    a(prefix, reason, detail);
  }
};

}  // namespace starbus::bus
