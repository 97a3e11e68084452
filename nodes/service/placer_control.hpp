/// RPC methods for the hosts of services, as a part of the manager and under its name.
///
///   rpc::send<&PlacerControl::leaving>(endpoint, service::kPlacerChannel, {});
///
/// Belongs to the loop's thread.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "entity/rpc/rpc.hpp"

namespace starbus::nodes::service {

inline constexpr std::string_view kPlacerChannel = "manager/cluster";

class PlacerControl final : public entity::rpc::Callable<PlacerControl> {
 public:
  explicit PlacerControl(std::function<void(const bus::Process&)> on_leaving)
      : on_leaving_(std::move(on_leaving)) {}

  /// The calling host drains: its end does not count as a death. Arrives before the end is seen,
  /// since a draining process leaves the bus only when all its messages are acknowledged.
  void leaving(entity::rpc::Caller& from) { on_leaving_(from.process); }

  static constexpr auto kRpc = entity::rpc::methods(
      "service_placer", entity::rpc::method<&PlacerControl::leaving>("leaving", entity::rpc::gate));

 private:
  const std::function<void(const bus::Process&)> on_leaving_;
};

}  // namespace starbus::nodes::service
