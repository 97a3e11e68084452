/// Which limit has refused a post: store_full and mailbox_full have two causes each, and a cure for
/// each. It travels and is kept as the number of the PostResult, which a refusal has no other use
/// for; a store that does not know of it says 0.
#pragma once

#include <cstdint>
#include <string_view>

namespace starbus::bus {

/// Numbers are stable: they are on disks and on the wire.
enum class PostLimit : std::uint64_t {
  unknown = 0,
  disk = 1,
  total_bytes = 2,
  box_messages = 3,
  box_bytes = 4,
  total_messages = 5,
  total_boxes = 6,
};

/// For people, after the name of the mailbox; also for a number that this version does not know.
constexpr std::string_view text_of(PostLimit limit) {
  switch (limit) {
    case PostLimit::disk:
      return "the disk of its host has no space";
    case PostLimit::total_bytes:
      return "[mail] total_bytes of its host is used up";
    case PostLimit::box_messages:
      return "it has as many messages as [mail] box_messages of its host allows";
    case PostLimit::box_bytes:
      return "with this it would have more bytes than [mail] box_bytes of its host allows";
    case PostLimit::total_messages:
      return "its host has as many messages as [mail] total_messages allows";
    case PostLimit::total_boxes:
      return "its host has as many mailboxes and logs as [mail] total_boxes allows";
    case PostLimit::unknown:
      break;
  }
  return "a limit of its host";
}

}  // namespace starbus::bus
