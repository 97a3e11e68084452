/// Makes a store of mail whole again whose check has findings: what is gone is said, so that the
/// rest can be read and posted to. Nothing that can be read is dropped: a message that has come
/// back though it was acknowledged is told with its body before it is erased.
#pragma once

#include <bitset>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bus/core/wire/post_head.hpp"
#include "mail/repair/box_search.hpp"
#include "mail/repair/box_walk.hpp"
#include "mail/repair/check.hpp"

namespace starbus::bus::busd::mail {

/// A hole larger than that in one mailbox is no damage of a disk: it is left, and said.
inline constexpr std::uint64_t kMostMarked = 1'000'000;

/// Numbers behind the latest of a mailbox that a damaged key may say were given: a log that is read
/// when a store is opened has fewer writes.
inline constexpr std::uint64_t kMostUnknown = 65'536;

// X(action, what it means)
#define STARBUS_MAIL_REPAIR_ACTIONS(X)                                                        \
  X(lost, "these messages are gone; their numbers stay used")                                 \
  X(counted_in, "messages behind the latest number that was known are the mailbox's again")   \
  X(acknowledged, "this message had come back after it was acknowledged; it is erased again") \
  X(rebuilt, "the mailbox has a row again, from its messages and what the files still had")   \
  X(sealed, "the mailbox has a row again, but its name is not known: it takes no posts")      \
  X(renamed, "the name of the mailbox was found")                                             \
  X(counted, "sums were wrong and are right again")                                           \
  X(erased_key,                                                                               \
    "an idempotency key is gone: its message may be stored once more if it is posted again")  \
  X(void_streams,                                                                             \
    "what was known of the shard's senders is void: posts under way end with owner_lost")     \
  X(place_unknown,                                                                            \
    "where these shards are kept may have been lost: compare with starbus-mail shards")       \
  X(left, "this could not be repaired")

enum class RepairAction : std::uint8_t {
#define X(action, meaning) action,
  STARBUS_MAIL_REPAIR_ACTIONS(X)
#undef X
};
std::string_view name_of(RepairAction action);
std::string_view meaning_of(RepairAction action);

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

/// Where a damaged store has to be looked at.
struct RepairPart {
  std::uint8_t shard = 0;
  IdRange ids{};
};

struct MailRepairOptions {
  std::bitset<kShards> void_streams;  // shards that have lost rows of their senders
  std::bitset<kShards> lost_places;   // shards of which it may be lost where they are kept
  /// No value: the whole store. Otherwise these mailboxes, and nothing else is read.
  std::optional<std::vector<RepairPart>> parts;
  /// The highest number that each mailbox is known to have given, though its row may say less.
  boost::unordered_flat_map<ChannelId, std::uint64_t> given;
  const BoxSearch* search = nullptr;  // not owned; null: nothing was looked for
  /// Told before it is done. False ends the repair.
  std::function<bool(const RepairStep&)> on_step;
  OnProgress on_progress{};
};

/// Errors as of the store; closed if on_step or on_progress has ended it.
storage::Result<> repair_mail(storage::Store& store, const MailRepairOptions& options);

}  // namespace starbus::bus::busd::mail
