/// The row that replaces a lost message, so that its number is not used again and the messages
/// after it can be read: a message without a body and with time 0.
#pragma once

#include "mail/rows.hpp"

namespace starbus::mail {

/// `total`: bytes of all bodies up to this number.
inline MessageRow lost_row(std::uint64_t total) {
  return {.time_ms = 0, .total = total, .trace = {}, .body = {}};
}

/// Whether the row stands for a lost message.
inline bool is_lost(const MessageRow& row) {
  return row.time_ms == 0 && row.body.empty() && row.trace.empty();
}

}  // namespace starbus::mail
