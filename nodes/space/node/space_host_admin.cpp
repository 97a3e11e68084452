// The host's view for operators: /spaces, /spaces/members, and metrics.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "base/numbers.hpp"
#include "bus/io/clock.hpp"
#include "nodes/space/node/limits.hpp"
#include "nodes/space/node/space_host.hpp"

namespace starbus::nodes::space {
namespace {

using bus::io::boot_now;
using nlohmann::json;
using State = RunningSpace::State;

constexpr std::array kRunStates = {State::claiming, State::starting, State::running, State::ending};

double ms_of(TickHistogram::Time time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

json json_of(const TickHistogram& times) {
  return {{"p50", ms_of(times.percentile(0.5))},
          {"p99", ms_of(times.percentile(0.99))},
          {"max", ms_of(times.max())}};
}

json ticks_of(RunningSpace& space) {
  const TickSpan& latest = space.figures().window(boot_now());
  return {{"per_second", space.type().ticks_per_second},
          {"ticks", space.figures().ticks()},
          {"missed", space.figures().missed()},
          {"window_ticks", latest.ticks},
          {"window_missed", latest.missed},
          {"late_ms", json_of(latest.late)},
          {"took_ms", json_of(latest.took)}};
}

json sight_of(const sight::SightCounters& counts) {
  return {{"scenes", counts.scenes},   {"enters", counts.enters},      {"leaves", counts.leaves},
          {"news", counts.news},       {"moves", counts.moves},        {"bytes", counts.bytes},
          {"crowded", counts.crowded}, {"too_large", counts.too_large}};
}

}  // namespace

void SpaceHost::add_admin(Node& node) {
  auto& admin = node.process_context().admin;
  // Whom a space has, and where, belongs to those who play in it.
  admin.get("/spaces/members", daemon::AdminRole::read,
            [this](const daemon::Request& request) { return members_page(request); });
  admin.get("/spaces", daemon::AdminRole::observe, [this](const daemon::Request&) {
    json rows = json::array();
    const Announcement all = hosted_ ? hosted_->announcement(0, boot_now()) : Announcement();
    for (const SpaceRow& row : all.spaces) {
      json text = {{"space", to_string(row.name)},
                   {"life", std::to_string(row.life.term) + "." + std::to_string(row.life.number)},
                   {"capacity", row.capacity},
                   {"players", row.seats.present},
                   {"seats_held", row.seats.held}};
      if (row.ending) text["ends_in_ms"] = row.ends_in.count();
      if (RunningSpace* const space = find_running(row.life)) {
        text["state"] = name_of(space->state());
        if (space->space() != nullptr) {
          text["id"] = text_of(space->space()->id());
          text["others"] = space->space()->others();
          text["sight"] = sight_of(space->space()->sight().counters());
        }
        text["tick"] = ticks_of(*space);
      }
      rows.push_back(std::move(text));
    }
    json page = {{"term", all.term},
                 {"draining", draining_},
                 {"types", all.types},
                 {"labels", options_.labels},
                 {"spaces", std::move(rows)}};
    for (const auto& [name, what] : shown_) page[name] = what();
    return daemon::Response::json(page);
  });
  admin.offer("/spaces");  // for bustop spaces
}

/// A page of the members of one space, in the order of their online ids.
daemon::Response SpaceHost::members_page(const daemon::Request& request) {
  const auto name = space_of_channel(std::string(kSpaces) + request.parameter_or("space", ""));
  if (!name) return daemon::Response::error(400, "space: give the name of a space, as town-3");
  const std::string after = request.parameter_or("after", "0");
  const auto last = parse_number<std::uint64_t>(after, 16);
  if (!last) return daemon::Response::error(400, "after: give the id of a member");
  GameSpace* const space = find(*name);
  if (space == nullptr) return daemon::Response::error(404, "no such space in this process");
  json rows = json::array();
  auto next = space->members_.upper_bound(entity::OnlineId{*last});
  for (; next != space->members_.end() && rows.size() < kShownMembers; ++next) {
    const auto& [id, member] = *next;
    const aoi::Position at = space->aoi().position(member.aoi).value_or(aoi::Position{});
    rows.push_back({{"id", text_of(id)},
                    {"type", member.entity->type().name()},
                    {"persistent_id", member.entity->persistent_id()},
                    {"player", member.player},
                    {"at", {at.x, at.y, at.z}}});
    for (const auto& part : space->parts_) part->show(*member.entity, rows.back());
  }
  const SpaceType& type = space->type();
  const bool more = next != space->members_.end();
  const json after_these = more ? rows.back()["id"] : json();
  return daemon::Response::json({{"space", to_string(*name)},
                                 {"min", type.min},
                                 {"max", type.max},
                                 {"players", space->players()},
                                 {"others", space->others()},
                                 {"members", std::move(rows)},
                                 {"after", after_these}});
}

void SpaceHost::show_also(std::string name, std::function<json()> what) {
  shown_.emplace_back(std::move(name), std::move(what));
}

void SpaceHost::add_metrics(Node& node) {
  using daemon::Metrics;
  Metrics& metrics = node.process_context().metrics;
  metrics.family(
      "starbus_space_hosted", "Spaces of this process, by state.", Metrics::Kind::gauge, [this] {
        std::vector<Metrics::Sample> samples;
        for (const State state : kRunStates) {
          const auto count = std::ranges::count_if(
              running_, [&](const auto& each) { return each.second->state() == state; });
          samples.push_back({{{"state", std::string(name_of(state))}}, static_cast<double>(count)});
        }
        return samples;
      });
  // By type, as spaces come and go by the thousand.
  const auto times = [&](const char* name, const char* help, TickHistogram TickSpan::*which) {
    metrics.family(name, help, Metrics::Kind::gauge, [this, which] {
      std::map<std::string, TickSpan> by_type;
      for (const auto& [life, space] : running_) {
        by_type[space->type().name].merge(space->figures().window(boot_now()));
      }
      std::vector<Metrics::Sample> samples;
      for (const auto& [type, span] : by_type) {
        const TickHistogram& all = span.*which;
        const auto add = [&samples, of = type](const char* quantile, TickHistogram::Time time) {
          samples.push_back({{{"type", of}, {"quantile", quantile}},
                             std::chrono::duration<double>(time).count()});
        };
        add("0.5", all.percentile(0.5));
        add("0.99", all.percentile(0.99));
        add("1", all.max());
      }
      return samples;
    });
  };
  times("starbus_space_tick_seconds", "Seconds that a tick takes, in the latest window.",
        &TickSpan::took);
  times("starbus_space_tick_late_seconds",
        "Seconds from the due time of a tick to its begin, in the latest window.", &TickSpan::late);
  const auto totals = [&](const char* name, const char* help, std::uint64_t Totals::*which) {
    metrics.family(name, help, Metrics::Kind::counter, [this, which] {
      std::vector<Metrics::Sample> samples;
      for (const auto& [type, all] : totals_) {
        samples.push_back({{{"type", type}}, static_cast<double>(all.*which)});
      }
      return samples;
    });
  };
  totals("starbus_space_ticks_total", "Ticks of spaces.", &Totals::ticks);
  totals("starbus_space_missed_ticks_total", "Ticks of spaces that were merged into a later one.",
         &Totals::missed);
  const auto counter = [&](const char* name, const char* help,
                           std::uint64_t SpaceHostCounters::*what) {
    metrics.counter(name, help, [this, what] { return static_cast<double>(counters_.*what); });
  };
  counter("starbus_space_started_total", "Spaces started in this process.",
          &SpaceHostCounters::started);
  counter("starbus_space_failed_total", "Spaces that could not start.", &SpaceHostCounters::failed);
  counter("starbus_space_ended_total", "Spaces ended in order.", &SpaceHostCounters::ended);
  counter("starbus_space_ended_badly_total", "Spaces whose on_end failed or took too long.",
          &SpaceHostCounters::ended_badly);
  counter("starbus_space_lost_total", "Spaces ended by a lost lease.", &SpaceHostCounters::lost);
  counter("starbus_space_arrived_total", "Players that arrived with a ticket.",
          &SpaceHostCounters::arrived);
  counter("starbus_space_refused_total", "Players whose arrival was refused.",
          &SpaceHostCounters::refused);
  add_sight_metrics(node);
}

/// By type, as those of ticks; of spaces that have gone, too, so that none falls.
void SpaceHost::add_sight_metrics(Node& node) {
  using sight::SightCounters;
  daemon::Metrics& metrics = node.process_context().metrics;
  const auto by_type = [this] {
    std::map<std::string, SightCounters> all;
    for (const auto& [type, totals] : totals_) all[type] = totals.sight;
    for (const auto& [life, space] : running_) {
      if (space->space() != nullptr) all[space->type().name] += space->space()->sight().counters();
    }
    return all;
  };
  struct Kind {
    const char* name;
    std::uint64_t SightCounters::*count;
  };
  const auto add = [&](const char* name, const char* help, std::vector<Kind> kinds) {
    metrics.family(name, help, daemon::Metrics::Kind::counter, [by_type, kinds] {
      std::vector<daemon::Metrics::Sample> samples;
      for (const auto& [type, counts] : by_type()) {
        for (const Kind& kind : kinds) {
          const auto value = static_cast<double>(counts.*kind.count);
          samples.push_back({{{"type", type}, {"kind", kind.name}}, value});
        }
      }
      return samples;
    });
  };
  add("starbus_space_sight_total", "What clients were told of others, by kind.",
      {{"scene", &SightCounters::scenes},
       {"enter", &SightCounters::enters},
       {"leave", &SightCounters::leaves},
       {"news", &SightCounters::news},
       {"move", &SightCounters::moves}});
  add("starbus_space_sight_encoded_total",
      "What was encoded for that: once, however many clients are told.",
      {{"snapshot", &SightCounters::snapshots_encoded},
       {"delta", &SightCounters::deltas_encoded},
       {"move", &SightCounters::moves_encoded}});
  add("starbus_space_sight_hidden_total", "Entities that clients were not shown, each time.",
      {{"crowded", &SightCounters::crowded}, {"too_large", &SightCounters::too_large}});
  metrics.family(
      "starbus_space_corrections_total",
      "Reports of moves that set a player back, by what was wrong with them.",
      daemon::Metrics::Kind::counter, [by_type] {
        std::vector<daemon::Metrics::Sample> samples;
        for (const auto& [type, counts] : by_type()) {
          for (std::size_t i = 1; i < counts.corrections.size(); ++i) {
            const auto value = static_cast<double>(counts.corrections[i]);
            const auto what = movement::name_of(static_cast<movement::Violation>(i));
            samples.push_back({{{"type", type}, {"violation", std::string(what)}}, value});
          }
        }
        return samples;
      });
  metrics.family("starbus_space_sight_bytes_total", "Bytes of what clients were told of others.",
                 daemon::Metrics::Kind::counter, [by_type] {
                   std::vector<daemon::Metrics::Sample> samples;
                   for (const auto& [type, counts] : by_type()) {
                     samples.push_back({{{"type", type}}, static_cast<double>(counts.bytes)});
                   }
                   return samples;
                 });
}

}  // namespace starbus::nodes::space
