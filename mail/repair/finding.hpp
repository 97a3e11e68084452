#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bus/core/wire/ids.hpp"

namespace starbus::bus::busd::mail {

// X(problem, what it means, what `starbus-mail repair` does)
#define STARBUS_MAIL_PROBLEMS(X)                                                                \
  X(damaged_block, "the disk gives back other bytes than were written; rows are missing there", \
    "drops the block; the files as they were stay in lost/")                                    \
  X(damaged_row, "the value of a row is not what was written",                                  \
    "what was lost with it is said with its mailbox; else the row is erased")                   \
  X(bad_row, "a row whose value is not of its form", "as for a damaged row")                    \
  X(bad_key, "a row whose key is not of its form", "leaves it")                                 \
  X(lost_messages, "messages that must be there are not, or cannot be read",                    \
    "marks them as lost, so that the others can be read")                                       \
  X(stray_messages, "messages with numbers that the mailbox does not have",                     \
    "takes back those above the latest number; those that were acknowledged go to the report")  \
  X(no_box_row, "the row of a mailbox is missing or cannot be read",                            \
    "makes it anew; without its name the mailbox is sealed")                                    \
  X(wrong_name, "the name of a mailbox does not belong to its id", "looks for the name")        \
  X(wrong_shard, "a mailbox lies in a shard that is not its own", "leaves it")                  \
  X(wrong_total, "a running sum of bytes is wrong: quotas would count wrong", "counts again")   \
  X(wrong_post_key, "an idempotency key of a message that never was", "erases the key")         \
  X(wrong_shard_row, "the sums of a shard are wrong", "counts again")                           \
  X(lost_before, "messages that an earlier repair has marked as lost", "nothing: it is known")  \
  X(unknown_rows, "rows of a kind that this version does not know", "leaves them")

enum class Problem : std::uint8_t {
#define X(problem, meaning, repair) problem,
  STARBUS_MAIL_PROBLEMS(X)
#undef X
};

std::string_view name_of(Problem problem);
std::string_view meaning_of(Problem problem);
std::string_view mending_of(Problem problem);
/// To be known, and no reason to do anything.
bool is_note(Problem problem);

/// One thing that is wrong with a store of mail.
struct Finding {
  Problem problem{};
  std::uint8_t shard = 0;
  std::optional<ChannelId> id{};  // of the mailbox that it concerns
  std::string name{};             // of that, where its row is readable
  std::uint64_t first = 0;        // of the numbers that it concerns; 0: none
  std::uint64_t last = 0;
  std::string detail{};

  /// "player/1", else "mailbox 3f..."; "the store" where no mailbox is concerned.
  std::string where() const;
  /// "lost_messages 5 to 9: checksum"; printable.
  std::string what() const;
  /// "player/1: lost_messages 5 to 9: checksum"
  std::string to_string() const;
};

}  // namespace starbus::bus::busd::mail
