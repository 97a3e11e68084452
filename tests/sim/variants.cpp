#include "tests/sim/variants.hpp"

#include <algorithm>

namespace starbus::sim {

const std::vector<Variant>& all_variants() {
  using enum Sabotage;
  static const std::vector<Variant> variants = {
      {no_prev, "no_prev", "base", 0, 20, "F13", "messages do not name their predecessor"},
      {process_wide_filter, "process_wide_filter", "base", 0, 20, "F2",
       "one duplicate filter per process instead of per (origin, channel, lane)"},
      {ticket_without_filter, "ticket_without_filter", "base", 0, 20, "M9",
       "the filter stays behind when a channel moves"},
      {no_grace, "no_grace", "base", 0, 20, "D1",
       "a new busroot grants before every host has announced"},
      {moved_before_active, "moved_before_active", "base", 15, 120, "M3",
       "the source is told to free before the target has confirmed"},
      {table_mid_session, "table_mid_session", "base", 52, 300, "M4",
       "a table that omits a grant under way erases it"},
      {no_session_fence, "no_session_fence", "base", 14, 300, "F9",
       "bundles of another session are taken"},
      {no_lineage, "no_lineage", "deaths", 12, 120, "F6b",
       "messages for an earlier life are taken"},
      {rollback_keeps_lineage, "rollback_keeps_lineage", "deaths", 3, 60, "M10",
       "a source resumes the old lineage although the target may have run"},
      {target_once_alive, "target_once_alive", "deaths", 10, 60, "M12",
       "a dead target counts as one that never ran"},
      {move_before_freed, "move_before_freed", "all", 175, 700, "M13",
       "a second move starts while an older frozen copy exists"},
      {copy_forgotten_early, "copy_forgotten_early", "all", 0, 0, "M13b",
       "busd forgets a frozen copy when its process was told, not when it has freed it"},
      {freeze_without_drain, "freeze_without_drain", "extended", 3, 20, "M8",
       "an entity moves while its own messages are unacknowledged"},
      {drain_while_frozen, "drain_while_frozen", "extended", 4, 20, "M8b",
       "an entity that drains accepts nothing"},
      {outbox_left_behind, "outbox_left_behind", "extended", 0, 20, "R12",
       "the outbox does not travel with the state"},
      {ack_before_handler, "ack_before_handler", "base", 0, 20, "F6",
       "busd acknowledges what it hands to a process"},
      {stale_epoch_accepted, "stale_epoch_accepted", "base", 0, 20, "D4b",
       "a claim under a lower epoch wins"},
      {filter_expired_early, "filter_expired_early", "base", 0, 20, "F14",
       "filter entries are forgotten after a moment"},
      {restamps_too_much, "restamps_too_much", "deaths", 0, 60, "F6b",
       "what was sent to a dead owner is sent to the next one"},
      {never_restamps, "never_restamps", "deaths", 0, 60, "N1",
       "what a new owner refuses is lost, however long it has been there"},
      {no_owner_for_handled, "no_owner_for_handled", "deaths", 7, 60, "F7",
       "no_owner is said of messages that have left"},
      {mail_last_apart, "mail_last_apart", "mail", 1, 20, "P2",
       "the last numbers of a shard's streams are not written with its messages"},
      {mail_ack_before_sync, "mail_ack_before_sync", "mail", 1, 20, "P5",
       "a mail shard acknowledges before the disk has the message"},
      {mail_list_counts, "mail_list_counts", "mail", 1, 40, "P1",
       "a store keeps what its configuration lists, whatever its disk says"},
      {mail_epoch_ignored, "mail_epoch_ignored", "mail", 1, 0, "P3",
       "who reads a mailbox is let in under any epoch"},
      {mail_failed_sync_lies, "mail_failed_sync_lies", "disks", 1, 40, "P4",
       "a failed sync of a mail store is taken for one that was made"},
      {log_trims_too_much, "log_trims_too_much", "mail", 1, 20, "L1",
       "retention takes one message more than it may"},
      {log_numbers_again, "log_numbers_again", "mail", 1, 20, "L2",
       "a log that has become empty begins at 1 again"},
      {log_reader_skips, "log_reader_skips", "mail", 1, 20, "L3",
       "who follows a log begins at its end, whatever its cursor says"},
      {row_without_grant, "row_without_grant", "liars", 1, 20, "A1",
       "a row of a process counts on its word, whatever its epoch"},
      {copy_without_move, "copy_without_move", "liars", 1, 60, "A2",
       "a frozen copy speaks on the word of its process"},
      {unknown_name_replies, "unknown_name_replies", "liars", 1, 0, "A3",
       "any host may answer for a name that busroot does not know"},
      {call_numbers_counted, "call_numbers_counted", "clients", 1, 20, "K2",
       "calls have the numbers 1, 2, 3..., so that anyone may answer them"},
      {call_ends_at_handling, "call_ends_at_handling", "clients", 1, 20, "K2",
       "a call ends when its request was handled, without its reply"},
      {deadline_ends_nothing, "deadline_ends_nothing", "clients", 1, 20, "K3",
       "a call whose deadline has passed goes on"},
      {reply_not_kept, "reply_not_kept", "clients", 1, 60, "K1",
       "a reply that finds no room is dropped, and not kept until there is some"},
      {left_out_handled, "left_out_handled", "clients", 1, 0, "K4",
       "a member that had no room counts among those that handled an announcement"},
      {shared_choice_jumps, "shared_choice_jumps", "clients", 1, 60, "",
       "a shared name goes to another instance while messages are under way to the first"},
      {call_before_connect, "call_before_connect", "clients", 1, 60, "",
       "a process calls before it owns the channel to which the replies come"},
      {room_never_comes, "room_never_comes", "clients", 1, 0, "K5",
       "an operation that waits for room is not told of it"},
  };
  return variants;
}

const Variant* find_variant(std::string_view name) {
  const auto found = std::ranges::find(all_variants(), name, &Variant::name);
  return found == all_variants().end() ? nullptr : &*found;
}

}  // namespace starbus::sim
