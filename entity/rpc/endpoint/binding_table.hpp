/// The bindings of an endpoint: names, and the objects that have them. Looked up by name, by
/// channel id, by object, and by a SlotRef that never means another object.
///
/// Belongs to the loop's thread. Owns no objects; each bound object lists its places here, and
/// tells its end (on_host_ended). Nothing of it fails.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/loop_thread.hpp"
#include "entity/rpc/counters.hpp"
#include "entity/rpc/endpoint/local_queue.hpp"
#include "entity/rpc/options.hpp"

namespace starbus::entity::rpc {

/// A place in the table: a name, and the object that has it.
struct Slot {
  SlotRef ref;
  CallableBase* host = nullptr;             // null: free
  std::shared_ptr<const std::string> name;  // null until it is owned
  bus::ChannelId channel;
  bool moving = false;
  bool packed = false;             // for its move: the bus hands it nothing
  std::uint32_t queued = 0;        // messages of this process for it that have not run
  std::uint64_t ticks = 0;         // for the object, while it has this place
  ClassLoad* load = nullptr;       // of its class
  std::array<LocalLane, 3> lanes;  // call, sync, bulk
};

class BindingTable {
 public:
  /// `on_host_ended` is called for each place of an object that ends; the place is still taken.
  explicit BindingTable(std::function<void(Slot&)> on_host_ended)
      : on_host_ended_(std::move(on_host_ended)) {}
  BindingTable(const BindingTable&) = delete;
  BindingTable& operator=(const BindingTable&) = delete;

  /// A place for the object, without a name yet.
  SlotRef take(CallableBase& host);
  /// The place has its name from now on.
  void name(Slot& slot, std::string name);
  /// The place is free again, and not the object's any more.
  void release(Slot& slot);

  /// Null: the place was released.
  Slot* find(SlotRef ref);
  /// Null: not bound here.
  Slot* find(const Address& to);
  /// A place of the object, or of the object that it is a component of; else kNowhere.
  SlotRef slot_of(const CallableBase& host) const;
  /// The named places of an object.
  std::vector<SlotRef> named_slots_of(const CallableBase& host) const;
  /// A name under which the object is bound; empty: none.
  std::string_view channel_of(const CallableBase& host) const;
  /// Its id, or that of the object that it is a component of; zero: none.
  bus::ChannelId channel_id_of(const CallableBase& host) const;
  /// Null: no object is bound under this name.
  const CallableBase* bound_at(std::string_view name) const;

  /// One frame of the object at this place has taken so many ticks; ignored if it has ended.
  void charge(SlotRef slot, std::uint64_t passed);
  /// Adds to the time of a place, for reports.
  void add_ticks(std::uint32_t index, std::uint64_t passed) { slots_[index].ticks += passed; }

  /// By the object that ends, for each of its places.
  void host_ended(std::uint32_t index) { on_host_ended_(slots_[index]); }

  /// All places, taken or free; references stay valid.
  std::deque<Slot>& slots() { return slots_; }
  const std::deque<Slot>& slots() const { return slots_; }
  /// By class, of all that are bound here or were.
  const std::unordered_map<const ClassInfo*, ClassLoad>& loads() const { return loads_; }

 private:
  std::function<void(Slot&)> on_host_ended_;
  std::deque<Slot> slots_;
  std::vector<std::uint32_t> free_;
  boost::unordered_flat_map<bus::ChannelId, std::uint32_t> by_id_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;  // views Slot::name
  std::unordered_map<const ClassInfo*, ClassLoad> loads_;        // references stay valid
  LoopThread thread_;
};

}  // namespace starbus::entity::rpc
