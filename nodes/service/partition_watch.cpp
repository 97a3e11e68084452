#include "nodes/service/partition_watch.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <utility>
#include <vector>

#include "base/unit_guard.hpp"
#include "entity/rpc/wire.hpp"
#include "nodes/service/limits.hpp"

namespace starbus::nodes::service {

PartitionWatch::PartitionWatch(bus::Bus& bus, std::string type, std::uint32_t partitions)
    : bus_(bus), type_(std::move(type)), partitions_(partitions), alarm_(bus.loop()) {
  auto watch = bus.watch(
      partition_prefix(type_), [this](const bus::WatchUpdate& changes) { update(changes); },
      [this](const bus::Error& error) {
        refused_ = error;
        serve();
      });
  if (watch) {
    watch_ = std::move(*watch);
  } else {
    refused_ = watch.error();
  }
}

PartitionWatch::~PartitionWatch() {
  for (const Waiter& waiter : std::exchange(waiters_, {})) waiter.told(Error(Errc::closed));
}

void PartitionWatch::update(const bus::WatchUpdate& update) {
  for (const bus::WatchRow& row : update.changes) {
    const auto id = instance_of_partition(row.name);
    if (!id) continue;
    if (id->partitions != partitions_) {
      row.present ? void(of_another_count_.insert(*id)) : void(of_another_count_.erase(*id));
    } else if (row.present) {
      Owner& owner = there_[*id];
      if (owner.epoch != row.epoch) owner = Owner{row.epoch};
    } else {
      there_.erase(*id);
    }
  }
  complete_ = update.complete;
  serve();
}

void PartitionWatch::find(std::uint32_t partition, bus::Lane lane, Clock::time_point deadline,
                          bus::Epoch not_this, Told told) {
  const Clock::time_point now = Clock::now();
  Waiter waiter{
      {type_, partition, partitions_}, lane, deadline, now + kAskAgain, not_this, std::move(told)};
  auto place = look(waiter, now);
  if (place || place.error() != Errc::not_placed || deadline <= now) {
    return waiter.told(std::move(place));
  }
  if (waiters_.size() == kMaxWaitingCalls) return waiter.told(Error(Errc::would_block));
  waiters_.push_back(std::move(waiter));
  greet(waiters_.back(), now);
  arm_for(due(waiters_.back(), now));  // not arm(): a call costs the same however many wait
}

/// If its owner is known, and has not been greeted.
void PartitionWatch::greet(const Waiter& waiter, Clock::time_point now) {
  const auto found = there_.find(waiter.id);
  if (found == there_.end()) return;
  Greeting& greeting = found->second.lanes[static_cast<std::size_t>(waiter.lane)];
  if (greeting.done || greeting.under_way || now < greeting.again) return;
  greeting.under_way = true;
  bus::SendOptions options;
  options.lane = waiter.lane;
  options.ttl = kGreeting;
  bus_.send_acknowledged(channel_name(waiter.id),
                         bus::Bytes{static_cast<std::byte>(entity::rpc::kFenceForm)}, options,
                         [this, id = waiter.id, lane = waiter.lane, epoch = found->second.epoch,
                          weak = std::weak_ptr(alive_)](const bus::Result<>& sent) {
                           if (!weak.expired()) greeted(id, lane, epoch, sent.has_value());
                         });
}

void PartitionWatch::greeted(const InstanceId& id, bus::Lane lane, bus::Epoch epoch, bool well) {
  const auto found = there_.find(id);
  if (found == there_.end() || found->second.epoch != epoch) return;
  Greeting& greeting = found->second.lanes[static_cast<std::size_t>(lane)];
  greeting.under_way = false;
  greeting.done = well;
  greeting.again = Clock::now() + kAskAgain;
  serve();
}

/// not_placed: it may come.
Result<PartitionWatch::Place> PartitionWatch::look(const Waiter& waiter,
                                                   Clock::time_point now) const {
  if (!refused_.code.is_ok()) return refused_;
  const auto found = there_.find(waiter.id);
  if (found != there_.end() && (found->second.epoch != waiter.not_this || now >= waiter.again) &&
      found->second.lanes[static_cast<std::size_t>(waiter.lane)].done) {
    return Place{channel_name(waiter.id), found->second.epoch};
  }
  if (complete_ && there_.empty() && !of_another_count_.empty()) {
    return Error(Errc::wrong_partitions, type_ + " has " +
                                             std::to_string(of_another_count_.begin()->partitions) +
                                             " partitions, not " + std::to_string(partitions_));
  }
  return Error(Errc::not_placed, to_string(waiter.id));
}

void PartitionWatch::serve() {
  const Clock::time_point now = Clock::now();
  std::vector<std::pair<Told, Result<Place>>> served;
  for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
    auto place = look(*waiter, now);
    if (!place && place.error() == Errc::not_placed && waiter->deadline > now) {
      greet(*waiter, now);
      ++waiter;
      continue;
    }
    served.emplace_back(std::move(waiter->told), std::move(place));
    waiter = waiters_.erase(waiter);
  }
  arm();
  // Last: they may ask again, or end this object.
  for (auto& row : served) {
    guarded(UnitKind::completion, row.first.target_type(),
            [&] { row.first(std::move(row.second)); });
  }
}

PartitionWatch::Clock::time_point PartitionWatch::due(const Waiter& waiter,
                                                      Clock::time_point now) const {
  Clock::time_point next = waiter.deadline;
  if (waiter.again > now) next = std::min(next, waiter.again);
  const auto owner = there_.find(waiter.id);
  if (owner == there_.end()) return next;
  const Greeting& greeting = owner->second.lanes[static_cast<std::size_t>(waiter.lane)];
  return greeting.again > now ? std::min(next, greeting.again) : next;
}

void PartitionWatch::arm() {
  armed_ = Clock::time_point::max();
  if (waiters_.empty()) return void(alarm_.cancel());
  const Clock::time_point now = Clock::now();
  Clock::time_point next = Clock::time_point::max();
  for (const Waiter& waiter : waiters_) next = std::min(next, due(waiter, now));
  arm_for(next);
}

void PartitionWatch::arm_for(Clock::time_point next) {
  if (next >= armed_) return;
  armed_ = next;
  alarm_.expires_at(next);
  alarm_.async_wait([this, weak = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (!error && !weak.expired()) serve();
  });
}

}  // namespace starbus::nodes::service
