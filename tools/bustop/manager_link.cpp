#include "tools/bustop/manager_link.hpp"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <optional>

#include "bus/client/bus.hpp"
#include "entity/objects/entity.hpp"
#include "entity/rpc/rpc.hpp"
#include "nodes/manager/manager_service.hpp"

namespace starbus::bustop {

using nodes::manager::ClusterReport;
using nodes::manager::kManagerChannel;
using nodes::manager::ManagerService;
using nodes::manager::SetbackReport;
using nodes::manager::ShutdownReport;
namespace rpc = entity::rpc;

namespace {

bus::Options options_of(const std::string& endpoint, const std::string& role) {
  bus::Options options;
  options.node = "bustop-" + std::to_string(getpid());
  options.role = role;
  options.endpoint = endpoint;
  return options;
}

/// The error as bustop shows it: in words of the bus.
bus::Error error_of(const rpc::Error& error) {
  if (rpc::is_absent(error))
    return {bus::Errc::no_owner, "manager: no owner; start starbus-manager"};
  if (error == rpc::Errc::deadline) return {bus::Errc::deadline, "the manager does not answer"};
  if (error.code.is_of<bus::Errc>()) return error;
  return {bus::Errc::handler_failed, error.to_string()};
}

}  // namespace

struct ManagerLink::Link {
  Link(const std::string& endpoint, const std::string& role)
      : bus(loop, options_of(endpoint, role)), rpc(bus) {}

  void run_until(std::chrono::steady_clock::time_point deadline, const bool& done) {
    loop.restart();
    while (!done && loop.run_one_until(deadline) != 0) {
    }
  }

  boost::asio::io_context loop;
  bus::Bus bus;
  rpc::Endpoint rpc;
};

ManagerLink::ManagerLink(const std::string& endpoint, const std::string& role,
                         std::chrono::milliseconds timeout)
    : link_(std::make_unique<Link>(endpoint, role)), timeout_(timeout) {}
ManagerLink::~ManagerLink() = default;

bus::Result<> ManagerLink::connect() {
  struct Answer {
    bool done = false;
    bus::Result<> result;
  };
  // Shared, since the attempt goes on after a time-out.
  const auto answer = std::make_shared<Answer>();
  link_->bus.connect([answer](const bus::Result<>& result) {
    answer->result = result;
    answer->done = true;
  });
  link_->run_until(std::chrono::steady_clock::now() + timeout_, answer->done);
  if (answer->done) return answer->result;
  return bus::Error(bus::Errc::unreachable, "no busd at " + link_->bus.endpoint() +
                                                ", or one that is cut off from busroot");
}

void ManagerLink::wait(std::chrono::milliseconds time) {
  link_->run_until(std::chrono::steady_clock::now() + time, false);
}

namespace {

/// Runs the loop until the call has ended, which it does by its deadline.
template <class T, class E>
bus::Result<T> answer_of(boost::asio::io_context& loop, rpc::Pending<T, E> pending) {
  std::optional<rpc::Reply<T, E>> reply;
  std::move(pending)([&reply](rpc::Reply<T, E> ended) { reply.emplace(std::move(ended)); });
  loop.restart();
  while (!reply && loop.run_one() != 0) {
  }
  if (!reply) return bus::Error(bus::Errc::closed);
  if (!*reply) return error_of(reply->error());
  return std::move(**reply);
}

}  // namespace

bus::Result<ClusterReport> ManagerLink::cluster(const std::string& after) {
  return answer_of(link_->loop, rpc::call<&ManagerService::cluster>(link_->rpc, kManagerChannel,
                                                                    {.deadline = timeout_}, after));
}

bus::Result<SetbackReport> ManagerLink::setbacks() {
  return answer_of(link_->loop, rpc::call<&ManagerService::setbacks>(link_->rpc, kManagerChannel,
                                                                     {.deadline = timeout_}));
}

bus::Result<std::string> ManagerLink::entity(const std::string& channel) {
  auto shown = answer_of(link_->loop, rpc::call<&entity::Entity::inspect>(link_->rpc, channel,
                                                                          {.deadline = timeout_}));
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
  return answer_of(link_->loop, rpc::call<&ManagerService::release>(
                                    link_->rpc, kManagerChannel, {.deadline = timeout_}, instance));
}

bus::Result<ShutdownReport> ManagerLink::shutdown_report() {
  return answer_of(link_->loop, rpc::call<&ManagerService::shutdown_report>(
                                    link_->rpc, kManagerChannel, {.deadline = timeout_}));
}

bus::Result<ShutdownReport> ManagerLink::shut_down(const std::string& reason) {
  return answer_of(link_->loop, rpc::call<&ManagerService::shutdown>(
                                    link_->rpc, kManagerChannel, {.deadline = timeout_}, reason));
}

}  // namespace starbus::bustop
