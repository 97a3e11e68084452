#include "busd/admin.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "busd/shares_report.hpp"
#include "daemon/admin/at_route.hpp"
#include "daemon/admin/router_report.hpp"
#include "daemon/loop_lag.hpp"
#include "daemon/report/document.hpp"
#include "daemon/router_shell.hpp"

namespace starbus::busd {

using daemon::AdminRole;
using daemon::Request;
using daemon::Response;
using report::to_json;

namespace {

constexpr std::size_t kMostRows = 1'000;  // per page of names: the loop makes it

std::string_view state_of(const bus::LocalName& name) {
  return name.confirmed ? "active" : "unconfirmed";
}

report::Vitals vitals_of(const bus::Vitals& vitals) {
  return {.sent_per_s = vitals.sent,
          .resent_per_s = vitals.resent,
          .window_bytes = vitals.window_bytes,
          .stuck_channel = vitals.stuck_bytes == 0 ? "" : vitals.stuck.to_string(),
          .stuck_bytes = vitals.stuck_bytes,
          .moves = vitals.moves,
          .oldest_move = vitals.moves == 0 ? "" : vitals.oldest_move,
          .oldest_move_ms = static_cast<double>(vitals.oldest_move_ms)};
}

report::NameRow row_of(const bus::LocalName& name) {
  return {.name = name.name,
          .id = bus::channel_id(name.name).to_string(),
          .owner = name.owner->name,
          .epoch = name.epoch.to_string(),
          .lineage = name.lineage.to_string(),
          .state = std::string(state_of(name))};
}

double seconds(bus::Time time) {
  return static_cast<double>(time / std::chrono::seconds(1));
}

}  // namespace

Admin::Admin(bus::HostRouter& router, daemon::DaemonContext& context, Facts facts)
    : RouterAdmin(router, context), router_(router), facts_(std::move(facts)), tails_(router) {
  context.admin.get_async(
      "/trace", AdminRole::observe,
      [this](const Request& request, const daemon::Reply& reply) { trace(request, reply); });
  context.admin.stream("/tail", AdminRole::read,
                       [this](const Request& request,
                              std::shared_ptr<daemon::Stream> stream) -> std::optional<Response> {
                         const auto name = bus::Name::of(request.parameter_or("name", ""));
                         if (!name) return daemon::error_response(name.error());
                         tails_.add(name->id(), std::move(stream));
                         return std::nullopt;
                       });
}

void Admin::pass_on(const Request& request, const daemon::Reply& reply) {
  const auto at = daemon::parse_at(request);
  if (!at) return reply(daemon::error_response(at.error()));
  if (at->target == facts_.host) {
    const daemon::AtCaller caller{request.role, "the caller"};
    if (!facts_.later(at->path, caller, reply)) answer_here(*at, request, reply);
    return;
  }
  router_.query(at->target, at->path, request.role, [reply](const Result<bus::Answer>& end) {
    reply(end ? daemon::response_of(*end) : daemon::error_response(end.error()));
  });
  router_.flush();
}

void Admin::trace(const Request& request, const daemon::Reply& reply) {
  const auto name = bus::Name::of(request.parameter_or("name", ""));
  if (!name) return reply(daemon::error_response(name.error()));
  const std::string text = request.parameter_or("lane", "call");
  const auto lane =
      std::ranges::find(bus::kDataLanes, text, [](bus::Lane each) { return name_of(each); });
  if (lane == std::end(bus::kDataLanes)) {
    return reply(daemon::error_response({bus::Errc::bad_name, "lane: call, sync or bulk"}));
  }
  router_.trace(
      name->id(), *lane, [reply, name = name->text()](const Result<bus::HopTrace>& trace) {
        if (!trace) return reply(daemon::error_response(trace.error()));
        report::Trace answer{
            name, std::string(name_of(trace->lane)), std::string(name_of(trace->end)), {}};
        for (const bus::TraceHop& hop : trace->hops) {
          answer.passages.push_back({hop.where, hop.at, hop.queued});
        }
        reply(Response::json(to_json(answer)));
      });
  router_.flush();
}

Response Admin::status() const {
  const auto lag = std::chrono::duration_cast<std::chrono::milliseconds>(context_.lag.worst());
  report::DaemonStatus status{.kind = "busd",
                              .name = facts_.host,
                              .version = facts_.version,
                              .protocol = bus::protocol_text(router_.minor()),
                              .pid = ::getpid(),
                              .uptime_s = seconds(uptime()),
                              .loop_lag_ms = static_cast<double>(lag.count()),
                              .clock_jump_age_s = daemon::clock_jump_age(context_.clock),
                              .term = router_.uplink().term.term(),
                              .state = facts_.state(),
                              .mail = facts_.mail(),
                              .shares = shares_of(router_.account_report(), facts_.loop_use()),
                              .counters = daemon::counters_of(router_.counters())};
  const bus::HostCounters& host = router_.host_counters();
  status.counters["not_local"] = host.not_local;
  status.counters["without_session"] = host.without_session;
  status.counters["without_uplink"] = host.without_uplink;
  status.counters["over_rate"] = host.over_rate;
  status.counters["denied"] = host.denied;
  status.counters["processes_ended"] = host.processes_ended;
  status.counters["leases_ended"] = host.leases_ended;
  return Response::json(to_json(status));
}

std::string Admin::kind_of(const bus::LinkStatus& link) const {
  return link.id == router_.uplink().link ? "busroot" : "process";
}

Response Admin::links() const {
  report::LinksPage page;
  for (const bus::LinkStatus& link : router_.link_status()) {
    page.links.push_back(daemon::link_info(link, kind_of(link)));
  }
  return Response::json(to_json(page));
}

Response Admin::topology() const {
  std::map<bus::LinkId, bus::LinkStatus> links;
  for (bus::LinkStatus& link : router_.link_status()) links.emplace(link.id, std::move(link));
  report::HostTopology topology;
  topology.host = facts_.host;
  router_.table().for_each_process([&](const bus::LocalProcess& process) {
    report::ProcessInfo info{.name = process.name,
                             .role = process.role->name,
                             .pid = process.pid,
                             .incarnation = std::to_string(process.id.incarnation),
                             .connected = process.ready,
                             .names = process.names.size(),
                             .link = std::nullopt,
                             .software = process.software,
                             .recent_sessions = process.sessions.count(daemon::boot_now()),
                             .vitals = vitals_of(process.vitals)};
    const auto link = links.find(process.link);
    if (link != links.end()) info.link = daemon::link_info(link->second, "process");
    topology.processes.push_back(std::move(info));
  });
  const bus::UplinkStatus& uplink = router_.uplink();
  const auto link = links.find(uplink.link);
  const bus::Time rtt = link == links.end() ? bus::Time{} : link->second.round_trip;
  const Error error = facts_.uplink_error();
  topology.term = uplink.term.term();
  topology.uplink = {.endpoint = facts_.uplink_endpoint(),
                     .connected = uplink.greeted,
                     .rtt_us = static_cast<double>(rtt / std::chrono::microseconds(1)),
                     .since_s = seconds(daemon::boot_now() - uplink.since),
                     .last_error = error.code == bus::Errc::ok ? "" : error.to_string()};
  topology.names = router_.table().name_count();
  return Response::json(to_json(topology));
}

Response Admin::names(const Request& request) const {
  const std::string prefix = request.parameter_or("prefix", "");
  const auto asked = request.number_or("limit", 100);
  if (!asked) return Response::no_number("limit");
  const std::size_t limit = std::min<std::size_t>(*asked, kMostRows);
  const auto page = router_.table().page(prefix, request.parameter_or("after", ""), limit);
  report::NamesPage answer;
  for (const bus::LocalName* name : page) answer.names.push_back(row_of(*name));
  if (page.size() == limit && limit != 0) answer.next = page.back()->name;
  if (prefix.empty()) answer.total = router_.table().name_count();
  return Response::json(to_json(answer));
}

Response Admin::route(const Request& request) const {
  const auto name = bus::Name::of(request.parameter_or("name", ""));
  if (!name) return daemon::error_response(name.error());
  report::RouteInfo answer;
  answer.name = name->text();
  answer.id = name->id().to_string();
  if (const bus::LocalName* local = router_.table().find(name->id())) {
    answer.found = true;
    answer.owner = local->owner->name;
    answer.host = facts_.host;
    answer.epoch = local->epoch.to_string();
    answer.lineage = local->lineage.to_string();
    answer.confirmed = local->confirmed;
    answer.state = state_of(*local);
  }
  return Response::json(to_json(answer));
}

void add_metrics(daemon::Metrics& metrics, bus::HostRouter& router) {
  daemon::add_router_metrics(metrics, router);
  const auto gauge = [&](const char* name, const char* help, auto read) {
    metrics.gauge(name, help, [read, &router] { return static_cast<double>(read(router)); });
  };
  gauge("starbus_busd_processes", "Processes of this host.",
        [](bus::HostRouter& r) { return r.table().process_count(); });
  gauge("starbus_busd_names", "Names owned by processes of this host.",
        [](bus::HostRouter& r) { return r.table().name_count(); });
  gauge("starbus_busd_watched_prefixes", "Prefixes watched at busroot.",
        [](bus::HostRouter& r) { return r.watched_prefixes(); });
  gauge("starbus_busd_uplink_greeted", "1 while busroot has accepted this host, else 0.",
        [](bus::HostRouter& r) { return r.uplink().greeted ? 1 : 0; });
  gauge("starbus_busd_term", "Highest term of a busroot that has accepted this host.",
        [](bus::HostRouter& r) { return r.uplink().term.term(); });
  const auto counter = [&](const char* name, const char* help,
                           std::uint64_t bus::HostCounters::*value) {
    metrics.counter(name, help, [value, &router] {
      return static_cast<double>(router.host_counters().*value);
    });
  };
  counter("starbus_busd_not_local_total",
          "Records from busroot dropped because their name is not bound here.",
          &bus::HostCounters::not_local);
  counter("starbus_busd_without_session_total",
          "Records refused because their process has no session.",
          &bus::HostCounters::without_session);
  counter("starbus_busd_without_uplink_total",
          "Records for other hosts refused because busroot was unreachable.",
          &bus::HostCounters::without_uplink);
  counter("starbus_busd_over_rate_total",
          "Records refused or dropped above the rate limit of the sender's role.",
          &bus::HostCounters::over_rate);
  counter("starbus_busd_undelivered_total",
          "Messages of processes of this host that did not arrive and that nobody waited for.",
          &bus::HostCounters::undelivered);
  counter("starbus_busd_denied_total", "Sessions ended because of access list violations.",
          &bus::HostCounters::denied);
  counter("starbus_busd_processes_ended_total", "Processes that ended.",
          &bus::HostCounters::processes_ended);
  counter("starbus_busd_leases_ended_total", "Processes that lost their lease.",
          &bus::HostCounters::leases_ended);
}

}  // namespace starbus::busd
