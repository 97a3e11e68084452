#include "nodes/service/partition_watch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "nodes/service/limits.hpp"

namespace starbus::nodes::service {

PartitionWatch::PartitionWatch(bus::Bus& bus, std::string type, std::uint32_t partitions)
    : type_(std::move(type)), partitions_(partitions), alarm_(bus.loop()) {
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
      there_[*id] = row.epoch;
    } else {
      there_.erase(*id);
    }
  }
  complete_ = update.complete;
  serve();
}

void PartitionWatch::find(std::uint32_t partition, Clock::time_point deadline, bus::Epoch not_this,
                          Told told) {
  const Clock::time_point now = Clock::now();
  Waiter waiter{{type_, partition, partitions_},
                deadline,
                now + std::chrono::milliseconds(kAskAgain),
                not_this,
                std::move(told)};
  auto place = look(waiter, now);
  if (place || place.error() != Errc::not_placed || deadline <= now) {
    return waiter.told(std::move(place));
  }
  if (waiters_.size() == kMaxWaitingCalls) return waiter.told(Error(Errc::would_block));
  waiters_.push_back(std::move(waiter));
  arm();
}

/// not_placed: it may come.
Result<PartitionWatch::Place> PartitionWatch::look(const Waiter& waiter,
                                                   Clock::time_point now) const {
  if (refused_.code != bus::Errc::ok) return Error(Errc::call_failed, refused_.to_string());
  const auto found = there_.find(waiter.id);
  if (found != there_.end() && (found->second != waiter.not_this || now >= waiter.again)) {
    return Place{channel_name(waiter.id), found->second};
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
      ++waiter;
      continue;
    }
    served.emplace_back(std::move(waiter->told), std::move(place));
    waiter = waiters_.erase(waiter);
  }
  arm();
  // Last: they may ask again, or end this object.
  for (auto& [told, place] : served) told(std::move(place));
}

void PartitionWatch::arm() {
  if (waiters_.empty()) return void(alarm_.cancel());
  const Clock::time_point now = Clock::now();
  Clock::time_point next = Clock::time_point::max();
  for (const Waiter& waiter : waiters_) {
    next = std::min(next, waiter.deadline);
    if (waiter.again > now) next = std::min(next, waiter.again);
  }
  alarm_.expires_at(next);
  alarm_.async_wait([this](const boost::system::error_code& error) {
    if (!error) serve();
  });
}

}  // namespace starbus::nodes::service
