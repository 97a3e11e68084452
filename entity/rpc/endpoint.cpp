#include "entity/rpc/endpoint.hpp"

#include <boost/asio/post.hpp>

namespace starbus::entity::rpc {

Endpoint::Endpoint(bus::Bus& bus) : core_(*this, bus) {}

Endpoint::~Endpoint() = default;

/// Completes on a later turn, also if gates and servers are known already.
void Endpoint::start_ready(std::function<void(bus::Result<>)> done) {
  if (!core_.gates.known()) return core_.gates.when_known(std::move(done));
  boost::asio::post(loop(), [done = std::move(done)] { done({}); });
}

}  // namespace starbus::entity::rpc
