/// Rules of the protocol that can be broken one at a time, to show that the simulator's oracle
/// notices. The product knows nothing of them: tests/sim/broken/patches change a copy of its
/// sources, and each file of that copy includes this one first.
#pragma once

#include <cstdint>

namespace starbus {

enum class Sabotage {
  none,
  no_prev,                 // messages do not name their predecessor
  process_wide_filter,     // one duplicate filter per process, not per channel
  ticket_without_filter,   // the filter stays behind when a channel moves
  no_grace,                // a new busroot grants before every host has announced
  moved_before_active,     // the source is told to free before the target has confirmed
  table_mid_session,       // a table that omits a grant under way erases it
  no_session_fence,        // bundles of another session are taken
  no_lineage,              // messages for an earlier life are taken
  rollback_keeps_lineage,  // a source resumes the old lineage although the target may have run
  target_once_alive,       // a dead target counts as one that never ran
  move_before_freed,       // a second move starts while an older frozen copy exists
  copy_forgotten_early,    // busd forgets a frozen copy at MOVED, not when it is freed
  freeze_without_drain,    // a channel moves while its own messages are unacknowledged
  drain_while_frozen,      // a channel that drains accepts nothing
  outbox_left_behind,      // the outbox does not travel with the state
  ack_before_handler,      // busd acknowledges what it hands to a process
  stale_epoch_accepted,    // a claim under a lower epoch wins
  filter_expired_early,    // filter entries are forgotten after a moment
  restamps_too_much,       // what was sent to a dead owner is sent to the next one
  never_restamps,          // what a new owner refuses is lost, however long it has been there
  late_refusal_answers,    // any refusal is taken for the answer to the latest question
  no_owner_for_handled,    // messages that were sent fail as no_owner
  no_owner_for_later,      // a refusal answers messages that were issued after its own, too
  no_owner_for_sent,       // a refusal ends what has left, whenever that was
  mail_last_apart,         // a shard's last numbers are not written with its messages
  mail_ack_before_sync,    // a shard acknowledges before the disk has the message
  mail_list_counts,        // a store keeps what its configuration lists, whatever its disk says
  mail_epoch_ignored,      // a reader may open a mailbox under any epoch
  mail_failed_sync_lies,   // a failed sync of a mail store counts as done
  log_trims_too_much,      // retention takes one message more than it may
  log_numbers_again,       // a log that has become empty begins at 1 again
  log_reader_skips,        // a log reader begins at the end, whatever its cursor
  row_without_grant,       // a row counts on the word of its process, whatever its epoch
  copy_without_move,       // a frozen copy speaks on the word of its process
  unknown_name_replies,    // any host may answer for a name that busroot does not know
  call_numbers_counted,    // calls have the numbers 1, 2, 3..., which anyone may answer
  call_ends_at_handling,   // a call ends when its request was handled, without its reply
  deadline_ends_nothing,   // a call whose deadline has passed goes on
  reply_not_kept,          // a reply that finds no room is dropped
  left_out_handled,        // a member without room counts among those that handled it
  shared_choice_jumps,     // a shared name goes to another instance while messages are under way
  call_before_connect,     // a process calls before it owns the channel to which replies come
  room_never_comes,        // an operation that waits for room is not told of it
  no_acknowledgements,     // sent messages count as handled: for the benchmark of ACKs
};

/// The rule that is broken now; one thread.
inline Sabotage active_sabotage = Sabotage::none;
inline bool sabotaged(Sabotage rule) {
  return active_sabotage == rule;
}

/// For process_wide_filter: the highest sequence of `source` that any channel has handled.
template <class Channels, class Source>
std::uint64_t last_of_all(const Channels& channels, const Source& source) {
  std::uint64_t last = 0;
  for (const auto& [id, channel] : channels) {
    const auto known = channel->filter.find(source);
    if (known != channel->filter.end() && known->second.last > last) last = known->second.last;
  }
  return last;
}

}  // namespace starbus
