#include "busd/mail_admin.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/shard_list.hpp"
#include "busd/mail_report.hpp"
#include "daemon/admin/router_report.hpp"
#include "daemon/report/document.hpp"

namespace starbus::busd {

using daemon::AdminRole;
using daemon::Reply;
using daemon::Request;
using daemon::Response;
using report::to_json;

namespace {

constexpr std::size_t kMostWaiting = 64;         // per scan for statistics
constexpr std::chrono::milliseconds kSlice{50};  // of a scan, before other requests get their turn

Response no_store() {
  return daemon::error_response({bus::Errc::no_owner, "this host keeps no mail"});
}

Response not_open() {
  return Response::error(503, "the mail store is not open: see /healthz");
}

}  // namespace

const std::array<MailAdmin::Route, 6> MailAdmin::kRoutes{{
    {"/mail/stats", AdminRole::observe, &MailAdmin::stats},
    {"/mail/move", AdminRole::observe, &MailAdmin::move},
    {"/mail/offer", AdminRole::observe, &MailAdmin::offers},
    {"/mail/backup", AdminRole::observe, &MailAdmin::backup},
    {"/mail/boxes", AdminRole::read, &MailAdmin::boxes},
    {"/mail/peek", AdminRole::read, &MailAdmin::peek},
}};

MailAdmin::MailAdmin(boost::asio::io_context& loop, daemon::AdminServer& admin, std::string host,
                     std::function<mail::MailStoreThread*()> node)
    : loop_(loop), host_(std::move(host)), node_(std::move(node)) {
  for (const Route& route : kRoutes) {
    admin.get_async(route.path, route.role,
                    [this, serve = route.serve](const Request& request, const Reply& reply) {
                      (this->*serve)(request, reply);
                    });
  }
  using Serve = void (MailAdmin::*)(const Request&, const Reply&);
  constexpr std::pair<const char*, Serve> kChanges[] = {
      {"/mail/backup", &MailAdmin::begin_backup},
      {"/mail/backup/stop", &MailAdmin::stop_backup},
      {"/mail/purge", &MailAdmin::purge},
      {"/mail/move", &MailAdmin::begin_move},
      {"/mail/move/stop", &MailAdmin::stop_move},
      {"/mail/offer", &MailAdmin::offer},
      {"/mail/offer/withdraw", &MailAdmin::withdraw},
      {"/mail/detach", &MailAdmin::detach},
      {"/mail/damage/acknowledge", &MailAdmin::acknowledge},
  };
  for (const auto& [path, serve] : kChanges) {
    admin.post_async(path, [this, serve = serve](const Request& request, const Reply& reply) {
      (this->*serve)(request, reply);
    });
  }
}

bool MailAdmin::answer(const std::string& path_and_query, const daemon::AtCaller& caller,
                       const Reply& reply) {
  auto target = daemon::parse_target(path_and_query);
  if (!target) return false;
  const auto route = std::ranges::find(kRoutes, target->path, &Route::path);
  if (route == kRoutes.end()) return false;
  if (caller.role < route->role) {
    reply(daemon::role_missing(route->role, caller.role, caller.name));
  } else {
    (this->*route->serve)({"GET", target->path, std::move(target->query), {}, caller.role}, reply);
  }
  return true;
}

/// False if no store is open; then the reply with the reason is sent.
bool MailAdmin::is_open(const Reply& reply) const {
  thread_.check();
  const mail::MailStoreThread* const node = node_();
  const bool open = node != nullptr && node->is_open();
  if (!open) reply(node != nullptr ? not_open() : no_store());
  return open;
}

/// Runs `read` on the thread of the queries, and replies from the loop.
void MailAdmin::ask(const Reply& reply, Read read) {
  if (!is_open(reply)) return;
  const bool asked = node_()->ask([&loop = loop_, reply, read = std::move(read)](
                                      const storage::Result<const storage::Snapshot*>& snapshot) {
    Response response = snapshot ? read(**snapshot) : mail_refusal(snapshot.error());
    boost::asio::post(loop, [reply, response = std::move(response)] { reply(response); });
  });
  if (!asked) reply(Response::error(503, "too many mail requests are waiting; ask again later"));
}

void MailAdmin::boxes(const Request& request, const Reply& reply) {
  mail::BoxQuery query;
  query.prefix = request.parameter_or("prefix", "");
  query.after = request.parameter_or("after", "");
  const auto limit = request.number_or("limit", 100);
  if (!limit) return reply(Response::no_number("limit"));
  query.limit = std::min<std::size_t>(*limit, mail::kMostBoxes);
  ask(reply, [query](const storage::Snapshot& snapshot) { return boxes_answer(snapshot, query); });
}

void MailAdmin::peek(const Request& request, const Reply& reply) {
  const std::string name = request.parameter_or("name", "");
  if (const auto good = bus::check_channel_name(name); !good) {
    return reply(daemon::error_response(good.error()));
  }
  const auto from = request.number_or("from", 0);
  if (!from) return reply(Response::no_number("from"));
  const auto limit = request.number_or("limit", 20);
  if (!limit) return reply(Response::no_number("limit"));
  const std::size_t most = std::min<std::size_t>(*limit, mail::kMostPeeked);
  ask(reply, [name, from = *from, most](const storage::Snapshot& snapshot) {
    return peek_answer(snapshot, name, from, most);
  });
}

// --- statistics ----------------------------------------------------------------------------------

void MailAdmin::stats(const Request&, const Reply& reply) {
  if (!is_open(reply)) return;
  const auto now = std::chrono::steady_clock::now();
  if (statistics_ && now < statistics_->at + kStatisticsAge) {
    return reply(statistics_answer(*statistics_));
  }
  if (waiting_.size() >= kMostWaiting) {
    return reply(
        Response::error(503, "too many requests wait for the statistics; ask again later"));
  }
  waiting_.push_back(reply);
  if (waiting_.size() == 1) read_statistics(std::make_shared<Statistics>());
}

void MailAdmin::read_statistics(std::shared_ptr<Statistics> statistics) {
  mail::MailStoreThread* const node = node_();
  const auto go_on = [this, weak = std::weak_ptr(alive_), statistics] {
    if (!weak.lock()) return;
    const bool done =
        statistics->shards.size() == bus::kShards || statistics->error.code != storage::Errc::ok;
    done ? end_statistics(statistics) : read_statistics(statistics);
  };
  const bool asked = node != nullptr &&
                     node->ask([&loop = loop_, statistics,
                                go_on](const storage::Result<const storage::Snapshot*>& snapshot) {
                       const auto end = std::chrono::steady_clock::now() + kSlice;
                       if (!snapshot) statistics->error = snapshot.error();
                       while (snapshot && statistics->shards.size() < bus::kShards &&
                              statistics->error.code == storage::Errc::ok &&
                              std::chrono::steady_clock::now() < end) {
                         const auto shard = static_cast<std::uint8_t>(statistics->shards.size());
                         const auto one = mail::shard_statistics(**snapshot, shard);
                         if (one) statistics->shards.push_back(*one);
                         if (!one) statistics->error = one.error();
                       }
                       boost::asio::post(loop, go_on);
                     });
  if (asked) return;
  statistics->error = {storage::Errc::would_block,
                       "too many mail requests are waiting; ask again later"};
  end_statistics(statistics);
}

void MailAdmin::end_statistics(const std::shared_ptr<Statistics>& statistics) {
  statistics->at = std::chrono::steady_clock::now();
  const bool good = statistics->error.code == storage::Errc::ok && node_() != nullptr;
  if (good) statistics_ = statistics;
  const Response response = good ? statistics_answer(*statistics) : mail_refusal(statistics->error);
  for (const Reply& reply : std::exchange(waiting_, {})) reply(response);
}

Response MailAdmin::statistics_answer(const Statistics& statistics) const {
  mail::ShardStatistics all;
  report::MailStatistics answer;
  static_cast<report::MailStatus&>(answer) = status().value_or(report::MailStatus{});
  for (std::size_t shard = 0; shard < statistics.shards.size(); ++shard) {
    const mail::ShardStatistics& one = statistics.shards[shard];
    all.add(one);
    if (one.totals.boxes == 0 && one.unreadable() == 0) continue;
    answer.per_shard.push_back({.shard = shard,
                                .mailboxes = one.totals.boxes,
                                .messages = one.totals.messages,
                                .bytes = one.totals.bytes,
                                .oldest_ms = static_cast<double>(one.oldest_ms)});
  }
  const auto age = std::chrono::steady_clock::now() - statistics.at;
  answer.mailboxes = all.totals.boxes;
  answer.messages = all.totals.messages;
  answer.bytes = all.totals.bytes;
  answer.oldest_ms = static_cast<double>(all.oldest_ms);
  answer.unreadable = all.unreadable();
  answer.age_ms = static_cast<double>(age / std::chrono::milliseconds(1));
  return Response::json(to_json(answer));
}

namespace {

std::vector<std::uint8_t> numbers_of(const std::bitset<bus::kShards>& shards) {
  std::vector<std::uint8_t> numbers;
  for (unsigned shard = 0; shard < bus::kShards; ++shard) {
    if (shards.test(shard)) numbers.push_back(static_cast<std::uint8_t>(shard));
  }
  return numbers;
}

}  // namespace

std::optional<report::MailStatus> MailAdmin::status() const {
  mail::MailStoreThread* const node = node_();
  if (node == nullptr) return std::nullopt;
  const storage::Report store = node->report();
  const mail::MailStoreFigures figures = node->figures();
  const bool well = store.reason.code == storage::Errc::ok;
  report::MailStatus status{.host = host_,
                            .state = std::string(node->state()),
                            .reason = well ? "" : store.reason.to_string(),
                            .shards_listed = node->listed(),
                            .shards_kept = std::nullopt,
                            .shards_held = figures.held.count(),
                            .bytes = figures.totals.bytes,
                            .quota_bytes = node->quota().total_bytes,
                            .counters = report_of(figures.counters),
                            .scrub = report_of(node->scrub()),
                            .damage = report_of(node->damage()),
                            .oldest_age_ms = node->oldest_age_ms(),
                            .store = report_of(store)};
  std::ranges::sort(status.shards_listed);
  if (figures.kept) status.shards_kept = numbers_of(*figures.kept);
  return status;
}

std::string MailAdmin::trouble() const {
  mail::MailStoreThread* const node = node_();
  if (node == nullptr) return {};
  const std::string_view state = node->state();
  const mail::ScrubFigures scrub = node->scrub();
  if (state == storage::name_of(storage::State::running)) {
    if (scrub.damaged != 0) return "mail store damaged: " + scrub.findings.front();
    const mail::DamageFigures noted = node->damage();
    if (noted.lost != 0) return "mail store has lost mail: " + noted.texts.front();
    const std::size_t lacks = lacking();
    return lacks == 0 ? "" : "mail store lacks " + std::to_string(lacks) + " of its shards";
  }
  std::string text = "mail store " + std::string(state);
  const storage::Error reason = node->report().reason;
  if (reason.code != storage::Errc::ok) text += ": " + reason.to_string();
  return text;
}

std::size_t MailAdmin::lacking() const {
  mail::MailStoreThread* const node = node_();
  return node == nullptr ? 0 : node->figures().lacking.count();
}

bool MailAdmin::damaged() const {
  mail::MailStoreThread* const node = node_();
  return node != nullptr && (node->scrub().damaged != 0 || node->damage().lost != 0);
}

bool MailAdmin::stopped() const {
  mail::MailStoreThread* const node = node_();
  return node != nullptr && node->report().state == storage::State::stopped;
}

// --- purges --------------------------------------------------------------------------------------

void MailAdmin::purge(const Request& request, const Reply& reply) {
  mail::MailStoreThread* const node = node_();
  if (node == nullptr) return reply(no_store());
  const std::string name = request.parameter_or("name", "");
  if (const auto good = bus::check_channel_name(name); !good) {
    return reply(daemon::error_response(good.error()));
  }
  const auto upto = request.number_or("upto", ~std::uint64_t{0});
  if (!upto) return reply(Response::no_number("upto"));
  const bool asked =
      node->purge(name, *upto, [&loop = loop_, reply, name](Result<std::uint64_t> count) {
        const Response response = count ? Response::json(to_json(report::MailPurge{name, *count}))
                                        : daemon::error_response(count.error());
        boost::asio::post(loop, [reply, response] { reply(response); });
      });
  if (!asked) reply(not_open());
}

// --- backups -------------------------------------------------------------------------------------

void MailAdmin::backup(const Request&, const Reply& reply) {
  if (!is_open(reply)) return;
  const auto now = node_()->backup();
  if (!now) return reply(not_open());
  const mail::Queries::Backup& backup = *now;
  const bool well = backup.error.code == storage::Errc::ok;
  const bool asked_wrong = backup.error == storage::Errc::bad_batch;  // then the detail says all
  report::MailBackup answer{.state = std::string(name_of(backup.state)),
                            .to = backup.to,
                            .mailboxes = backup.facts.boxes,
                            .messages = backup.facts.messages,
                            .rows = backup.facts.rows,
                            .bytes = backup.facts.bytes,
                            .damaged = backup.facts.damaged,
                            .begun_ms = static_cast<double>(backup.facts.begun_ms),
                            .ended_ms = static_cast<double>(backup.facts.ended_ms),
                            .error = {}};
  if (!well) answer.error = asked_wrong ? backup.error.detail : backup.error.to_string();
  reply(Response::json(to_json(answer)));
}

void MailAdmin::begin_backup(const Request& request, const Reply& reply) {
  if (!is_open(reply)) return;
  const auto begun = node_()->begin_backup(request.parameter_or("to", ""));
  if (!begun) return reply(mail_refusal(begun.error()));
  backup(request, reply);
}

void MailAdmin::stop_backup(const Request& request, const Reply& reply) {
  if (!is_open(reply)) return;
  node_()->stop_backup();
  backup(request, reply);
}

// --- loans
// ----------------------------------------------------------------------------------------

void MailAdmin::detach(const Request& request, const Reply& reply) {
  if (!is_open(reply)) return;
  const std::filesystem::path wanted = request.parameter_or("folder", "");
  std::error_code error;
  if (!std::filesystem::equivalent(wanted, node_()->folder(), error)) {
    return reply(
        Response::error(409, "the store of this busd is in " + node_()->folder().string()));
  }
  const bool asked = node_()->detach([&loop = loop_, reply] {
    boost::asio::post(loop, [reply] { reply(Response::json({{"detached", true}})); });
  });
  if (!asked) reply(Response::error(503, "the mail store is closing; ask again later"));
}

// --- notes of damage -----------------------------------------------------------------------------

void MailAdmin::acknowledge(const Request&, const Reply& reply) {
  if (!is_open(reply)) return;
  const std::uint64_t notes = node_()->damage().lost + node_()->damage().repaired;
  const bool asked =
      node_()->acknowledge_damage([&loop = loop_, reply, notes](const storage::Result<>& done) {
        const Response response =
            done ? Response::json({{"acknowledged", notes}}) : mail_refusal(done.error());
        boost::asio::post(loop, [reply, response] { reply(response); });
      });
  if (!asked) reply(Response::error(503, "too many mail requests are waiting; ask again later"));
}

// --- moves of shards to here
// -----------------------------------------------------------------------

void MailAdmin::move(const Request&, const Reply& reply) {
  if (!is_open(reply)) return;
  reply(Response::json(to_json(report_of(node_()->figures().move))));
}

void MailAdmin::begin_move(const Request& request, const Reply& reply) {
  if (!is_open(reply)) return;
  const std::string text = request.parameter_or("shards", "");
  auto shards = bus::parse_shards(text);
  if (!shards)
    return reply(Response::error(400, "shards: '" + text + "' is not a list such as 0-15,40"));
  node_()->take(std::move(*shards), [this, weak = std::weak_ptr(alive_), reply](Result<> begun) {
    boost::asio::post(loop_, [this, weak, reply, begun = std::move(begun)] {
      if (!weak.lock()) return;
      if (!begun) return reply(Response::error(409, begun.error().detail));
      move({}, reply);
    });
  });
}

void MailAdmin::stop_move(const Request& request, const Reply& reply) {
  if (!is_open(reply)) return;
  node_()->stop_taking();
  move(request, reply);
}

}  // namespace starbus::busd
