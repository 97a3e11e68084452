#include "busroot/admin.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/version.hpp"
#include "daemon/admin/at_route.hpp"
#include "daemon/admin/router_report.hpp"
#include "daemon/loop_lag.hpp"
#include "daemon/report/document.hpp"
#include "daemon/router_shell.hpp"

namespace starbus::busroot {

using daemon::Request;
using daemon::Response;
using report::to_json;

namespace {

std::string_view state_of(const bus::Directory::Entry& entry) {
  return entry.confirmed ? "active" : "unconfirmed";
}

report::NameRow row_of(const bus::Directory::Entry& entry) {
  return {.name = std::string(entry.name()),
          .id = entry.id().to_string(),
          .owner = bus::RootRouter::process_of(entry).full_name(),
          .epoch = entry.epoch.to_string(),
          .lineage = entry.lineage.to_string(),
          .state = std::string(state_of(entry))};
}

}  // namespace

Admin::Admin(bus::RootRouter& router, daemon::DaemonContext& context, std::function<void()> flush)
    : RouterAdmin(router, context), router_(router), flush_(std::move(flush)) {}

void Admin::pass_on(const Request& request, const daemon::Reply& reply) {
  const auto at = daemon::parse_at(request);
  if (!at) return reply(daemon::error_response(at.error()));
  if (at->target == bus::RootRouter::kRootName) return answer_here(*at, request, reply);
  const std::uint64_t number = ++asked_;
  if (!router_.ask({{}, number, at->target, at->path, request.role})) {
    return reply(
        daemon::error_response({bus::Errc::unreachable, at->target + " is not connected"}));
  }
  // A request that its host never answers stays here until newer ones push it out; by then the
  // server has answered the client 504.
  if (questions_.size() >= kMostQuestions) questions_.erase(questions_.begin());
  questions_.emplace(number, reply);
  flush_();
}

void Admin::on_answer(const bus::Answer& answer) {
  thread_.check();
  auto question = questions_.extract(answer.number);
  if (question.empty()) return;
  question.mapped()(daemon::response_of(answer));
}

Response Admin::status() const {
  const auto lag = std::chrono::duration_cast<std::chrono::milliseconds>(context_.lag.worst());
  return Response::json(to_json(
      report::DaemonStatus{.kind = "busroot",
                           .name = router_.name(),
                           .version = bus::kVersion,
                           .protocol = bus::protocol_text(router_.minor()),
                           .pid = ::getpid(),
                           .uptime_s = static_cast<double>(uptime() / std::chrono::seconds(1)),
                           .loop_lag_ms = static_cast<double>(lag.count()),
                           .clock_jump_age_s = daemon::clock_jump_age(context_.clock),
                           .term = router_.term(),
                           .state = router_.in_grace() ? "grace" : "serving",
                           .counters = daemon::counters_of(router_.counters())}));
}

Response Admin::links() const {
  report::LinksPage page;
  for (const bus::LinkStatus& link : router_.link_status()) {
    page.links.push_back(daemon::link_info(link, "busd"));
  }
  return Response::json(to_json(page));
}

report::HostRow Admin::row_of_host(const bus::RootHost& host,
                                   const std::vector<bus::LinkStatus>& links) const {
  report::HostRow row{.host = host.name,
                      .connected = host.connected(),
                      .key = host.key,
                      .names = host.names(),
                      .processes = {},
                      .link = std::nullopt,
                      .software = host.software,
                      .recent_sessions = host.sessions.count(daemon::boot_now())};
  for (const auto& [id, process] : host.processes) {
    report::ProcessInfo info;
    info.name = process->full_name();
    info.role = process->role;
    info.pid = process->pid;
    info.names = process->names();
    row.processes.push_back(std::move(info));
  }
  const auto link = std::ranges::lower_bound(links, host.link, {}, &bus::LinkStatus::id);
  if (host.connected() && link != links.end()) row.link = daemon::link_info(*link, "busd");
  return row;
}

Response Admin::topology() const {
  const std::vector<bus::LinkStatus> links = router_.link_status();
  std::map<std::string, const bus::RootHost*> by_name;
  router_.for_each_host([&](const bus::RootHost& host) { by_name[host.name] = &host; });
  report::RootTopology topology;
  topology.name = router_.name();
  topology.software = std::string("starbus ") + bus::kVersion;
  topology.term = router_.term();
  topology.grace = router_.in_grace();
  topology.waiting_for.assign(router_.waiting_for().begin(), router_.waiting_for().end());
  for (const auto& [name, host] : by_name) topology.hosts.push_back(row_of_host(*host, links));
  topology.names = router_.directory().size();
  return Response::json(to_json(topology));
}

Response Admin::names(const Request& request) const {
  const auto asked = request.number_or("limit", 100);
  if (!asked) return Response::no_number("limit");
  const std::size_t limit = std::min<std::size_t>(*asked, kMostRows);
  const std::string prefix = request.parameter_or("prefix", "");
  const bus::Directory& directory = router_.directory();
  report::NamesPage page;
  bool more = false;
  directory.list(prefix, request.parameter_or("after", ""),
                 [&](const bus::Directory::Entry& entry) {
                   more = page.names.size() == limit;
                   if (!more) page.names.push_back(row_of(entry));
                   return !more;
                 });
  // Only what is known: to count the names of a prefix is to walk them all, for each page.
  if (prefix.empty()) page.total = directory.size();
  if (more && limit != 0) page.next = page.names.back().name;
  return Response::json(to_json(page));
}

Response Admin::route(const Request& request) const {
  const auto name = bus::Name::of(request.parameter_or("name", ""));
  if (!name) return daemon::error_response(name.error());
  report::RouteInfo answer;
  answer.name = name->text();
  answer.id = name->id().to_string();
  if (const bus::Directory::Entry* entry = router_.directory().find(name->id())) {
    report::NameRow row = row_of(*entry);
    answer = {.name = std::move(row.name),
              .id = std::move(row.id),
              .found = true,
              .owner = std::move(row.owner),
              .host = bus::RootRouter::process_of(*entry).host.name,
              .epoch = std::move(row.epoch),
              .lineage = std::move(row.lineage),
              .confirmed = entry->confirmed,
              .state = std::move(row.state)};
  }
  return Response::json(to_json(answer));
}

void add_metrics(daemon::Metrics& metrics, const bus::RootRouter& router) {
  daemon::add_router_metrics(metrics, router);
  const auto gauge = [&](const char* name, const char* help, auto read) {
    metrics.gauge(name, help, [read, &router] { return static_cast<double>(read(router)); });
  };
  gauge("starbus_busroot_term", "Term of this start.",
        [](const bus::RootRouter& r) { return r.term(); });
  gauge("starbus_busroot_grace",
        "1 during grace, while busroot waits for hosts and grants nothing, else 0.",
        [](const bus::RootRouter& r) { return r.in_grace() ? 1 : 0; });
  gauge("starbus_busroot_hosts", "Hosts that are connected or within their lease.",
        [](const bus::RootRouter& r) { return r.host_count(); });
  gauge("starbus_busroot_names", "Names in the directory.",
        [](const bus::RootRouter& r) { return r.directory().size(); });
  gauge("starbus_busroot_watched_prefixes", "Prefixes watched by hosts.",
        [](const bus::RootRouter& r) { return r.watch_count(); });
  gauge("starbus_busroot_held_bytes",
        "Bytes of messages that wait for a moving name or an absent host.",
        [](const bus::RootRouter& r) { return r.held().bytes(); });
  metrics.counter("starbus_busroot_granted_total", "Epochs granted in this term.",
                  [&router] { return static_cast<double>(router.granted()); });
  using Read = double (*)(const bus::RootHost&);
  const auto per_host = [&](const char* name, const char* help, Read read) {
    metrics.family(name, help, daemon::Metrics::Kind::gauge, [&router, read] {
      std::vector<daemon::Metrics::Sample> samples;
      router.for_each_host([&](const bus::RootHost& host) {
        samples.push_back({{{"host", host.name}}, read(host)});
      });
      return samples;
    });
  };
  per_host("starbus_busroot_host_connected", "1 while the host has a session, else 0.",
           [](const bus::RootHost& host) { return host.connected() ? 1.0 : 0.0; });
  per_host("starbus_busroot_host_names", "Names owned by processes of the host.",
           [](const bus::RootHost& host) { return static_cast<double>(host.names()); });
}

}  // namespace starbus::busroot
