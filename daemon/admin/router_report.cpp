#include "daemon/admin/router_report.hpp"

#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/io/clock.hpp"
#include "daemon/metrics.hpp"
#include "daemon/report/document.hpp"

namespace starbus::daemon {
namespace {

struct Counter {
  const char* name;
  const char* help;
  std::uint64_t bus::RouterCounters::*value;
};

constexpr Counter kCounters[] = {
    {"runs_forwarded", "Runs of messages forwarded.", &bus::RouterCounters::runs_forwarded},
    {"messages_forwarded", "Messages forwarded.", &bus::RouterCounters::messages_forwarded},
    {"bytes_forwarded", "Bytes of messages forwarded.", &bus::RouterCounters::bytes_forwarded},
    {"multicasts_in", "Multicasts received.", &bus::RouterCounters::multicasts_in},
    {"multicast_copies_out", "Copies of multicasts sent, one per next hop.",
     &bus::RouterCounters::multicast_copies_out},
    {"probes", "Probes forwarded.", &bus::RouterCounters::probes},
    {"acks", "Acknowledgements received.", &bus::RouterCounters::acks},
    {"nacks_overflow", "Messages refused because a queue was full or no route existed.",
     &bus::RouterCounters::nacks_overflow},
    {"nacks_no_owner", "Messages refused because the channel has no owner.",
     &bus::RouterCounters::nacks_no_owner},
    {"expired_records", "Records dropped because they waited longer than 10 s.",
     &bus::RouterCounters::expired_records},
    {"dropped_replies", "Replies dropped because the caller has ended.",
     &bus::RouterCounters::dropped_replies},
    {"sessions_opened", "Links accepted.", &bus::RouterCounters::sessions_opened},
    {"sessions_ended", "Links ended.", &bus::RouterCounters::sessions_ended},
    {"sessions_refused", "Sessions refused.", &bus::RouterCounters::sessions_refused},
    {"hostile_bytes", "Sessions ended because of malformed bytes.",
     &bus::RouterCounters::hostile_bytes},
};

static_assert(report::kLaneNames.size() == bus::kLanes);

double microseconds(bus::Time time) {
  return static_cast<double>(time / std::chrono::microseconds(1));
}
double milliseconds(bus::Time time) {
  return static_cast<double>(time / std::chrono::milliseconds(1));
}

unsigned status_of(bus::Errc code) {
  switch (code) {
    case bus::Errc::bad_name:
    case bus::Errc::too_large:
      return 400;
    case bus::Errc::no_owner:
      return 404;
    case bus::Errc::unreachable:
      return 503;
    case bus::Errc::deadline:
      return 504;
    default:
      return 500;
  }
}

}  // namespace

report::LinkInfo link_info(const bus::LinkStatus& link, std::string_view kind) {
  return {.id = std::to_string(link.id),
          .peer = link.peer,
          .kind = std::string(kind),
          .address = link.address,
          .greeted = link.greeted,
          .suspect = link.silence > bus::kSuspect,
          .rtt_us = microseconds(link.round_trip),
          .silence_ms = milliseconds(link.silence),
          .in_flight_bytes = link.in_flight,
          .queued_bytes = {link.queued[0], link.queued[1], link.queued[2], link.queued[3]},
          .bundles_in = link.session.bundles_in,
          .bundles_out = link.session.bundles_out,
          .bytes_in = link.session.bytes_in,
          .bytes_out = link.session.bytes_out,
          .records_in = link.session.records_in};
}

std::map<std::string, std::uint64_t> counters_of(const bus::RouterCounters& counters) {
  std::map<std::string, std::uint64_t> result;
  for (const Counter& counter : kCounters) result[counter.name] = counters.*counter.value;
  return result;
}

Response failures_response(const bus::Router& router, const Request& request) {
  std::optional<bus::ChannelId> channel;
  const auto text = request.parameter("name");
  if (text) {
    const auto name = bus::Name::of(*text);
    if (!name) return error_response(name.error());
    channel = name->id();
  }
  const auto limit = request.number_or("limit", 100);
  if (!limit) return Response::no_number("limit");
  const bus::Time now = bus::io::boot_now();
  report::FailuresPage page;
  const auto& latest = router.failures().latest();
  for (auto failure = latest.rbegin(); failure != latest.rend() && page.failures.size() < *limit;
       ++failure) {
    if (channel && failure->channel != *channel) continue;
    page.failures.push_back(
        {.age_ms = milliseconds(now - failure->at),
         .id = failure->channel.to_string(),
         .name = text.value_or(""),
         .origin = hex_of(failure->origin.host) + "." + hex_of(failure->origin.slot),
         .reason = failure->reason});
  }
  return Response::json(report::to_json(page));
}

Response error_response(const Error& error) {
  return Response::json({{"error", name_of(error.code)}, {"detail", error.detail}},
                        status_of(bus::errc_of(error)));
}

std::optional<double> clock_jump_age(const ClockWatch& clock) {
  const auto age = clock.age(bus::io::boot_now());
  if (!age) return std::nullopt;
  return static_cast<double>(*age / std::chrono::seconds(1));
}

void add_router_metrics(Metrics& metrics, const bus::Router& router) {
  for (const Counter& counter : kCounters) {
    metrics.counter(
        std::string("starbus_router_") + counter.name + "_total", counter.help,
        [&router, value = counter.value] { return static_cast<double>(router.counters().*value); });
  }
  metrics.family("starbus_router_queued_bytes", "Bytes queued for links, per lane.",
                 Metrics::Kind::gauge, [&router] {
                   std::array<double, bus::kLanes> total{};
                   for (const bus::LinkStatus& link : router.link_status()) {
                     for (std::size_t lane = 0; lane < bus::kLanes; ++lane) {
                       total[lane] += static_cast<double>(link.queued[lane]);
                     }
                   }
                   std::vector<Metrics::Sample> samples;
                   for (std::size_t lane = 0; lane < bus::kLanes; ++lane) {
                     const std::string name(name_of(static_cast<bus::Lane>(lane)));
                     samples.push_back({{{"lane", name}}, total[lane]});
                   }
                   return samples;
                 });
}

}  // namespace starbus::daemon
