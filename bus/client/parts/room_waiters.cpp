#include "bus/client/parts/room_waiters.hpp"

#include <utility>

namespace starbus::bus {

void RoomWaiters::wait(const Name& to, const SendOptions& options, Done<> done) {
  const bool is_set = is_shared_name(to.text()) || is_group_name(to.text());
  const Id id = next_id_++;
  Room& room = rooms_.emplace(id, Room{to, is_set ? to.text() + "#" : "", options, std::move(done)})
                   .first->second;
  if (is_set) by_set_[room.set].insert(id);
  look_at(id);
}

void RoomWaiters::look_at(Id id) {
  const auto found = rooms_.find(id);
  if (found == rooms_.end()) return;
  Room& room = found->second;
  unlist(id, room);
  if (!context_.process.origin().has_room()) {
    by_process_.insert(id);
    return;
  }
  if (!has_room(room, room.blockers)) {
    if (room.blockers.empty()) by_place_.insert(id);
    for (const ChannelId& channel : room.blockers) {
      by_stream_[{channel, room.options.lane}].insert(id);
      context_.process.origin().await_room(channel, room.options.lane);
    }
    return;
  }
  context_.complete<void>(std::move(room.done), {});
  const auto set = by_set_.find(room.set);
  if (set != by_set_.end() && set->second.erase(id) != 0 && set->second.empty()) {
    by_set_.erase(set);
  }
  rooms_.erase(found);
}

void RoomWaiters::unlist(Id id, Room& room) {
  by_process_.erase(id);
  by_place_.erase(id);
  for (const ChannelId& channel : std::exchange(room.blockers, {})) {
    const auto listed = by_stream_.find(StreamTable::Key{channel, room.options.lane});
    if (listed == by_stream_.end()) continue;
    listed->second.erase(id);
    if (listed->second.empty()) by_stream_.erase(listed);
  }
}

bool RoomWaiters::has_room(const Room& room, std::vector<ChannelId>& blockers) {
  if (!room.set.empty() && watchers_.must_hold(room.set)) return watchers_.has_room(room.set);
  if (is_group_name(room.to.text())) return group_has_room(room, blockers);
  ChannelId channel = room.to.id();
  if (!room.set.empty()) {
    const auto instance = shared_.choose(room.to.text(), room.options.hash_key, room.options.lane);
    if (!instance) return true;  // a send ends at once, as no_owner
    channel = instance->name.id();
  }
  if (context_.process.origin().has_room(channel, room.options.lane)) return true;
  blockers.push_back(channel);
  return false;
}

bool RoomWaiters::group_has_room(const Room& room, std::vector<ChannelId>& blockers) {
  const MulticastSender::Receivers* const members = groups_.members(room.set);
  if (!members) return true;
  const bool all = room.options.when_full == WhenFull::wait;
  for (const Name& name : members->names) {
    if (!context_.process.origin().has_room(name.id(), room.options.lane)) {
      blockers.push_back(name.id());
      if (all) return false;
    } else if (!all) {
      return true;
    }
  }
  return blockers.empty();
}

void RoomWaiters::on_room() {
  Origin& origin = context_.process.origin();
  for (const StreamTable::Key& stream : origin.take_roomy()) {
    const auto listed = by_stream_.find(stream);
    if (listed == by_stream_.end()) continue;
    for (const Id id : std::exchange(listed->second, {})) look_at(id);
  }
  if (by_process_.empty() || !origin.has_room()) return;
  for (const Id id : std::exchange(by_process_, {})) look_at(id);
}

void RoomWaiters::on_set(const std::string& prefix) {
  for (const Id id : std::exchange(by_place_, {})) look_at(id);
  const auto found = by_set_.find(prefix);
  if (found == by_set_.end()) return;
  const std::set<Id> waiting = found->second;
  for (const Id id : waiting) look_at(id);
}

void RoomWaiters::shut(const Error& reason) {
  by_stream_.clear();
  by_set_.clear();
  by_process_.clear();
  by_place_.clear();
  for (auto& [id, room] : std::exchange(rooms_, {})) {
    context_.complete<void>(std::move(room.done), reason);
  }
}

}  // namespace starbus::bus
