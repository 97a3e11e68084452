/// The RPC methods of an EntityHost for other processes, under entities/HOST.NODE: entities enter
/// there when those ask for it (EntityHost::enter_at).
///
/// Belongs to the loop's thread and to its EntityHost. Only servers may call.
#pragma once

#include <string>
#include <string_view>

#include "entity/objects/entity_factory.hpp"
#include "entity/rpc/rpc.hpp"
#include "nodes/hosting/entering/entries.hpp"

namespace starbus::nodes::entities {

/// The channel of a process' EntityHost: "entities/HOST.NODE".
std::string entries_channel(std::string_view process);

/// What is to enter.
struct EntryRequest {
  std::string type;
  std::string name;           // of the channel
  std::string persistent_id;  // not empty
  bool make = true;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(type, name, persistent_id, make);
  }
};
/// How it entered, or where it is.
struct EntryReply {
  Entrance how = Entrance::absent;
  std::string elsewhere;  // absent: the process that has it

  template <class Archive>
  void serialize(Archive& archive) {
    archive(how, elsewhere);
  }
};

class EntryControl final : public entity::rpc::Callable<EntryControl> {
 public:
  /// They outlive it. Not inline: a constructor compiles the code of all methods, in each file that
  /// includes this header, which is each file of a game.
  EntryControl(Entries& entries, const entity::EntityFactory& types);
  ~EntryControl();

  /// As EntityHost::enter there. Also unknown_type: its program does not declare that.
  entity::rpc::Task<bus::Result<EntryReply>> enter(entity::rpc::Caller& from, EntryRequest request);

  static constexpr auto kRpc = entity::rpc::methods<&EntryControl::enter>("entity_entries");

 private:
  Entries& entries_;
  const entity::EntityFactory& types_;
};

}  // namespace starbus::nodes::entities
