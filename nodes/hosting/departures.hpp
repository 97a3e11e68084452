/// Entities that move from this process to another one.
///
/// Belongs to the loop's thread; the context, the names and the sync outlive it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "nodes/hosting/entity_sync.hpp"
#include "nodes/hosting/host_context.hpp"
#include "nodes/hosting/published_names.hpp"

namespace starbus::nodes::entities {

class Departures {
 public:
  Departures(HostContext& context, PublishedNames& names, EntitySync& sync)
      : context_(context), names_(names), sync_(sync) {}

  /// Moves an entity that has one name to the process `target`, "HOST.NODE". Completes when the
  /// entity lives there and has ended here, or lives on here: see EntityHost::move.
  void begin(entity::OnlineId id, std::string target, const MoveOptions& how, Done done);
  /// An entity has ended: so does its move, unless the bus has begun it and ends it.
  void ended(std::uint64_t id);
  /// The node drains: moves that wait for coroutines end as closed.
  void give_up_waiting();

  bool has(std::uint64_t id) const { return leaving_.contains(id); }
  /// Its state was sent: it may live at the target.
  bool packed(std::uint64_t id) const;
  bool empty() const { return leaving_.empty(); }
  std::size_t size() const { return leaving_.size(); }

 private:
  struct Leaving {
    std::string name;
    std::string target;
    MoveOptions how;
    Done done;
    entity::Time deadline{};  // of waiting
    entity::TimerId alarm{};  // at that time
    entity::MovedForm form = entity::MovedForm::snapshot;
    entity::EntityError failure{};  // of packing it
    bool begun = false;             // the bus has it
    bool packed = false;
  };
  void wait_or_start(std::uint64_t id);
  void wait(entity::Entity& entity);
  void woken(std::uint64_t id);
  void start(std::uint64_t id);
  bool goes_on_here(entity::Entity& entity, Leaving& leaving, const bus::Error& why);
  void finish(std::uint64_t id, const bus::Result<>& result);
  void count_left_behind(const entity::Entity& entity);
  bus::Bytes pack(std::uint64_t id);
  void on_moved(std::uint64_t id, const bus::Result<>& moved);

  HostContext& context_;
  PublishedNames& names_;
  EntitySync& sync_;
  std::unordered_map<std::uint64_t, Leaving> leaving_;  // by online id
  entity::TimerOwner alarms_;
};

}  // namespace starbus::nodes::entities
