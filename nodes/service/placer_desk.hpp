/// What hosts of services tell whoever places them: part of the manager, and called under its name.
///
///   rpc::send<&PlacerDesk::leaving>(endpoint, service::kPlacerChannel, {});
///
/// Belongs to the loop's thread.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "entity/rpc/rpc.hpp"

namespace starbus::nodes::service {

inline constexpr std::string_view kPlacerChannel = "manager/cluster";

class PlacerDesk final : public entity::rpc::Callable<PlacerDesk> {
 public:
  explicit PlacerDesk(std::function<void(const bus::Process&)> on_leaving)
      : on_leaving_(std::move(on_leaving)) {}

  /// This host drains: its end is not to be counted as a death. Arrives before its end is seen,
  /// since a process that drains leaves the bus when all that it sent is acknowledged.
  void leaving(entity::rpc::Caller& from) { on_leaving_(from.process); }

  static constexpr auto kRpc =
      entity::rpc::methods("service_placer", entity::rpc::method<&PlacerDesk::leaving>("leaving"));

 private:
  const std::function<void(const bus::Process&)> on_leaving_;
};

}  // namespace starbus::nodes::service
