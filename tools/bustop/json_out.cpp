#include "tools/bustop/json_out.hpp"

#include <cmath>

namespace starbus::bustop {
namespace {

OrderedJson or_null(const std::string& text) {
  return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

/// A rate: three decimals are plenty, and 0.30000000000000004 is of no use.
double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

/// "silent 4.2 s" -> "silent": scripts compare it; the time stands in the link.
std::string stable(const Cell& state) {
  constexpr std::string_view kSilent = "silent";
  return state.text.starts_with(kSilent) ? std::string(kSilent) : state.text;
}

OrderedJson json_of(const Error& error) {
  return error.code == Errc::ok ? OrderedJson(nullptr) : OrderedJson(text_of(error));
}

OrderedJson json_of(const std::optional<LinkInfo>& link) {
  if (!link) return nullptr;
  OrderedJson queued;
  for (std::size_t lane = 0; lane < kLaneNames.size(); ++lane) {
    queued[kLaneNames[lane]] = link->queued_bytes[lane];
  }
  return {{"id", link->id},
          {"peer", link->peer},
          {"greeted", link->greeted},
          {"suspect", link->suspect},
          {"rtt_us", link->rtt_us},
          {"silence_ms", link->silence_ms},
          {"in_flight_bytes", link->in_flight_bytes},
          {"queued_bytes", queued},
          {"bytes_in", link->bytes_in},
          {"bytes_out", link->bytes_out},
          {"records_in", link->records_in}};
}

OrderedJson json_of(const ProcessInfo& process, const std::string& host) {
  return {{"name", process.name},           {"host", host},
          {"role", process.role},           {"pid", process.pid},
          {"connected", process.connected}, {"state", stable(process_state(process))},
          {"names", process.names},         {"version", process.software},
          {"link", json_of(process.link)}};
}

OrderedJson json_of(const HostView& host, const Cluster& cluster) {
  return {{"host", host.name},
          {"local", host.local},
          {"connected", host.connected()},
          {"state", stable(host_state(host, cluster))},
          {"names", host.names()},
          {"process_count", host.processes().size()},
          {"rtt_us", host.rtt_us()},
          {"version", host.software()},
          {"key", or_null(host.row ? host.row->key : "")},
          {"link", host.row ? json_of(host.row->link) : OrderedJson(nullptr)},
          {"trouble", json_of(host.trouble)}};
}

OrderedJson json_of_processes(const HostView& host) {
  OrderedJson rows = OrderedJson::array();
  for (const ProcessInfo& process : host.processes()) rows.push_back(json_of(process, host.name));
  return rows;
}

OrderedJson with_notes(OrderedJson object, const Cluster& cluster) {
  object["notes"] = notes_on(cluster);
  return object;
}

OrderedJson json_of(const RouteAnswer& route) {
  const RouteInfo& info = route.info;
  return {{"name", info.name},
          {"id", or_null(info.id)},
          {"found", info.found || route.root_answered() ? OrderedJson(info.found) : nullptr},
          {"owner", or_null(info.owner)},
          {"host", or_null(info.host)},
          {"epoch", or_null(info.epoch)},
          {"lineage", or_null(info.lineage)},
          {"confirmed", info.confirmed},
          {"state", or_null(info.state)},
          {"from", route.from},
          {"trouble", json_of(route.root_trouble)}};
}

OrderedJson json_of(const LinkRates& link) {
  OrderedJson object{{"peer", link.peer},
                     {"kind", link.kind},
                     {"id", link.id},
                     {"queued_bytes", link.queued_bytes},
                     {"new", !link.rate}};
  const LinkRate rate = link.rate.value_or(LinkRate{});
  object["records_in_per_s"] = rounded(rate.records_in);
  object["bytes_in_per_s"] = rounded(rate.bytes_in);
  object["bytes_out_per_s"] = rounded(rate.bytes_out);
  object["bundles_in_per_s"] = rounded(rate.bundles_in);
  object["bundles_out_per_s"] = rounded(rate.bundles_out);
  return object;
}

}  // namespace

OrderedJson json_of_tree(const Cluster& cluster) {
  OrderedJson object;
  object["root"] = nullptr;
  if (cluster.root) {
    const RootTopology& root = *cluster.root;
    object["root"] = {{"name", root.name},
                      {"term", root.term},
                      {"grace", root.grace},
                      {"waiting_for", root.waiting_for},
                      {"names", root.names}};
  }
  object["hosts"] = OrderedJson::array();
  for (const HostView& host : cluster.hosts) {
    OrderedJson row = json_of(host, cluster);
    row["processes"] = json_of_processes(host);
    object["hosts"].push_back(std::move(row));
  }
  return with_notes(std::move(object), cluster);
}

OrderedJson json_of_hosts(const Cluster& cluster) {
  OrderedJson rows = OrderedJson::array();
  for (const HostView& host : cluster.hosts) rows.push_back(json_of(host, cluster));
  return with_notes({{"hosts", std::move(rows)}}, cluster);
}

OrderedJson json_of_nodes(const Cluster& cluster) {
  OrderedJson rows = OrderedJson::array();
  for (const HostView& host : cluster.hosts) {
    for (OrderedJson& row : json_of_processes(host)) rows.push_back(std::move(row));
  }
  return with_notes({{"nodes", std::move(rows)}}, cluster);
}

OrderedJson json_of_names(const NamesAnswer& answer) {
  OrderedJson rows = OrderedJson::array();
  for (const NameRow& row : answer.names) rows.push_back(report::to_json<OrderedJson>(row));
  return {{"channels", std::move(rows)},
          {"total", answer.total ? OrderedJson(*answer.total) : OrderedJson()},
          {"more", answer.more},
          {"from", answer.from}};
}

OrderedJson json_of_route(const RouteView& view) {
  OrderedJson object = json_of(view.route);
  object["hops"] = OrderedJson::array();
  double sum = 0;
  bool whole = true;
  for (const Hop& hop : view.hops) {
    sum += hop.rtt_us;
    whole = whole && hop.rtt_us > 0;
    const OrderedJson rtt = hop.rtt_us > 0 ? OrderedJson(hop.rtt_us) : OrderedJson(nullptr);
    object["hops"].push_back(
        {{"from", hop.from}, {"to", hop.to}, {"rtt_us", rtt}, {"remark", or_null(hop.remark)}});
  }
  object["rtt_us"] = sum;
  object["rtt_complete"] = whole;
  return object;
}

OrderedJson json_of_why(const WhyView& view) {
  OrderedJson object{{"name", view.name}};
  object["route"] =
      view.route_trouble.code == Errc::ok ? json_of(view.route) : OrderedJson(nullptr);
  object["failures"] = OrderedJson::array();
  for (const FailureRow& row : view.failures) {
    object["failures"].push_back({{"age_ms", row.age_ms},
                                  {"where", row.where},
                                  {"origin", row.origin},
                                  {"reason", row.reason},
                                  {"meaning", or_null(meaning_of(row.reason))},
                                  {"cure", or_null(cure_of(row.reason))}});
  }
  object["asked"] = view.asked;
  object["silent"] = view.silent;
  return object;
}

OrderedJson json_of_rates(const std::vector<DaemonRates>& rates, double seconds) {
  OrderedJson rows = OrderedJson::array();
  for (const DaemonRates& daemon : rates) {
    OrderedJson links = OrderedJson::array();
    for (const LinkRates& link : daemon.links) links.push_back(json_of(link));
    rows.push_back({{"name", daemon.name},
                    {"new", daemon.fresh},
                    {"messages_per_s", rounded(daemon.messages)},
                    {"bytes_per_s", rounded(daemon.bytes)},
                    {"nacks_per_s", rounded(daemon.nacks)},
                    {"trouble", json_of(daemon.trouble)},
                    {"links", std::move(links)}});
  }
  return {{"seconds", rounded(seconds)}, {"daemons", std::move(rows)}};
}

OrderedJson json_of_doctor(const std::vector<Finding>& findings) {
  OrderedJson rows = OrderedJson::array();
  for (const Finding& finding : findings) {
    const CheckInfo& info = info_of(finding.check);
    rows.push_back({{"severity", name_of(finding.severity)},
                    {"check", info.name},
                    {"where", finding.where},
                    {"what", finding.what},
                    {"why", info.why},
                    {"cure", finding.cure}});
  }
  return {{"exit_code", exit_code_of(findings)}, {"findings", std::move(rows)}};
}

}  // namespace starbus::bustop
