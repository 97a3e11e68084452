#include "tools/bustop/manager_link.hpp"

#include "entity/objects/entity.hpp"
#include "nodes/manager/manager_service.hpp"
#include "tools/bustop/bus_link.hpp"

namespace starbus::bustop {

using nodes::manager::ClusterReport;
using nodes::manager::kManagerChannel;
using nodes::manager::ManagerService;
using nodes::manager::SetbackReport;
using nodes::manager::ShutdownReport;
namespace rpc = entity::rpc;

namespace {

/// The error as bustop shows it: in words of the bus.
bus::Error error_of(const rpc::Error& error) {
  if (rpc::is_absent(error))
    return {bus::Errc::no_owner, "manager: no owner; start starbus-manager"};
  if (error == rpc::Errc::deadline) return {bus::Errc::deadline, "the manager does not answer"};
  if (error.code.is_of<bus::Errc>()) return error;
  return {bus::Errc::handler_failed, error.to_string()};
}

}  // namespace

ManagerLink::ManagerLink(const std::string& endpoint, const std::string& role,
                         std::chrono::milliseconds timeout)
    : link_(std::make_unique<BusLink>(endpoint, role)), timeout_(timeout) {}
ManagerLink::~ManagerLink() = default;

bus::Result<> ManagerLink::connect() {
  return link_->connect(timeout_);
}

void ManagerLink::wait(std::chrono::milliseconds time) {
  link_->run(time, false);
}

namespace {

template <class T, class E>
bus::Result<T> answer_of(BusLink& link, rpc::Pending<T, E> pending) {
  auto reply = link.end(std::move(pending));
  if (!reply) return bus::Error(bus::Errc::closed);
  if (!*reply) return error_of(reply->error());
  return std::move(**reply);
}

}  // namespace

bus::Result<ClusterReport> ManagerLink::cluster(const std::string& after) {
  return answer_of(*link_, rpc::call<&ManagerService::cluster>(link_->rpc(), kManagerChannel,
                                                               {.deadline = timeout_}, after));
}

bus::Result<SetbackReport> ManagerLink::setbacks() {
  return answer_of(*link_, rpc::call<&ManagerService::setbacks>(link_->rpc(), kManagerChannel,
                                                                {.deadline = timeout_}));
}

bus::Result<std::string> ManagerLink::entity(const std::string& channel) {
  auto shown = answer_of(
      *link_, rpc::call<&entity::Entity::inspect>(link_->rpc(), channel, {.deadline = timeout_}));
  if (shown) return shown;
  if (shown.error() == bus::Errc::no_owner) {
    return bus::Error(bus::Errc::no_owner, channel + ": no owner");
  }
  if (shown.error() == bus::Errc::handler_failed) {
    return bus::Error(bus::Errc::no_handler, channel + ": not an entity: " + shown.error().detail);
  }
  if (shown.error() == bus::Errc::deadline) {
    return bus::Error(bus::Errc::deadline, channel + " does not answer");
  }
  return shown;
}

bus::Result<bool> ManagerLink::release(const std::string& instance) {
  return answer_of(*link_, rpc::call<&ManagerService::release>(link_->rpc(), kManagerChannel,
                                                               {.deadline = timeout_}, instance));
}

bus::Result<ShutdownReport> ManagerLink::shutdown_report() {
  return answer_of(*link_, rpc::call<&ManagerService::shutdown_report>(
                               link_->rpc(), kManagerChannel, {.deadline = timeout_}));
}

bus::Result<ShutdownReport> ManagerLink::shut_down(const std::string& reason) {
  return answer_of(*link_, rpc::call<&ManagerService::shutdown>(link_->rpc(), kManagerChannel,
                                                                {.deadline = timeout_}, reason));
}

}  // namespace starbus::bustop
