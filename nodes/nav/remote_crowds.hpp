/// Crowds of another node, by the name of its service: CrowdPort over the bus.
///
/// Every call ends: with the answer, with the node's refusal, or with an error of the bus, after
/// which the crowd may have gone or have taken the batch; the space makes another one then. A crowd
/// that nobody asks any more ends at its node by itself (kCrowdIdle).
///
/// Belongs to the loop's thread; the endpoint outlives it.
#pragma once

#include <memory>
#include <string>

#include "entity/rpc/endpoint.hpp"
#include "nodes/nav/crowd_port.hpp"

namespace starbus::nodes::crowds {

class RemoteCrowds final : public CrowdPort {
 public:
  RemoteCrowds(entity::rpc::Endpoint& endpoint, std::string service)
      : endpoint_(endpoint), service_(std::move(service)) {}

  void create(const CrowdSpec& spec, Made done) override;
  void step(Batch batch, Answered done) override;
  void destroy(CrowdId crowd) override;

 private:
  entity::rpc::Endpoint& endpoint_;
  const std::string service_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::crowds
