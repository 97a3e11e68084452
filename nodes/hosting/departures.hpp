/// Entities that move from this process to another one.
///
/// Belongs to the loop's thread; the context, the names and the sync outlive it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

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
  void begin(entity::Entity& entity, std::string target, Done done);

  bool has(std::uint64_t id) const { return leaving_.contains(id); }
  /// Its state was sent: it may live at the target.
  bool packed(std::uint64_t id) const;
  bool empty() const { return leaving_.empty(); }
  std::size_t size() const { return leaving_.size(); }

 private:
  struct Leaving {
    std::string name;
    std::string target;
    Done done;
    entity::MovedForm form = entity::MovedForm::snapshot;
    entity::EntityError failure{};  // of packing it
    bool packed = false;
  };
  void start(std::uint64_t id);
  bus::Bytes pack(std::uint64_t id);
  void on_moved(std::uint64_t id, const bus::Result<>& moved);

  HostContext& context_;
  PublishedNames& names_;
  EntitySync& sync_;
  std::unordered_map<std::uint64_t, Leaving> leaving_;  // by online id
};

}  // namespace starbus::nodes::entities
