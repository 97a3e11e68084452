/// The limits of a whole store ([mail] total_...), for posts and for shards that move in. Plain
/// functions; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "mail/quota.hpp"
#include "mail/rows.hpp"
#include "mail/types.hpp"

namespace starbus::mail {

/// The first limit that a store with `all` would pass with `more`; nullopt if there is room. A
/// store beyond a limit still takes what does not add to it.
inline std::optional<PostLimit> limit_passed(const MailQuota& quota, const Totals& all,
                                             const Totals& more) {
  const auto passed = [](std::uint64_t limit, std::uint64_t used, std::uint64_t wanted) {
    return limit != 0 && wanted != 0 && (used > limit || wanted > limit - used);
  };
  if (passed(quota.total_bytes, all.bytes, more.bytes)) return PostLimit::total_bytes;
  if (passed(quota.total_messages, all.messages, more.messages)) return PostLimit::total_messages;
  if (passed(quota.total_boxes, all.boxes, more.boxes)) return PostLimit::total_boxes;
  return std::nullopt;
}

/// Its name in [mail].
constexpr std::string_view setting_of(PostLimit limit) {
  switch (limit) {
    case PostLimit::total_bytes:
      return "total_bytes";
    case PostLimit::total_messages:
      return "total_messages";
    case PostLimit::total_boxes:
      return "total_boxes";
    default:
      return "a limit";
  }
}

}  // namespace starbus::mail
