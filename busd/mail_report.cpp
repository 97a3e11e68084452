#include "busd/mail_report.hpp"

#include <nlohmann/json.hpp>

#include "daemon/admin/router_report.hpp"
#include "mail/repair/base64.hpp"

namespace starbus::bus::busd {

using daemon::Response;
using nlohmann::json;

namespace {

constexpr std::size_t kShownBody = 64 * 1024;  // bytes of one message: the answer is JSON text

json box_json(const mail::BoxInfo& box) {
  return {
      {"name", box.row.name},        {"id", box.id.to_string()},
      {"shard", box.shard},          {"kind", box.row.kind == PostTarget::log ? "log" : "mailbox"},
      {"messages", box.row.count()}, {"bytes", box.row.bytes()},
      {"floor", box.row.floor},      {"last", box.row.last}};
}

json message_json(const mail::Peeked& message) {
  const std::string_view shown = std::string_view(message.body).substr(0, kShownBody);
  return {{"number", message.number},
          {"time_ms", message.time_ms},
          {"bytes", message.body.size()},
          {"body", mail::to_base64(shown)},
          {"cut", shown.size() < message.body.size()},
          {"trouble", message.trouble.empty() ? json() : json(message.trouble)}};
}

}  // namespace

Response mail_refusal(const storage::Error& error) {
  if (error == storage::Errc::bad_batch) return Response::error(400, error.detail);
  if (error == storage::Errc::would_block) return Response::error(503, error.detail);
  const bool corrupt = error == storage::Errc::corrupt;
  return daemon::error_response({corrupt ? Errc::corrupt : Errc::io_error, error.to_string()});
}

Response boxes_answer(const storage::Snapshot& snapshot, const mail::BoxQuery& query) {
  const auto page = mail::list_boxes(snapshot, query);
  if (!page) return mail_refusal(page.error());
  json rows = json::array();
  for (const mail::BoxInfo& box : page->boxes) rows.push_back(box_json(box));
  return Response::json({{"boxes", rows},
                         {"damaged", page->damaged},
                         {"next", page->next ? json(*page->next) : json()}});
}

Response peek_answer(const storage::Snapshot& snapshot, const std::string& name, std::uint64_t from,
                     std::size_t limit) {
  const auto box = mail::find_box(snapshot, name);
  if (!box) return mail_refusal(box.error());
  if (!*box) return daemon::error_response({Errc::no_owner, "no mailbox " + name + " here"});
  const auto page = mail::peek_whole(snapshot, **box, from, limit);
  if (!page) return mail_refusal(page.error());
  json answer = box_json(**box);
  json& rows = answer["rows"] = json::array();
  for (const mail::Peeked& message : page->messages) rows.push_back(message_json(message));
  answer["next"] = page->next == 0 ? json() : json(page->next);
  return Response::json(answer);
}

json mail_store_json(const storage::Report& report) {
  return {{"committed", report.committed},
          {"refused", report.refused},
          {"groups", report.groups},
          {"syncs", report.syncs},
          {"queued_batches", report.queued_batches},
          {"queued_bytes", report.queued_bytes},
          {"erasing_ranges", report.erasing_ranges},
          {"reopened", report.reopened},
          {"snapshots", report.snapshots}};
}

json mail_patrol_json(const mail::PatrolFigures& patrol) {
  return {{"rounds", patrol.rounds},
          {"bytes", patrol.bytes},
          {"damaged", patrol.damaged},
          {"findings", patrol.findings}};
}

json mail_damage_json(const mail::DamageFigures& damage) {
  return {{"lost", damage.lost},
          {"mended", damage.mended},
          {"repairs", damage.repairs},
          {"notes", damage.texts}};
}

json mail_move_json(const mail::MoveProgress& move) {
  return {{"state", mail::name_of(move.state)},
          {"shards", move.shards},
          {"taken", move.taken},
          {"shard", move.shard ? json(*move.shard) : json()},
          {"from", move.from},
          {"doing", move.doing},
          {"rows", move.rows},
          {"bytes", move.bytes},
          {"messages", move.messages},
          {"error", move.error}};
}

json mail_counters_json(const mail::MailCounters& counters) {
  return {{"stored", counters.stored},
          {"refused", counters.refused},
          {"repeated_keys", counters.repeated_keys},
          {"batches", counters.batches},
          {"overflows", counters.overflows},
          {"settled", counters.settled},
          {"trimmed", counters.trimmed},
          {"aged", counters.aged},
          {"purged", counters.purged},
          {"dead_letters", counters.dead_letters}};
}

}  // namespace starbus::bus::busd
