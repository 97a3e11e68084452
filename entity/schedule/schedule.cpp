#include "entity/schedule/schedule.hpp"

#include <algorithm>
#include <cassert>

#include "base/unit_guard.hpp"

namespace starbus::entity {
namespace {

constexpr Time kLongestInterval = kMaxTickInterval;

bool is_interval(Time span) {
  return span >= Time{0} && span <= kLongestInterval;
}

}  // namespace

std::string_view name_of(TickPhase phase) {
  constexpr std::array<std::string_view, kTickPhases> kNames = {"input",    "logic", "movement",
                                                                "interest", "sync",  "flush"};
  return kNames.at(static_cast<std::size_t>(phase));
}

TickSchedule::~TickSchedule() {
  assert(!running_ && "a schedule may not end within a tick");
}

TickResult<TickId> TickSchedule::add(TickOptions options, Function function) {
  thread_.check();
  if (!function) return TickErrc::no_callback;
  if (options.name.empty() || options.name.size() > kMaxTickName) return TickErrc::bad_name;
  if (!is_interval(options.interval) || !is_interval(options.first)) return TickErrc::bad_interval;
  if (functions_.size() == kMaxTickFunctions) return TickErrc::too_many_functions;
  if (options.after.size() > kMaxPrerequisites) return TickErrc::too_many_prerequisites;
  if (!std::ranges::all_of(options.after, [this](TickId id) { return contains(id); })) {
    return TickErrc::unknown;
  }
  auto entry = std::make_shared<Entry>();
  entry->serial = next_++;
  entry->phase = options.phase;
  entry->options = std::move(options);
  entry->function = std::move(function);
  const TickId id{entry->serial};
  functions_.emplace(id.serial, std::move(entry));
  in_order_ = false;
  return id;
}

bool TickSchedule::remove(TickId id) {
  thread_.check();
  const auto found = functions_.find(id.serial);
  if (found == functions_.end()) return false;
  const std::shared_ptr<Entry> entry = std::move(found->second);
  entry->removed = true;
  functions_.erase(found);
  in_order_ = false;
  // It may be the function that runs now: the order that the tick goes through keeps the entry
  // until the phase has ended.
  if (!running_) put_in_order();
  return true;
}

TickSchedule::Entry* TickSchedule::find(TickId id) const {
  const auto found = functions_.find(id.serial);
  return found == functions_.end() ? nullptr : found->second.get();
}

TickResult<> TickSchedule::run_after(TickId id, TickId prerequisite) {
  Entry* const entry = find(id);
  const Entry* const other = find(prerequisite);
  if (entry == nullptr || other == nullptr) return TickErrc::unknown;
  if (std::ranges::find(entry->options.after, prerequisite) != entry->options.after.end()) {
    return {};
  }
  if (std::string around = way(*other, *entry); !around.empty()) {
    return TickError(TickErrc::cycle, entry->options.name + " after " + std::move(around));
  }
  auto& after = entry->options.after;
  std::erase_if(after, [this](TickId each) { return !contains(each); });
  if (after.size() == kMaxPrerequisites) return TickErrc::too_many_prerequisites;
  after.push_back(prerequisite);
  in_order_ = false;
  return {};
}

TickResult<> TickSchedule::set_interval(TickId id, Time interval) {
  Entry* const entry = find(id);
  if (entry == nullptr) return TickErrc::unknown;
  if (!is_interval(interval)) return TickErrc::bad_interval;
  entry->options.interval = interval;
  // Ticks before now were not missed: they were not requested.
  if (entry->runs > 0) entry->due = std::max(entry->latest + interval, now_);
  return {};
}

TickResult<> TickSchedule::set_enabled(TickId id, bool enabled) {
  Entry* const entry = find(id);
  if (entry == nullptr) return TickErrc::unknown;
  if (enabled && !entry->enabled) {
    entry->seen = false;
    entry->options.first = Time{0};
  }
  entry->enabled = enabled;
  return {};
}

std::vector<TickSchedule::Row> TickSchedule::rows() {
  if (!in_order_ && !running_) put_in_order();
  std::vector<Row> rows;
  for (const Order& order : order_) {
    for (const auto& entry : order) {
      if (entry->removed) continue;
      rows.push_back({entry->options.name, entry->phase, entry->options.interval, entry->enabled,
                      entry->runs, entry->missed});
    }
  }
  return rows;
}

TickResult<> TickSchedule::run(Time now) {
  thread_.check();
  if (running_) return TickErrc::nested;
  running_ = true;
  struct End {
    TickSchedule& schedule;
    ~End() {
      schedule.running_ = false;
      if (!schedule.in_order_) schedule.put_in_order();  // destroys removed functions
    }
  };
  const End end{*this};
  now_ = std::max(now_, now);
  ++number_;
  for (const Order& order : order_) {
    if (!in_order_) put_in_order();  // only between phases: no pass goes through it
    for (const auto& entry : order) run_one(*entry);
  }
  return {};
}

void TickSchedule::run_one(Entry& entry) {
  if (entry.removed || !entry.enabled || entry.ran_in == number_) return;
  if (!entry.seen) {
    entry.seen = true;
    entry.due = now_ + entry.options.first;
  }
  if (entry.due > now_) return;
  Tick tick{number_, now_, entry.runs > 0 ? now_ - entry.latest : Time{0}, 0};
  if (const Time interval = entry.options.interval; interval > Time{0}) {
    tick.missed = static_cast<std::uint64_t>((now_ - entry.due) / interval);
    entry.due += interval * static_cast<Time::rep>(tick.missed + 1);
  }
  entry.latest = now_;
  entry.ran_in = number_;
  entry.missed += tick.missed;
  ++entry.runs;
  guarded(
      UnitKind::tick, [&] { return "tick " + entry.options.name; }, [&] { entry.function(tick); });
}

}  // namespace starbus::entity
