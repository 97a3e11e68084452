/// What a space calls at the client of a player, beside the stream of sight. Nobody defines it: the
/// client has the code.
#pragma once

#include "entity/objects/client_interface.hpp"
#include "nodes/space/movement/move_report.hpp"

namespace starbus::nodes::sight {

struct SpaceClient {
  /// It is there instead: teleports and corrections, in the order of the stream.
  void correct(movement::Correction where);
  static constexpr auto kClient = entity::client_methods(
      "starbus_space", entity::client_method<&SpaceClient::correct>("correct"));
};

}  // namespace starbus::nodes::sight
