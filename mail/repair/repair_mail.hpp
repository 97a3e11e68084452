/// Repairs a mail store whose check has findings: marks what is lost, so that the rest can be read
/// and posted to. Drops nothing that can be read: a message that came back after it was
/// acknowledged is reported with its body before it is erased.
#pragma once

#include <bitset>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mail/limits.hpp"
#include "mail/repair/box_search.hpp"
#include "mail/repair/box_walk.hpp"
#include "mail/repair/check.hpp"
#include "mail/types.hpp"

namespace starbus::mail {

// X(action, what it means)
#define STARBUS_MAIL_REPAIR_ACTIONS(X)                                                             \
  X(lost, "these messages are lost; their numbers stay used")                                      \
  X(counted_in, "messages after the latest known number belong to the mailbox again")              \
  X(acknowledged, "this message came back after it was acknowledged; it is erased again")          \
  X(rebuilt, "the mailbox has a row again, made from its messages and the damaged files")          \
  X(sealed, "the mailbox has a row again, but its name is not known: it takes no posts")           \
  X(renamed, "the name of the mailbox was found")                                                  \
  X(counted, "wrong sums were corrected")                                                          \
  X(erased_key,                                                                                    \
    "an idempotency key is lost: its message may be stored twice if it is posted again")           \
  X(void_streams, "the state of the shard's senders is void: posts under way end with owner_lost") \
  X(place_unknown, "the place of these shards may be lost: compare with starbus-mail shards")      \
  X(left, "not repaired")

/// One kind of step of a repair.
enum class RepairAction : std::uint8_t {
#define X(action, meaning) action,
  STARBUS_MAIL_REPAIR_ACTIONS(X)
#undef X
};
std::string_view name_of(RepairAction action);
/// The second column of the table above.
std::string_view meaning_of(RepairAction action);

/// One step of a repair, before it is done.
struct RepairStep {
  RepairAction action{};
  std::uint8_t shard = 0;
  std::optional<ChannelId> id{};
  std::string name{};
  std::uint64_t first = 0;  // numbers; 0: none
  std::uint64_t last = 0;
  std::string detail{};
  std::string body{};         // of one that was acknowledged
  std::uint64_t time_ms = 0;  // the same

  /// "player/1: lost 5 to 9"
  std::string to_string() const;
};

/// A part of a store to repair.
struct RepairPart {
  std::uint8_t shard = 0;
  IdRange ids{};
};

/// The known damage, and the extent of the repair.
struct MailRepairOptions {
  std::bitset<kShards> void_streams;  // shards that have lost rows of their senders
  std::bitset<kShards> lost_places;   // shards of which it may be lost where they are kept
  /// Mailboxes to repair, and nothing else is read; nullopt: the whole store.
  std::optional<std::vector<RepairPart>> parts;
  /// The highest number that each mailbox is known to have used; its row may have less.
  boost::unordered_flat_map<ChannelId, std::uint64_t> given;
  const BoxSearch* search = nullptr;  // not owned; null: no search was made
  /// Called before each step. False ends the repair.
  std::function<bool(const RepairStep&)> on_step;
  OnProgress on_progress{};
};

/// Errors as of the store; closed if on_step or on_progress has ended it.
storage::Result<> repair_mail(storage::Store& store, const MailRepairOptions& options);

}  // namespace starbus::mail
