/// Entities that move from another process to this one: accepted, then owned, then activated. An
/// entity that is owned here and cannot be activated is stranded: activation is tried again, and in
/// the end its state is saved as it arrived.
///
/// Belongs to the loop's thread; the context, the names and the saver outlive it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bus/client/bus.hpp"
#include "nodes/hosting/entity_saver.hpp"
#include "nodes/hosting/host_context.hpp"
#include "nodes/hosting/published_names.hpp"
#include "nodes/hosting/stranded.hpp"

namespace starbus::nodes::entities {

class Arrivals {
 public:
  Arrivals(HostContext& context, PublishedNames& names, EntitySaver& saver)
      : context_(context), names_(names), saver_(saver) {}

  /// Accepts entities whose channel names begin with `prefix`.
  void take_in(const std::string& prefix);

  /// The lease is lost: forgets all of them, saves stranded ones, and ends the calls to them.
  void lose_all();
  /// Ends the moves that were accepted and not granted yet.
  void abandon_accepted();
  /// Saves stranded entities as they arrived, and gives up their names.
  void give_up_stranded();

  /// True while the EntityManager activates an entity that came from another process.
  bool activating() const { return activating_; }
  /// True while one is made that this process owns already: it must not be refused.
  bool owned_already() const { return activating_ || saving_; }
  std::size_t accepted() const { return accepted_.size(); }
  std::size_t stranded() const { return stranded_.size(); }

 private:
  /// Created but not activated, and not owned here yet.
  struct Accepted {
    entity::OnlineId id{};
    entity::TimerId deadline{};
  };
  using Activate = std::function<entity::EntityResult<entity::Entity*>()>;

  bus::Result<> accept(const std::string& name, bus::ByteView state);
  void abandon(const std::string& name);
  bus::Handlers on_owned(const bus::Arrival& arrival);
  entity::EntityResult<entity::Entity*> activate(const Activate& create);
  void settle_in(entity::Entity& entity, bus::Epoch epoch);
  void strand(const std::string& name, Stranded& stranded, const entity::EntityError& why);
  void try_again(std::string name);
  void give_up(std::string name);
  /// Creates it once more, without activating it, and saves it as it arrived.
  void save_as_arrived(const std::string& name, const Stranded& stranded,
                       std::vector<std::string> names);

  HostContext& context_;
  PublishedNames& names_;
  EntitySaver& saver_;
  std::map<std::string, Accepted> accepted_;                   // by channel name
  std::map<std::string, std::shared_ptr<Stranded>> stranded_;  // by channel name
  bool activating_ = false;
  bool saving_ = false;  // a stranded one is made again, to be saved
};

}  // namespace starbus::nodes::entities
