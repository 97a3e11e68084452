/// What stands in the place of a message that is lost, so that its number is not given again and
/// the messages behind it can be read: a message without a body that was stored at no time.
#pragma once

#include "mail/rows.hpp"

namespace starbus::bus::busd::mail {

/// `total`: of bodies up to this number, as the next row has it before its own.
inline MessageRow lost_row(std::uint64_t total) {
  return {.time_ms = 0, .total = total, .trace = {}, .body = {}};
}

inline bool is_lost(const MessageRow& row) {
  return row.time_ms == 0 && row.body.empty() && row.trace.empty();
}

}  // namespace starbus::bus::busd::mail
