/// /failures, /tail and /trace: single messages on their way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/report/fields.hpp"

namespace starbus::report {

/// One message that was not delivered, and the reason.
struct FailureRow {
  double age_ms = 0;
  std::string id;    // of the channel
  std::string name;  // of the channel; empty unless the question named it
  std::string origin;
  std::string reason;
  std::string where{};  // the daemon that recorded it; not part of the JSON

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("age_ms", whole(self.age_ms));
    visit("id", self.id);
    visit("name", or_null(self.name));
    visit("origin", self.origin);
    visit("reason", self.reason);
  }
  friend bool operator==(const FailureRow&, const FailureRow&) = default;
};

/// /failures, latest first.
struct FailuresPage {
  std::vector<FailureRow> failures;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("failures", self.failures);
  }
  friend bool operator==(const FailuresPage&, const FailuresPage&) = default;
};

/// A line of /tail: a run of messages, or how many lines were skipped.
struct TailLine {
  double time_ms = 0;  // since 1970
  std::string lane;
  std::string origin;
  std::uint64_t seq = 0;
  std::uint64_t count = 1;
  std::uint64_t bytes = 0;
  std::string text;           // the beginning of the first body
  std::uint64_t skipped = 0;  // not 0: JSON has this field only

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    if (Visit::kReads || self.skipped != 0) visit("skipped", self.skipped);
    if (!Visit::kReads && self.skipped != 0) return;
    visit("time_ms", whole(self.time_ms));
    visit("lane", self.lane);
    visit("origin", self.origin);
    visit("seq", self.seq);
    visit("count", self.count);
    visit("bytes", self.bytes);
    visit("text", self.text);
  }
  friend bool operator==(const TailLine&, const TailLine&) = default;
};

/// One hop of a trace.
struct TracePassage {
  std::string where;
  std::uint64_t at_ns = 0;  // on the clock of that machine
  std::uint64_t queued_bytes = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("where", self.where);
    visit("at_ns", self.at_ns);
    visit("queued_bytes", self.queued_bytes);
  }
  friend bool operator==(const TracePassage&, const TracePassage&) = default;
};

/// /trace: the way of one message, out and back.
struct Trace {
  std::string name;
  std::string lane;
  std::string end;  // as in bus/core/wire/record_admin.hpp: "owner", "no_owner", "held", ...
  std::vector<TracePassage> passages;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("lane", self.lane);
    visit("end", self.end);
    visit("hops", self.passages);
  }
  friend bool operator==(const Trace&, const Trace&) = default;
};

}  // namespace starbus::report
