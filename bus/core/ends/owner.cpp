#include "bus/core/ends/owner.hpp"

#include <algorithm>
#include <utility>

namespace starbus::bus {
namespace {
constexpr std::size_t kSweepStep = 64;  // channels per call, so that a sweep never shows as a pause
constexpr Time kSweepPause = std::chrono::seconds(10);  // between the starts of two passes
}  // namespace

void Owner::activate(const ChannelId& channel, Epoch epoch, Lineage lineage, std::uint64_t cookie,
                     std::span<const FilterRow> filter) {
  auto fresh = std::make_shared<Channel>();
  fresh->id = channel;
  fresh->epoch = epoch;
  fresh->lineage = lineage;
  fresh->since = now_;
  fresh->cookie = cookie;
  for (const FilterRow& row : filter) entry(*fresh, row.origin, row.lane).last = row.last;
  deactivate(channel);
  channels_[channel] = std::move(fresh);
}

void Owner::deactivate(const ChannelId& channel) {
  const auto found = channels_.find(channel);
  if (found == channels_.end()) return;
  found->second->active = false;
  channels_.erase(found);
}

bool Owner::active(const ChannelId& channel) const {
  const auto found = channels_.find(channel);
  return found != channels_.end() && found->second->active;
}

std::vector<FilterRow> Owner::freeze(const ChannelId& channel) {
  Channel& frozen = *channels_.at(channel);
  frozen.active = false;
  std::vector<FilterRow> rows;
  rows.reserve(frozen.filter.size());
  for (const auto& [source, entry] : frozen.filter) {
    rows.push_back({source.origin, source.lane, entry.last});
  }
  return rows;
}

void Owner::resume(const ChannelId& channel, Epoch epoch, Lineage lineage) {
  Channel& frozen = *channels_.at(channel);
  if (frozen.lineage == lineage) {
    frozen.epoch = epoch;
    return;
  }
  activate(channel, epoch, lineage, frozen.cookie);  // ACKs that are due belong to the old life
  channels_.at(channel)->active = false;
}

void Owner::go_on(const ChannelId& channel) {
  Channel& frozen = *channels_.at(channel);
  frozen.active = true;
  for (auto& [source, entry] : frozen.filter) {
    if (!std::exchange(entry.came, false)) continue;
    refuse({source.lane, source.origin, channel, entry.last + 1}, NackReason::gap, frozen.lineage,
           entry.last);
  }
}

Lineage Owner::lineage(const ChannelId& channel) const {
  const auto found = channels_.find(channel);
  return found == channels_.end() || !found->second->active ? Lineage{} : found->second->lineage;
}

Owner::Entry& Owner::entry(Channel& channel, const Process& origin, Lane lane) {
  const auto [known, fresh] = channel.filter.try_emplace(Source{origin, lane});
  if (fresh) forget_earlier_lives(channel, origin);
  // Not `known`: rows before it may be gone.
  Entry& entry = fresh ? channel.filter.at(Source{origin, lane}) : known->second;
  entry.used = seconds();
  return entry;
}

/// A sender that restarts without end costs the others that share a channel no more than this. A
/// busd lets one incarnation of a name live at a time, so the earliest of many is long dead.
void Owner::forget_earlier_lives(Channel& channel, const Process& origin) {
  const auto first =
      channel.filter.lower_bound(Source{{origin.host, origin.slot, 0}, Lane::control});
  auto last = first;
  while (last != channel.filter.end() && last->first.origin.host == origin.host &&
         last->first.origin.slot == origin.slot && last->first.origin != origin) {
    ++last;
  }
  if (static_cast<std::size_t>(last - first) <= kMaxLives) return;
  const Process earliest = first->first.origin;
  bury(earliest);
  for (auto row = first; row != channel.filter.end() && row->first.origin == earliest;) {
    row = row->second.ack_due ? row + 1 : channel.filter.erase(row);
  }
}

void Owner::bury(const Process& last) {
  Death& death = dead_[last.channel()];
  if (last.incarnation < death.incarnation) return;
  note_death(last);
}

void Owner::revive(const Process& living) {
  Process predecessor = living;
  --predecessor.incarnation;
  note_death(predecessor);
}

void Owner::note_death(const Process& last) {
  Death& death = dead_[last.channel()];
  death = {last.incarnation, seconds()};
  deaths_.emplace_back(death.seen, last.channel());
  const auto over = [&](std::uint32_t seen) {
    return dead_.size() > kMaxDeaths || std::chrono::seconds(seconds() - seen) > kFilterEntryLife;
  };
  while (!deaths_.empty() && over(deaths_.front().first)) {
    const auto [seen, process] = deaths_.front();
    deaths_.pop_front();
    const auto found = dead_.find(process);
    if (found != dead_.end() && found->second.seen == seen) dead_.erase(found);
  }
}

bool Owner::is_dead(const Process& origin) const {
  if (dead_.empty()) return false;
  const auto found = dead_.find(origin.channel());
  return found != dead_.end() && origin.incarnation <= found->second.incarnation;
}

void Owner::on_run(const Run& run) {
  if (is_dead(run.origin)) {
    counters_.from_the_dead += run.count;
    return;
  }
  const auto found = channels_.find(run.channel);
  if (found == channels_.end()) return;
  const ChannelPtr channel = found->second;
  if (!channel->active) {  // frozen
    if (run.lineage == channel->lineage) entry(*channel, run.origin, run.lane).came = true;
    return;
  }
  if (run.lineage != channel->lineage) {
    ++counters_.foreign_lineage;
    const auto here = static_cast<std::uint64_t>((now_ - channel->since) / from_ms(1));
    const std::uint64_t age = tells_age_ ? std::max<std::uint64_t>(here, 1) : 0;
    refuse({run.lane, run.origin, run.channel, run.seq}, NackReason::lineage, channel->lineage,
           age);
    return;
  }
  accept(channel, run);
}

void Owner::accept(const ChannelPtr& owned, const Run& run) {
  Channel& channel = *owned;
  // Stays valid: nothing that a handler can do touches the filter of an active channel.
  Entry& known = entry(channel, run.origin, run.lane);
  std::uint64_t& last = known.last;
  RunReader reader(run);
  while (const auto item = reader.next()) {
    if (item->seq <= last) {
      ++counters_.duplicates;
      continue;
    }
    if (item->prev > last) {
      ++counters_.gaps;
      // All later messages of the run are after the gap too.
      refuse({run.lane, run.origin, run.channel, item->seq}, NackReason::gap, channel.lineage,
             last);
      return;
    }
    last = item->seq;
    if (item->tombstone) {
      ++counters_.tombstones;
    } else if (!withdrawn_.empty() && is_withdrawn(run, item->seq)) {
      ++counters_.withdrawn;
    } else {
      ++counters_.handled;
      handler_(channel.cookie,
               {run.channel, run.origin, run.lane, item->seq, item->body, item->system});
    }
    // Its handler has unbound it: handled messages are acknowledged, the rest gets no answer.
    if (!channel.active) break;
  }
  acknowledge(owned, {run.origin, run.lane}, known);
}

void Owner::on_withdraw(const Withdraw& withdraw) {
  const auto found = channels_.find(withdraw.channel);
  if (found == channels_.end() || !found->second->active) return;
  const Source source{withdraw.origin, withdraw.lane};
  const auto known = found->second->filter.find(source);
  if (known != found->second->filter.end() && withdraw.seq <= known->second.last) return;
  const Withdrawn message{withdraw.channel, source, withdraw.seq};
  if (!withdrawn_.insert(message).second) return;
  withdrawals_.emplace_back(seconds(), message);
  const auto over = [&](std::uint32_t since) {
    return withdrawals_.size() > kMaxWithdrawn ||
           std::chrono::seconds(seconds() - since) > kFilterEntryLife;
  };
  while (over(withdrawals_.front().first)) {
    withdrawn_.erase(withdrawals_.front().second);
    withdrawals_.pop_front();
  }
}

bool Owner::is_withdrawn(const Run& run, std::uint64_t seq) {
  return withdrawn_.contains({run.channel, {run.origin, run.lane}, seq});
}

void Owner::on_probe(const Probe& probe) {
  const auto found = channels_.find(probe.channel);
  if (found == channels_.end()) return;
  Channel& channel = *found->second;
  if (!channel.active) {  // frozen
    entry(channel, probe.origin, probe.lane).came = true;
    return;
  }
  const auto known = channel.filter.find(Source{probe.origin, probe.lane});
  const std::uint64_t last = known == channel.filter.end() ? 0 : known->second.last;
  // A sender whose bodies do not get through asks for as long: its entry must not be forgotten.
  if (known != channel.filter.end()) known->second.used = seconds();
  if (probe.seq > last) {
    refuse(probe, NackReason::gap, channel.lineage, last);
    return;
  }
  if (known == channel.filter.end()) return;  // sequence 0: no honest sender asks for it
  acknowledge(found->second, known->first, known->second);
}

void Owner::on_multicast(const Multicast& multicast) {
  Bytes item(kItemHeader);
  store(item.data(), static_cast<std::uint32_t>(multicast.body.size()));
  item.insert(item.end(), multicast.body.begin(), multicast.body.end());
  for (const Target& target : multicast.targets) {
    Run run;
    run.lane = multicast.lane;
    run.count = 1;
    run.origin = multicast.origin;
    run.channel = target.channel;
    run.lineage = target.lineage;
    run.prev = target.prev;
    run.seq = target.seq;
    run.items = item;
    on_run(run);
  }
}

/// One ACK per stream and batch, with the latest `last`.
void Owner::acknowledge(const ChannelPtr& channel, const Source& source, Entry& entry) {
  if (std::exchange(entry.ack_due, true)) return;
  acks_.push_back({channel, source});
}

void Owner::flush_acks() {
  for (const DueAck& due : acks_) {
    Entry& entry = due.channel->filter.at(due.source);
    entry.ack_due = false;
    scratch_.clear();
    encode(
        Ack{due.source.lane, due.source.origin, due.channel->id, due.channel->lineage, entry.last},
        scratch_);
    reply_(scratch_);
  }
  acks_.clear();
}

void Owner::refuse(const Probe& about, NackReason reason, Lineage lineage, std::uint64_t last) {
  scratch_.clear();
  encode(Nack{about.lane, about.origin, about.channel, about.seq, reason, lineage, last}, scratch_);
  reply_(scratch_);
}

void Owner::sweep() {
  if (to_sweep_.empty()) {
    if (now_ < next_sweep_) return;
    next_sweep_ = now_ + kSweepPause;
    for (const auto& [id, channel] : channels_) {
      if (!channel->filter.empty()) to_sweep_.push_back(id);
    }
  }
  const std::uint32_t present = seconds();
  for (std::size_t i = 0; i < kSweepStep && !to_sweep_.empty(); ++i) {
    const auto found = channels_.find(to_sweep_.back());
    to_sweep_.pop_back();
    // A frozen channel accepts nothing, so its entries cannot be refreshed.
    if (found == channels_.end() || !found->second->active) continue;
    auto entries = found->second->filter.extract_sequence();
    // Not std::ranges: clang 14 does not accept these iterators.
    const auto gone = std::remove_if(entries.begin(), entries.end(), [&](const auto& item) {
      return !item.second.ack_due &&
             std::chrono::seconds(present - item.second.used) > kFilterEntryLife;
    });
    if (gone != entries.end()) {
      entries.erase(gone, entries.end());
      entries.shrink_to_fit();
    }
    found->second->filter.adopt_sequence(boost::container::ordered_unique_range,
                                         std::move(entries));
  }
}

std::size_t Owner::filter_bytes() const {
  std::size_t total = 0;
  for (const auto& [id, channel] : channels_) {
    total += channel->filter.capacity() * sizeof(Filter::value_type);
  }
  return total;
}

std::size_t Owner::filter_entries() const {
  std::size_t total = 0;
  for (const auto& [id, channel] : channels_) total += channel->filter.size();
  return total;
}

}  // namespace starbus::bus
