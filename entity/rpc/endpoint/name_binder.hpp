/// Gives objects their names and takes them off again: binding, adopting names that have arrived,
/// moving, unbinding, and the end of objects and of the lease.
///
/// Belongs to the loop's thread. The bus owns the names; BindingTable holds the places.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/client/message.hpp"
#include "entity/rpc/endpoint/binding_table.hpp"

namespace starbus::bus {
struct Bound;
}

namespace starbus::entity::rpc {

class NameBinder {
 public:
  using Done = std::function<void(bus::Result<>)>;
  using BoundDone = std::function<void(bus::Result<bus::Bound>)>;
  using Freeze = std::function<bus::Bytes()>;

  explicit NameBinder(detail::EndpointCore& core) : core_(core) {}
  /// Callbacks of the bus find nothing from now on.
  ~NameBinder() { *self_ = nullptr; }
  NameBinder(const NameBinder&) = delete;
  NameBinder& operator=(const NameBinder&) = delete;

  // As the functions of Endpoint.
  void bind(std::string name, CallableBase& host, BoundDone done);
  bus::Handlers adopt(std::string name, CallableBase& host);
  void unbind(const std::string& name, Done done);
  std::vector<std::string> retire(CallableBase& host);
  void move(const std::string& name, std::string target, Freeze freeze, Done done);

  /// The object at this place ends: gives its name up.
  void host_ended(Slot& slot);
  /// The bus has lost all names: the objects are unbound.
  void lease_lost();
  /// Begins the moves that waited for fences and need not any more.
  void begin_moves();

 private:
  /// A move that waits until no message is held by a fence.
  struct Move {
    SlotRef slot;
    std::string target;
    Freeze freeze;
    Done done;
  };
  void bind_now(SlotRef slot, std::string name, BoundDone done);
  void begin(Slot& slot, Move move);
  void moved(SlotRef slot, bool gone);
  bus::Bytes freeze(SlotRef slot, const Freeze& pack);
  bus::Handlers handlers(SlotRef slot);
  void release(Slot& slot);

  detail::EndpointCore& core_;
  const std::shared_ptr<NameBinder*> self_ = std::make_shared<NameBinder*>(this);
  std::vector<Move> moves_;
};

}  // namespace starbus::entity::rpc
