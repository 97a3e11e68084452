#include "busd/mail_report.hpp"

#include "base/base64.hpp"
#include "daemon/admin/router_report.hpp"
#include "daemon/report/document.hpp"

namespace starbus::busd {

using daemon::Response;
using report::to_json;

namespace {

constexpr std::size_t kShownBody = 64 * 1024;  // bytes of one message: the answer is JSON text

report::MailBox box_of(const mail::BoxInfo& box) {
  return {.name = box.row.name,
          .id = box.id.to_string(),
          .kind = box.row.kind == bus::PostTarget::log ? "log" : "mailbox",
          .shard = box.shard,
          .messages = box.row.count(),
          .bytes = box.row.bytes(),
          .floor = box.row.floor,
          .last = box.row.last};
}

report::MailRow row_of(const mail::Peeked& message) {
  const std::string_view shown = std::string_view(message.body).substr(0, kShownBody);
  return {.number = message.number,
          .time_ms = static_cast<double>(message.time_ms),
          .bytes = message.body.size(),
          .body = to_base64(shown),
          .cut = shown.size() < message.body.size(),
          .trouble = message.trouble};
}

}  // namespace

Response mail_refusal(const storage::Error& error) {
  if (error == storage::Errc::bad_batch) return Response::error(400, error.detail);
  if (error == storage::Errc::would_block) return Response::error(503, error.detail);
  const bool corrupt = error == storage::Errc::corrupt;
  return daemon::error_response(
      {corrupt ? bus::Errc::corrupt : bus::Errc::io_error, error.to_string()});
}

Response boxes_answer(const storage::Snapshot& snapshot, const mail::BoxQuery& query) {
  const auto page = mail::list_boxes(snapshot, query);
  if (!page) return mail_refusal(page.error());
  report::MailBoxes answer;
  for (const mail::BoxInfo& box : page->boxes) answer.boxes.push_back(box_of(box));
  answer.damaged = page->damaged;
  if (page->next) answer.next = *page->next;
  return Response::json(to_json(answer));
}

Response peek_answer(const storage::Snapshot& snapshot, const std::string& name, std::uint64_t from,
                     std::size_t limit) {
  const auto box = mail::find_box(snapshot, name);
  if (!box) return mail_refusal(box.error());
  if (!*box) return daemon::error_response({bus::Errc::no_owner, "no mailbox " + name + " here"});
  const auto page = mail::peek_whole(snapshot, **box, from, limit);
  if (!page) return mail_refusal(page.error());
  report::MailPage answer{.box = box_of(**box), .rows = {}, .next = page->next};
  for (const mail::Peeked& message : page->messages) answer.rows.push_back(row_of(message));
  return Response::json(to_json(answer));
}

report::MailStore report_of(const storage::Report& store) {
  return {.committed = store.committed,
          .refused = store.refused,
          .groups = store.groups,
          .syncs = store.syncs,
          .queued_batches = store.queued_batches,
          .queued_bytes = store.queued_bytes,
          .erasing_ranges = store.erasing_ranges,
          .reopened = store.reopened,
          .snapshots = store.snapshots};
}

report::MailScrub report_of(const mail::ScrubFigures& scrub) {
  return {.rounds = scrub.rounds,
          .bytes = scrub.bytes,
          .damaged = scrub.damaged,
          .findings = scrub.findings};
}

report::MailDamage report_of(const mail::DamageFigures& damage) {
  return {.lost = damage.lost,
          .repaired = damage.repaired,
          .repairs = damage.repairs,
          .notes = damage.texts};
}

report::MailMove report_of(const mail::MoveProgress& move) {
  return {.state = std::string(mail::name_of(move.state)),
          .shards = move.shards,
          .taken = move.taken,
          .shard = move.shard,
          .from = move.from,
          .doing = move.doing,
          .rows = move.rows,
          .bytes = move.bytes,
          .messages = move.messages,
          .error = move.error};
}

report::MailCounters report_of(const mail::MailCounters& counters) {
  return {.stored = counters.stored,
          .refused = counters.refused,
          .repeated_keys = counters.repeated_keys,
          .batches = counters.batches,
          .overflows = counters.overflows,
          .settled = counters.settled,
          .trimmed = counters.trimmed,
          .aged = counters.aged,
          .purged = counters.purged,
          .dead_letters = counters.dead_letters};
}

}  // namespace starbus::busd
