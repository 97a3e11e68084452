#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mail/types.hpp"

namespace starbus::mail {

// X(problem, what it means, what `starbus-mail repair` does)
#define STARBUS_MAIL_PROBLEMS(X)                                                         \
  X(damaged_block, "a block is not as it was written; rows in it are missing",           \
    "drops the block; the original files stay in lost/")                                 \
  X(damaged_row, "the value of a row is not as it was written",                          \
    "reports the loss with its mailbox; otherwise erases the row")                       \
  X(bad_row, "a row with a malformed value", "as for a damaged row")                     \
  X(bad_key, "a row with a malformed key", "leaves it")                                  \
  X(lost_messages, "messages are missing or cannot be read",                             \
    "marks them as lost, so that the others can be read")                                \
  X(stray_messages, "messages with numbers outside of the mailbox",                      \
    "keeps those above the latest number; moves acknowledged ones to the report")        \
  X(no_box_row, "the row of a mailbox is missing or cannot be read",                     \
    "makes a new row; without its name the mailbox is sealed")                           \
  X(wrong_name, "the name of a mailbox does not belong to its id", "looks for the name") \
  X(wrong_shard, "a mailbox lies in a shard that is not its own", "leaves it")           \
  X(wrong_total, "a running sum of bytes is wrong, and so are quotas", "counts again")   \
  X(wrong_post_key, "an idempotency key without its message", "erases the key")          \
  X(wrong_shard_row, "the sums of a shard are wrong", "counts again")                    \
  X(lost_before, "messages that an earlier repair has marked as lost", "nothing")        \
  X(unknown_rows, "rows of a kind that this version does not know", "leaves them")

/// The kinds of damage that a mailbox can have.
enum class Problem : std::uint8_t {
#define X(problem, meaning, repair) problem,
  STARBUS_MAIL_PROBLEMS(X)
#undef X
};

std::string_view name_of(Problem problem);
/// The columns of the table above.
std::string_view meaning_of(Problem problem);
std::string_view repair_of(Problem problem);
/// True if the problem needs no repair.
bool is_note(Problem problem);

/// One problem of a mail store.
struct Finding {
  Problem problem{};
  std::uint8_t shard = 0;
  std::optional<ChannelId> id{};  // of the mailbox
  std::string name{};             // of the mailbox, if its row is readable
  std::uint64_t first = 0;        // of the message numbers; 0: none
  std::uint64_t last = 0;
  std::string detail{};

  /// "player/1", or "mailbox 3f..." without a name; "the store" if it is not about a mailbox.
  std::string where() const;
  /// "lost_messages 5 to 9: checksum"; printable.
  std::string what() const;
  /// "player/1: lost_messages 5 to 9: checksum"
  std::string to_string() const;
};

}  // namespace starbus::mail
