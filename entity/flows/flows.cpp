#include "entity/flows/flows.hpp"

#include <algorithm>
#include <utility>

namespace starbus::entity {
namespace {

// An export, little-endian:
//   u8 version = 1, u64 next number, u32 count, then in ascending order of numbers, for each:
//   u64 epoch, u64 number, u64 deadline, u8 size + name, u32 size + args
// The deadline is in nanoseconds of the cluster's clock, as a signed number.
constexpr std::uint8_t kFlowVersion = 1;
constexpr std::size_t kSmallestFlow = 8 + 8 + 8 + 1 + 4;
constexpr Time kLongestFlow = kMaxFlowDeadline;

}  // namespace

FlowResult<FlowId> Flows::wait(std::string_view name, bus::ByteView args, Time deadline) {
  if (name.empty() || name.size() > kMaxFlowName) return FlowErrc::bad_name;
  if (args.size() > kMaxFlowArgs) return FlowErrc::too_large;
  return add({{}, std::string(name), bus::Bytes(args.begin(), args.end()), nullptr, {}}, deadline);
}

FlowResult<FlowId> Flows::wait_here(Time deadline, Closure closure) {
  return add({{}, {}, {}, std::move(closure), {}}, deadline);
}

FlowResult<FlowId> Flows::add(Entry entry, Time deadline) {
  if (deadline <= Time{0} || deadline > kLongestFlow) return FlowErrc::bad_deadline;
  if (entries_.size() == kMaxFlows) return FlowErrc::too_many_flows;
  entry.id = {epoch_, next_number_};
  const FlowResult<> started = start(entry, deadline);
  if (!started) return started.error();
  entries_.push_back(std::move(entry));
  ++next_number_;
  return entries_.back().id;
}

FlowResult<> Flows::start(Entry& entry, Time deadline) {
  const auto timer = wheel_.after(owner_, deadline,
                                  [this, id = entry.id] { resume(id, FlowOutcome::timeout, {}); });
  if (!timer) return FlowErrc::too_many_flows;
  entry.timer = *timer;
  return {};
}

bool Flows::resume(FlowId id, FlowOutcome outcome, bus::ByteView result) {
  const auto at = find(id);
  if (at == entries_.end()) return false;
  wheel_.cancel(at->timer);
  // Taken out first: the callback may resume it again, or add flows.
  const Entry entry = std::move(*at);
  entries_.erase(at);
  if (entry.name.empty()) {
    if (entry.closure) entry.closure(outcome, result);
  } else {
    handler_({id, entry.name, entry.args, outcome, result});
  }
  return true;
}

bool Flows::cancel(FlowId id) {
  const auto at = find(id);
  if (at == entries_.end()) return false;
  wheel_.cancel(at->timer);
  const Entry entry = std::move(*at);  // the end of a closure may come back here
  entries_.erase(at);
  return true;
}

Flows::Entries::iterator Flows::find(FlowId id) {
  const auto at = std::ranges::lower_bound(entries_, id.number, {},
                                           [](const Entry& entry) { return entry.id.number; });
  return at != entries_.end() && at->id == id ? at : entries_.end();
}

void Flows::reset() {
  owner_.cancel_all();
  next_number_ = 1;
  const Entries ended = std::exchange(entries_, {});  // the end of a closure may come back here
}

void Flows::export_all(Time cluster_now, bus::Bytes& out) const {
  bus::Writer writer(out);
  writer.put(kFlowVersion);
  writer.put(next_number_);
  const auto travels = [](const Entry& entry) { return !entry.name.empty(); };
  writer.put(static_cast<std::uint32_t>(std::ranges::count_if(entries_, travels)));
  const Time present = wheel_.present();
  for (const Entry& entry : entries_) {
    if (!travels(entry)) continue;
    const Time deadline = *wheel_.due(entry.timer) - present + cluster_now;
    writer.put(entry.id.epoch);
    writer.put(entry.id.number);
    writer.put(static_cast<std::uint64_t>(deadline.count()));
    writer.short_text(entry.name);
    writer.long_bytes(entry.args);
  }
}

FlowResult<> Flows::import_all(bus::ByteView bytes, Time cluster_now) {
  if (next_number_ != 1) return FlowErrc::not_empty;
  bus::Reader reader(bytes);
  const auto version = reader.get<std::uint8_t>();
  const auto next_number = reader.get<std::uint64_t>();
  const auto count = reader.get<std::uint32_t>();
  if (version != kFlowVersion || next_number == 0 || count > kMaxFlows ||
      count > reader.rest().size() / kSmallestFlow) {
    return FlowErrc::bad_bytes;
  }
  std::vector<std::pair<Entry, Time>> arrivals;
  arrivals.reserve(count);
  std::uint64_t previous = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto epoch = reader.get<std::uint64_t>();
    const auto number = reader.get<std::uint64_t>();
    const auto deadline = static_cast<std::int64_t>(reader.get<std::uint64_t>());
    const std::string_view name = reader.short_text();
    const bus::ByteView args = reader.long_bytes();
    std::int64_t left = 0;
    const bool valid = reader.ok() && number > previous && number < next_number &&
                       !__builtin_sub_overflow(deadline, cluster_now.count(), &left) &&
                       Time{left} <= kLongestFlow && Time{left} >= -kLongestDelay &&
                       !name.empty() && name.size() <= kMaxFlowName && args.size() <= kMaxFlowArgs;
    if (!valid) return FlowErrc::bad_bytes;
    arrivals.emplace_back(
        Entry{
            {epoch, number}, std::string(name), bus::Bytes(args.begin(), args.end()), nullptr, {}},
        Time{left});
    previous = number;
  }
  if (!reader.done()) return FlowErrc::bad_bytes;
  Entries entries;
  entries.reserve(count);
  for (auto& [entry, left] : arrivals) {
    const FlowResult<> started = start(entry, left);
    if (!started) {
      owner_.cancel_all();
      return started;
    }
    entries.push_back(std::move(entry));
  }
  entries_ = std::move(entries);
  next_number_ = next_number;
  return {};
}

}  // namespace starbus::entity
