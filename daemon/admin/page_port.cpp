#include "daemon/admin/page_port.hpp"

#include <boost/asio/io_context.hpp>
#include <utility>

#include "daemon/admin/admin_connection.hpp"
#include "daemon/admin/admin_door.hpp"

namespace starbus::daemon {
namespace {

AdminServer::AsyncRoute at_once(PagePort::Route route) {
  return [route = std::move(route)](const Request& request, const Reply& reply) {
    reply(route(request));
  };
}

}  // namespace

struct PagePort::State {
  std::shared_ptr<AdminShared> shared = std::make_shared<AdminShared>();
  std::shared_ptr<AdminDoor> door;
};

PagePort::PagePort(std::unique_ptr<State> state) : state_(std::move(state)) {}
PagePort::~PagePort() {
  close();
}

Result<std::unique_ptr<PagePort>> PagePort::listen(boost::asio::io_context& loop,
                                                   const PagePortConfig& config, std::string key) {
  if (key.empty()) return Error(bus::Errc::bad_config, "a port with a page needs a key");
  auto state = std::make_unique<State>();
  state->shared->config.listen = config.listen;
  state->shared->config.max_body = config.max_body;
  state->shared->key = std::move(key);
  auto door = AdminDoor::tcp(loop, state->shared);
  if (!door) return door.error();
  state->door = std::move(*door);
  state->shared->address = state->door->address();
  return std::unique_ptr<PagePort>(new PagePort(std::move(state)));
}

void PagePort::file(std::string path, Route route) {
  AdminShared::Routes& routes = state_->shared->routes[std::move(path)];
  routes.get = at_once(std::move(route));
  routes.role = AdminRole::none;
}

void PagePort::get(std::string path, Route route) {
  AdminShared::Routes& routes = state_->shared->routes[std::move(path)];
  routes.get = at_once(std::move(route));
  routes.role = AdminRole::operate;
}

void PagePort::post(std::string path, Route route) {
  state_->shared->routes[std::move(path)].post = at_once(std::move(route));
}

const std::string& PagePort::address() const {
  return state_->door->address();
}

void PagePort::close() {
  state_->door->close();
  state_->shared->routes.clear();
  // A connection leaves the set when its coroutine ends, which is later, on the loop.
  for (AdminConnection* connection : state_->shared->connections) connection->close();
}

}  // namespace starbus::daemon
