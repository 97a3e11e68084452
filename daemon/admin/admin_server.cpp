#include "daemon/admin/admin_server.hpp"

#include <cassert>

#include <boost/asio/io_context.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bus/io/endpoint.hpp"
#include "daemon/admin/admin_connection.hpp"
#include "daemon/admin/admin_door.hpp"
#include "daemon/admin/admin_guard.hpp"

namespace starbus::daemon {

namespace asio = boost::asio;

AdminConfig read_admin_config(ConfigReader& table, const std::string& default_listen) {
  AdminConfig config;
  config.listen = table.string("listen", default_listen);
  config.allow_remote = table.boolean("allow_remote", config.allow_remote);
  config.socket = table.string("socket", "");
  if (const auto checked = check_admin_listen(config); !checked) {
    table.problem("listen", checked.error().detail);
  }
  if (config.socket.empty()) return config;
  if (const auto checked = bus::io::parse_endpoint("unix://" + config.socket); !checked) {
    table.problem("socket", checked.error().to_string());
  }
  return config;
}

struct AdminServer::Shared {
  std::shared_ptr<AdminShared> common = std::make_shared<AdminShared>();
  std::shared_ptr<AdminDoor> port;
  std::shared_ptr<AdminDoor> socket;  // null: none
};

AdminServer::AdminServer(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
AdminServer::~AdminServer() {
  close();
}

Result<std::unique_ptr<AdminServer>> AdminServer::listen(asio::io_context& loop,
                                                         const AdminConfig& config,
                                                         AdminAccess access) {
  auto shared = std::make_shared<Shared>();
  shared->common->config = config;
  shared->common->access = std::move(access);
  // Before the doors open: it closes the first if the second cannot be opened.
  std::unique_ptr<AdminServer> server(new AdminServer(shared));
  auto port = AdminDoor::tcp(loop, shared->common);
  if (!port) return port.error();
  shared->port = std::move(*port);
  if (config.socket.empty()) return server;
  auto socket = AdminDoor::unix_socket(loop, shared->common);
  if (!socket) return socket.error();
  shared->socket = std::move(*socket);
  return server;
}

void AdminServer::get(std::string path, AdminRole role, Route route) {
  get_async(std::move(path), role,
            [route = std::move(route)](const Request& request, const Reply& reply) {
              reply(route(request));
            });
}

void AdminServer::post(std::string path, Route route) {
  post_async(std::move(path),
             [route = std::move(route)](const Request& request, const Reply& reply) {
               reply(route(request));
             });
}

void AdminServer::get_async(std::string path, AdminRole role, AsyncRoute route) {
  AdminShared::Routes& routes = shared_->common->routes[std::move(path)];
  if (routes.get || routes.stream) throw std::logic_error("two GET routes for one path");
  routes.get = std::move(route);
  routes.role = role;
}

void AdminServer::post_async(std::string path, AsyncRoute route) {
  AdminShared::Routes& routes = shared_->common->routes[std::move(path)];
  if (routes.post) throw std::logic_error("two POST routes for one path");
  routes.post = std::move(route);
}

void AdminServer::stream(std::string path, AdminRole role, StreamRoute route) {
  AdminShared::Routes& routes = shared_->common->routes[std::move(path)];
  if (routes.get || routes.stream) throw std::logic_error("two GET routes for one path");
  routes.stream = std::move(route);
  routes.role = role;
}

void AdminServer::offer(std::string_view path) {
  const auto found = shared_->common->routes.find(path);
  assert(found != shared_->common->routes.end() && found->second.get);
  found->second.on_bus = true;
}

Response AdminServer::look(std::string_view text, AdminRole role) const {
  const auto target = parse_target(text);
  if (!target) {
    return Response::error(400, "the target is not a path with percent-encoded parameters");
  }
  const AdminShared::Routes* const routes = shared_->common->find_routes(target->path);
  if (routes == nullptr) return no_such_path(target->path, shared_->common->routes);
  if (!routes->get) return wrong_method(*routes);
  if (!routes->on_bus) {
    return Response::error(403, "this path is not answered over the bus; ask the admin socket");
  }
  if (role < routes->role) return role_missing(routes->role, role, "the bus");
  const auto answer = std::make_shared<std::optional<Response>>();
  const Request request{"GET", target->path, target->query, {}, role};
  auto failure = guarded([&] {
    routes->get(request, [answer](Response response) {
      if (!*answer) *answer = std::move(response);
    });
  });
  if (failure) return std::move(*failure);
  if (*answer) return std::move(**answer);
  return Response::error(504, "this path answers later; ask it at the admin socket");
}

void AdminServer::set_access(AdminAccess access) {
  shared_->common->access = std::move(access);
}

std::string AdminServer::address() const {
  return shared_->port->address();
}
std::string AdminServer::socket() const {
  return shared_->socket ? shared_->socket->address() : "";
}
std::uint16_t AdminServer::port() const {
  return shared_->port->port();
}
std::size_t AdminServer::connections() const {
  return shared_->common->connections.size();
}

void AdminServer::close() {
  for (const auto& door : {shared_->port, shared_->socket}) {
    if (door) door->close();
  }
  shared_->common->routes.clear();
  // A connection leaves the set when its coroutine ends, which is later, on the loop.
  for (AdminConnection* connection : shared_->common->connections) connection->close();
}

}  // namespace starbus::daemon
