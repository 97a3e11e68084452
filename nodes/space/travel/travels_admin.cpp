// The view of operators: what /spaces shows of travels, and metrics; and the tie to a node.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "bus/io/clock.hpp"
#include "nodes/space/travel/evacuation.hpp"
#include "nodes/space/travel/travels.hpp"

namespace starbus::nodes::space {
namespace {

using bus::io::boot_now;
using nlohmann::json;
using std::chrono::milliseconds;

}  // namespace

bus::Result<> Travels::join(Node& node) {
  const milliseconds half = node.process_context().drain_deadline / 2;
  options_.evacuate_time = std::min(options_.evacuate_time, half);
  if (!options_.cluster_ends) options_.cluster_ends = [&node] { return node.cluster_ends(); };
  spaces_.show_also("travels", [this] { return shown(); });
  add_metrics(node);
  node.on_drain("travels", [this](Done done) { drain(std::move(done)); });
  return {};
}

json Travels::shown() const {
  constexpr std::array kStages = {"asks for a seat", "changes", "moves"};
  json rows = json::array();
  const Time now = boot_now();
  for (const auto& [id, row] : rows_) {
    if (rows.size() == kShownTravels) break;
    const bool held = row.stage != Stage::asking;
    const PlaceId& wanted = row.wish.seat ? row.wish.seat->space.place : row.wish.place;
    rows.push_back({{"entity", row.entity},
                    {"from", row.from},
                    {"to", held ? to_string(row.grant.space) : to_string(wanted)},
                    {"node", row.grant.node},
                    {"does", kStages.at(static_cast<std::size_t>(row.stage))},
                    {"ms", std::chrono::duration_cast<milliseconds>(now - row.began).count()}});
  }
  json all = {{"under_way", rows_.size()}, {"rows", std::move(rows)}};
  if (evacuation_) all["drain"] = evacuation_->shown();
  return all;
}

void Travels::add_metrics(Node& node) {
  using daemon::Metrics;
  Metrics& metrics = node.process_context().metrics;
  metrics.gauge("starbus_space_travels", "Players who travel between spaces.",
                [this] { return static_cast<double>(rows_.size()); });
  metrics.family("starbus_space_travels_total", "Travels of players that have ended, by outcome.",
                 Metrics::Kind::counter, [this] {
                   std::vector<Metrics::Sample> samples;
                   const auto add = [&](const char* what, std::uint64_t count) {
                     samples.push_back({{{"end", what}}, static_cast<double>(count)});
                   };
                   add("here", counters_.here);
                   add("away", counters_.away);
                   add("come", counters_.come);
                   add("come_badly", counters_.come_badly);
                   add("failed", counters_.failed);
                   return samples;
                 });
  const auto counter = [&](const char* name, const char* help,
                           std::uint64_t TravelCounters::*what) {
    metrics.counter(name, help, [this, what] { return static_cast<double>(counters_.*what); });
  };
  counter("starbus_space_seats_given_back_total", "Seats that travels have given back.",
          &TravelCounters::given_back);
  counter("starbus_space_left_over_total",
          "Players of spaces that have ended who were sent to another place.",
          &TravelCounters::left_over);
}

}  // namespace starbus::nodes::space
