#include "mail/batch/bury.hpp"

#include <utility>

#include "mail/dead_letters.hpp"
#include "mail/limits.hpp"
#include "mail/lost_row.hpp"

namespace starbus::mail {

Result<> bury(BatchBoxes& boxes, BatchBoxes::Place& place, std::uint64_t number,
              const std::string& reason, MailBatch& batch) {
  std::string value;
  const auto row = boxes.message(place, number, value);
  if (!row || is_lost(*row)) return {};
  const bool fits = batch.may_erase_more() && batch.rows.bytes() + row->body.size() <= kBatchBytes;
  if (!fits && !batch.rows.empty()) return Error{Errc::would_block};
  Bytes letter;
  encode_dead_letter({place.box.row->name, number, row->time_ms, reason, as_bytes(row->body)},
                     letter);
  const std::string& name = dead_letters_log(place.shard.number);
  const ChannelId id = channel_id(name);
  auto found = boxes.find(place.shard, id, name, PostTarget::log);
  if (!found) return found.error();
  BatchBoxes::Place log =
      boxes.claim(std::move(*found), place.shard, id, name, PostTarget::log, batch);
  boxes.put_message(log, {}, letter, batch);
  ++batch.counters.dead_letters;
  // The log may have evicted the mailbox from the cache.
  const auto again = boxes.find(place.shard, place.id);
  if (!again || !*again) return Error{Errc::corrupt};
  place.box = (*again)->box;
  return {};
}

}  // namespace starbus::mail
