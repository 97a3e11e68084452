// A shop: a service of which there is one in the cluster, wherever the manager has put it.
#pragma once

#include "names.hpp"
#include "nodes/service/service.hpp"

namespace game {

inline constexpr const char* kShop = "shop";
inline constexpr const char* kShopChannel = "service/shop";

/// Sells things by their kind. Belongs to the loop's thread.
class Shop final : public service::Service, public rpc::Callable<Shop> {
 public:
  explicit Shop(service::Instance&) {}

  service::Result<std::int64_t> price(rpc::Caller&, std::int64_t kind) {
    if (kind < 1 || kind > 9) return service::Error(service::Errc::bad_name, "a kind is 1 to 9");
    return kind * 10;
  }
  static constexpr auto kRpc = rpc::methods<&Shop::price>();
};

}  // namespace game
