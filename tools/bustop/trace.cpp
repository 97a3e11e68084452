#include "tools/bustop/trace.hpp"

#include <algorithm>

#include "daemon/report/document.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using Align = Table::Align;

constexpr double kNanosecondsPerMicrosecond = 1000;

double micros(std::uint64_t from, std::uint64_t to) {
  return to > from ? static_cast<double>(to - from) / kNanosecondsPerMicrosecond : 0;
}

std::string meaning_of_end(const std::string& end) {
  if (end == "owner") return "delivered to its process";
  if (end == "no_owner") return "the channel has no owner: messages end with no_owner";
  if (end == "not_bound") return "the process does not own the channel any more: try again";
  if (end == "frozen") return "the channel is moving: messages wait for its new place";
  if (end == "held") return "busroot holds its messages during a move, or in grace after a restart";
  if (end == "no_session") return "the next hop has no session: messages are sent again later";
  if (end == "queue_full")
    return "the queue to the next hop is full: messages are sent again later";
  if (end == "older_version") return "the next hop speaks protocol 1.0, which has no traces";
  return end;
}

}  // namespace

Result<Trace> parse_trace(std::string_view text) {
  auto trace = report::from_json<Trace>(text);
  if (!trace) return trace;
  const auto& passages = trace->passages;
  const bool named = std::ranges::none_of(passages, &std::string::empty, &TracePassage::where);
  if (passages.empty() || !named) return Error{Errc::bad_bytes, "not a trace"};
  return trace;
}

std::vector<TraceStation> stations_of(const Trace& trace) {
  // Out and back through the same stations; the one that turned it back is there once.
  const auto& passages = trace.passages;
  const std::size_t turn = passages.size() / 2;
  if (passages.size() % 2 == 0) return {};
  const auto back_of = [&](std::size_t station) { return passages[passages.size() - 1 - station]; };
  std::vector<TraceStation> stations;
  for (std::size_t i = 0; i <= turn; ++i) {
    const TracePassage& out = passages[i];
    if (out.where != back_of(i).where) return {};
    TraceStation station{out.where, out.queued_bytes, 0, 0};
    if (i != 0) {
      const double waited = micros(passages[i - 1].at_ns, back_of(i - 1).at_ns);
      station.link_rtt_us = std::max(0.0, waited - micros(out.at_ns, back_of(i).at_ns));
      station.reached_us = stations.back().reached_us + station.link_rtt_us / 2;
    }
    stations.push_back(std::move(station));
  }
  return stations;
}

std::string render_trace(const Trace& trace, const Look& look) {
  std::string result = toned(look, Tone::strong, printable(trace.name)) + ", lane " +
                       printable(trace.lane) + ": " +
                       toned(look, trace.end == "owner" ? Tone::good : Tone::warning,
                             printable(meaning_of_end(trace.end))) +
                       "\n\n";
  const auto stations = stations_of(trace);
  if (stations.empty()) {
    for (const TracePassage& passage : trace.passages) result += printable(passage.where) + "\n";
    return result + "the trace came back another way: the cluster changed meanwhile; try again\n";
  }
  Table table({{"HOP", Align::left, true},
               {"REACHED AFTER", Align::right},
               {"LINK ROUND TRIP", Align::right},
               {"QUEUED BEFORE IT", Align::right}});
  for (std::size_t i = 0; i < stations.size(); ++i) {
    const TraceStation& station = stations[i];
    const bool last = i + 1 == stations.size();
    table.add({station.where, i == 0 ? "0" : human_microseconds(station.reached_us),
               i == 0 ? "" : human_microseconds(station.link_rtt_us),
               last ? "" : human_bytes(static_cast<double>(station.queued_bytes))});
  }
  const double total = micros(trace.passages.front().at_ns, trace.passages.back().at_ns);
  return result + table.text(look) + "there and back: " + human_microseconds(total) + "\n";
}

OrderedJson json_of_trace(const Trace& trace) {
  OrderedJson stations = OrderedJson::array();
  for (const TraceStation& station : stations_of(trace)) {
    stations.push_back({{"where", station.where},
                        {"reached_us", station.reached_us},
                        {"link_rtt_us", station.link_rtt_us},
                        {"queued_bytes", station.queued_bytes}});
  }
  return {{"name", trace.name},
          {"lane", trace.lane},
          {"end", trace.end},
          {"stations", stations},
          {"round_trip_us", micros(trace.passages.front().at_ns, trace.passages.back().at_ns)}};
}

}  // namespace starbus::bustop
