// The shop that players of these tests ask, in another process.
#pragma once

#include "entity/rpc/rpc.hpp"

namespace game {

namespace rpc = starbus::entity::rpc;

class Shop final : public rpc::Callable<Shop> {
 public:
  int price(rpc::Caller&, int kind) { return kind * 10; }
  static constexpr auto kRpc = rpc::methods<&Shop::price>();
};

}  // namespace game
