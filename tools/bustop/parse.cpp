#include "tools/bustop/parse.hpp"

#include <algorithm>
#include <array>

#include "bus/core/wire/shard_list.hpp"
#include "tools/terminal/json_reader.hpp"

namespace starbus::bustop {
namespace {

LinkInfo read_link(const Reader& reader) {
  LinkInfo link;
  link.id = reader.text("id");
  link.peer = reader.text("peer");
  link.kind = reader.text("kind");
  link.address = reader.text("address");
  link.greeted = reader.flag("greeted");
  link.suspect = reader.flag("suspect");
  link.rtt_us = reader.number("rtt_us");
  link.silence_ms = reader.number("silence_ms");
  link.in_flight_bytes = reader.count("in_flight_bytes");
  link.bundles_in = reader.count("bundles_in");
  link.bundles_out = reader.count("bundles_out");
  link.bytes_in = reader.count("bytes_in");
  link.bytes_out = reader.count("bytes_out");
  link.records_in = reader.count("records_in");
  if (const Json* queued = reader.find("queued_bytes")) {
    for (std::size_t lane = 0; lane < kLaneNames.size(); ++lane) {
      link.queued_bytes[lane] = Reader(*queued).count(kLaneNames[lane]);
    }
  }
  return link;
}

std::optional<LinkInfo> read_optional_link(const Reader& reader) {
  const Json* link = reader.find("link");
  if (link == nullptr || !link->is_object()) return std::nullopt;
  return read_link(Reader(*link));
}

ProcessInfo read_process(const Reader& reader) {
  ProcessInfo process;
  process.name = reader.text("name");
  process.role = reader.text("role");
  process.pid = reader.integer("pid");
  process.incarnation = reader.text("incarnation");
  process.connected = reader.flag("connected", true);
  process.names = reader.count("names");
  process.max_names = reader.count("max_names");
  process.link = read_optional_link(reader);
  process.software = reader.text("software");
  process.recent_sessions = reader.count("recent_sessions");
  if (const Json* found = reader.find("vitals")) {
    const Reader vitals(*found);
    process.vitals = {vitals.count("sent_per_s"),     vitals.count("resent_per_s"),
                      vitals.count("window_bytes"),   vitals.text("stuck_channel"),
                      vitals.count("stuck_bytes"),    vitals.text("oldest_move"),
                      vitals.number("oldest_move_ms")};
  }
  return process;
}

/// By name: a daemon lists them in the order in which they came.
std::vector<ProcessInfo> read_processes(const Reader& reader) {
  auto processes = reader.rows<ProcessInfo>("processes", read_process);
  std::ranges::sort(processes, {}, &ProcessInfo::name);
  return processes;
}

HostRow read_host_row(const Reader& reader) {
  HostRow row;
  row.host = reader.text("host");
  row.connected = reader.flag("connected");
  row.key = reader.text("key");
  row.names = reader.count("names");
  row.processes = read_processes(reader);
  row.link = read_optional_link(reader);
  row.software = reader.text("software");
  row.recent_sessions = reader.count("recent_sessions");
  return row;
}

NameRow read_name_row(const Reader& reader) {
  return {reader.text("name"),   reader.text("id"),       reader.text("owner"),
          reader.epoch("epoch"), reader.epoch("lineage"), reader.text("state")};
}

FailureRow read_failure(const Reader& reader) {
  return {reader.number("age_ms"), reader.text("id"),     reader.text("name"),
          reader.text("origin"),   reader.text("reason"), {}};
}

}  // namespace

Result<DaemonStatus> parse_status(std::string_view text) {
  return parse_with<DaemonStatus>(text, [](const Reader& reader) {
    DaemonStatus status;
    status.kind = reader.text("kind");
    status.name = reader.text("name");
    status.version = reader.text("version");
    status.protocol = reader.text("protocol");
    status.pid = reader.integer("pid");
    status.uptime_s = reader.number("uptime_s");
    status.loop_lag_ms = reader.number("loop_lag_ms");
    if (reader.find("clock_jump_age_s") != nullptr) {
      status.clock_jump_age_s = reader.number("clock_jump_age_s");
    }
    status.term = reader.count("term");
    status.state = reader.text("state");
    if (const Json* mail = reader.find("mail")) {
      status.mail_state = Reader(*mail).text("state");
      status.mail_reason = Reader(*mail).text("reason");
      status.mail_listed = bus::parse_shards(Reader(*mail).text("shards_listed"))
                               .value_or(std::vector<std::uint8_t>{});
      const Json* const kept = Reader(*mail).find("shards_kept");
      if (kept != nullptr && kept->is_string()) {
        status.mail_kept =
            bus::parse_shards(kept->get<std::string>()).value_or(std::vector<std::uint8_t>{});
      }
      if (const Json* const patrol = Reader(*mail).find("scrub")) {
        status.mail_damaged = Reader(*patrol).count("damaged");
        const Json* const findings = Reader(*patrol).find("findings");
        const bool some = findings != nullptr && findings->is_array() && !findings->empty();
        if (some && findings->front().is_string()) {
          status.mail_damage = findings->front().get<std::string>();
        }
      }
      if (const Json* const damage = Reader(*mail).find("damage")) {
        status.mail_lost = Reader(*damage).count("lost");
        status.mail_mended = Reader(*damage).count("repaired");
        const Json* const notes = Reader(*damage).find("notes");
        const bool some = notes != nullptr && notes->is_array() && !notes->empty();
        if (some && notes->front().is_string())
          status.mail_note = notes->front().get<std::string>();
      }
      status.mail_bytes = Reader(*mail).count("bytes");
      status.mail_quota = Reader(*mail).count("quota_bytes");
    }
    const Json* counters = reader.find("counters");
    if (counters != nullptr && counters->is_object()) {
      for (const auto& [key, value] : counters->items()) {
        if (value.is_number()) status.counters[key] = Reader::to_count(&value);
      }
    }
    return status;
  });
}

Result<std::vector<LinkInfo>> parse_links(std::string_view text) {
  return parse_with<std::vector<LinkInfo>>(
      text, [](const Reader& reader) { return reader.rows<LinkInfo>("links", read_link); });
}

Result<HostTopology> parse_host_topology(std::string_view text) {
  return parse_with<HostTopology>(text, [](const Reader& reader) {
    HostTopology topology;
    topology.host = reader.text("host");
    topology.term = reader.count("term");
    topology.names = reader.count("names");
    topology.processes = read_processes(reader);
    if (const Json* found = reader.find("uplink")) {
      const Reader uplink(*found);
      topology.uplink = {uplink.text("endpoint"), uplink.flag("connected"), uplink.number("rtt_us"),
                         uplink.number("since_s"), uplink.text("last_error")};
    }
    return topology;
  });
}

Result<RootTopology> parse_root_topology(std::string_view text) {
  return parse_with<RootTopology>(text, [](const Reader& reader) {
    RootTopology topology;
    topology.name = reader.text("name");
    topology.software = reader.text("software");
    topology.term = reader.count("term");
    topology.grace = reader.flag("grace");
    topology.hosts = reader.rows<HostRow>("hosts", read_host_row);
    topology.names = reader.count("names");
    const Json* waiting = reader.find("waiting_for");
    if (waiting != nullptr && waiting->is_array()) {
      for (const Json& host : *waiting) {
        if (host.is_string()) topology.waiting_for.push_back(host.get<std::string>());
      }
    }
    return topology;
  });
}

Result<NamesPage> parse_names(std::string_view text) {
  return parse_with<NamesPage>(text, [](const Reader& reader) {
    NamesPage page;
    page.names = reader.rows<NameRow>("names", read_name_row);
    page.total = reader.count("total");
    const Json* next = reader.find("next");
    if (next != nullptr && next->is_string()) page.next = next->get<std::string>();
    return page;
  });
}

Result<RouteInfo> parse_route(std::string_view text) {
  return parse_with<RouteInfo>(text, [](const Reader& reader) {
    return RouteInfo{reader.text("name"),     reader.text("id"),        reader.flag("found"),
                     reader.text("owner"),    reader.text("host"),      reader.epoch("epoch"),
                     reader.epoch("lineage"), reader.flag("confirmed"), reader.text("state")};
  });
}

Result<std::vector<FailureRow>> parse_failures(std::string_view text) {
  return parse_with<std::vector<FailureRow>>(
      text, [](const Reader& reader) { return reader.rows<FailureRow>("failures", read_failure); });
}

Result<TailLine> parse_tail_line(std::string_view text) {
  return parse_with<TailLine>(text, [](const Reader& reader) {
    TailLine line{reader.number("time_ms"), reader.text("lane"),    reader.text("origin"),
                  reader.count("seq"),      reader.count("count"),  reader.count("bytes"),
                  reader.text("text"),      reader.count("skipped")};
    return line;
  });
}

}  // namespace starbus::bustop
