#include "entity/timers/named_timers.hpp"

#include <algorithm>
#include <utility>

namespace starbus::entity {
namespace {

using bus::Bytes;
using bus::ByteView;

// An export, little-endian:
//   u8 version = 1, u64 next id, u32 count, then in ascending order of ids, for each:
//   u64 id, u8 flags, i64 nanoseconds, u64 interval, u8 size + name, u32 size + args
// The nanoseconds of a paused timer are what it has left, of a running one its time by the
// cluster's clock. An interval of 0 is a timer that fires once.
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kRunning = 1;
constexpr std::uint8_t kCatchUpOnce = 2;
constexpr std::size_t kSmallest = 8 + 1 + 8 + 8 + 1 + 4;

/// The span from `now` to `then`, which hostile bytes may have put anywhere.
Time span_between(Time now, std::int64_t then) {
  std::int64_t span = 0;
  if (!__builtin_sub_overflow(then, now.count(), &span)) return Time{span};
  return then < 0 ? Time::min() : Time::max();
}

}  // namespace

TimerResult<std::uint64_t> NamedTimers::after(std::string_view name, ByteView args, Time delay,
                                              Options options) {
  return add({0, std::string(name), Bytes(args.begin(), args.end()), Time{0}, options, {}}, delay);
}

TimerResult<std::uint64_t> NamedTimers::every(std::string_view name, ByteView args, Time first,
                                              Time interval, Options options) {
  if (interval < kShortestInterval) return TimerErrc::bad_interval;
  return add({0, std::string(name), Bytes(args.begin(), args.end()), interval, options, {}}, first);
}

TimerResult<std::uint64_t> NamedTimers::add(Entry entry, Time first) {
  if (entry.name.empty() || entry.name.size() > kMaxTimerName) return TimerErrc::bad_name;
  if (entry.args.size() > kMaxTimerArgs) return TimerErrc::too_large;
  if (entries_.size() == kMaxNamedTimers) return TimerErrc::too_many_timers;
  entry.id = next_id_;
  const TimerResult<> started = start(entry, first);
  if (!started) return started.error();
  entries_.push_back(std::move(entry));
  return next_id_++;
}

TimerResult<> NamedTimers::start(Entry& entry, Time first) {
  const auto callback = [this, id = entry.id](const TimerFiring& firing) { fire(id, firing); };
  const auto timer = entry.interval == Time{0} ? wheel_.after(owner_, first, callback)
                                               : wheel_.every(owner_, first, entry.interval,
                                                              entry.options.catch_up, callback);
  if (!timer) return timer.error();
  entry.timer = *timer;
  return {};
}

void NamedTimers::fire(std::uint64_t id, const TimerFiring& firing) {
  const auto at = find(id);
  // The handler may change the set: its arguments must not lie in it.
  Entry entry;
  if (at->interval == Time{0}) {
    entry = std::move(*at);
    entries_.erase(at);
  } else {
    entry = *at;
  }
  handler_({id, entry.name, entry.args, firing.missed});
}

bool NamedTimers::cancel(std::uint64_t id) {
  const auto at = find(id);
  if (at == entries_.end()) return false;
  wheel_.cancel(at->timer);
  entries_.erase(at);
  return true;
}

std::size_t NamedTimers::cancel_named(std::string_view name) {
  return std::erase_if(entries_, [&](const Entry& entry) {
    if (entry.name != name) return false;
    wheel_.cancel(entry.timer);
    return true;
  });
}

std::size_t NamedTimers::size_named(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count(entries_, name, &Entry::name));
}

void NamedTimers::reset() {
  owner_.cancel_all();
  entries_.clear();
  next_id_ = 1;
}

std::optional<Time> NamedTimers::due(std::uint64_t id) const {
  const auto at = find(id);
  return at == entries_.end() ? std::nullopt : wheel_.due(at->timer);
}

NamedTimers::Entries::iterator NamedTimers::find(std::uint64_t id) {
  const auto at = std::ranges::lower_bound(entries_, id, {}, &Entry::id);
  return at != entries_.end() && at->id == id ? at : entries_.end();
}
NamedTimers::Entries::const_iterator NamedTimers::find(std::uint64_t id) const {
  return const_cast<NamedTimers*>(this)->find(id);
}

void NamedTimers::export_all(Time cluster_now, Bytes& out) const {
  bus::Writer writer(out);
  writer.put(kVersion);
  writer.put(next_id_);
  writer.put(static_cast<std::uint32_t>(entries_.size()));
  const Time present = wheel_.present();
  for (const Entry& entry : entries_) {
    const bool running = entry.options.travel == Travel::running;
    const bool once = entry.options.catch_up == CatchUp::once;
    Time left = *wheel_.due(entry.timer) - present;
    if (running) left += cluster_now;
    writer.put(entry.id);
    writer.put(static_cast<std::uint8_t>((running ? kRunning : 0) | (once ? kCatchUpOnce : 0)));
    writer.put(static_cast<std::uint64_t>(left.count()));
    writer.put(static_cast<std::uint64_t>(entry.interval.count()));
    writer.short_text(entry.name);
    writer.long_bytes(entry.args);
  }
}

TimerResult<> NamedTimers::import_all(ByteView bytes, Time cluster_now) {
  if (next_id_ != 1) return TimerErrc::not_empty;
  bus::Reader reader(bytes);
  const auto version = reader.get<std::uint8_t>();
  const auto next_id = reader.get<std::uint64_t>();
  const auto count = reader.get<std::uint32_t>();
  if (version != kVersion || next_id == 0 || count > kMaxNamedTimers ||
      count > reader.rest().size() / kSmallest) {
    return TimerErrc::bad_bytes;
  }
  struct Arrival {
    Entry entry;
    Time first;
  };
  std::vector<Arrival> arrivals;
  arrivals.reserve(count);
  std::uint64_t previous = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto id = reader.get<std::uint64_t>();
    const auto flags = reader.get<std::uint8_t>();
    const auto when = static_cast<std::int64_t>(reader.get<std::uint64_t>());
    const auto interval = Time{static_cast<std::int64_t>(reader.get<std::uint64_t>())};
    const std::string_view name = reader.short_text();
    const ByteView args = reader.long_bytes();
    const bool running = (flags & kRunning) != 0;
    const Time first = running ? span_between(cluster_now, when) : Time{when};
    const bool valid =
        reader.ok() && id > previous && id < next_id && flags <= (kRunning | kCatchUpOnce) &&
        !name.empty() && name.size() <= kMaxTimerName && args.size() <= kMaxTimerArgs &&
        (interval == Time{0} || interval >= kShortestInterval) && interval <= kLongestDelay &&
        first <= kLongestDelay && first >= -kLongestDelay;
    if (!valid) return TimerErrc::bad_bytes;
    const Options options{running ? Travel::running : Travel::paused,
                          (flags & kCatchUpOnce) != 0 ? CatchUp::once : CatchUp::all};
    arrivals.push_back(
        {{id, std::string(name), Bytes(args.begin(), args.end()), interval, options, {}}, first});
    previous = id;
  }
  if (!reader.done()) return TimerErrc::bad_bytes;
  Entries entries;
  entries.reserve(count);
  for (Arrival& arrival : arrivals) {
    const TimerResult<> started = start(arrival.entry, arrival.first);
    if (!started) {
      owner_.cancel_all();
      return started.error();
    }
    entries.push_back(std::move(arrival.entry));
  }
  entries_ = std::move(entries);
  next_id_ = next_id;
  return {};
}

}  // namespace starbus::entity
