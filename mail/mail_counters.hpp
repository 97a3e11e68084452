#pragma once

#include <cstdint>

namespace starbus::mail {

/// What the mail of a store has done since its start. A plain value.
struct MailCounters {
  std::uint64_t stored = 0, refused = 0, repeated_keys = 0, batches = 0, overflows = 0;
  std::uint64_t settled = 0;       // messages acknowledged by readers
  std::uint64_t trimmed = 0;       // by the retention of logs
  std::uint64_t aged = 0;          // by the age limits
  std::uint64_t purged = 0;        // by an operator
  std::uint64_t dead_letters = 0;  // kept as such

  MailCounters& operator+=(const MailCounters& more) {
    stored += more.stored;
    refused += more.refused;
    repeated_keys += more.repeated_keys;
    batches += more.batches;
    overflows += more.overflows;
    settled += more.settled;
    trimmed += more.trimmed;
    aged += more.aged;
    purged += more.purged;
    dead_letters += more.dead_letters;
    return *this;
  }
};

}  // namespace starbus::mail
