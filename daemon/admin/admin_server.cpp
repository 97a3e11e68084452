#include "daemon/admin/admin_server.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <stdexcept>
#include <utility>

#include "daemon/admin/admin_connection.hpp"
#include "daemon/config/endpoint.hpp"

namespace starbus::daemon {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

Result<tcp::endpoint> parse_listen(const AdminConfig& config) {
  const auto endpoint = parse_endpoint(config.listen);
  if (!endpoint) return endpoint.error();
  const std::string& host = endpoint->host == "localhost" ? "127.0.0.1" : endpoint->host;
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (error) return Error(bus::Errc::bad_config, "'" + endpoint->host + "' is not an address");
  if (!address.is_loopback() && !config.allow_remote) {
    return Error(bus::Errc::bad_config,
                 "'" + config.listen +
                     "' is not on loopback: every client that reaches it may use "
                     "the admin server; set allow_remote = true to allow that");
  }
  return tcp::endpoint(address, endpoint->port);
}

void refuse_connection(tcp::socket& socket) {
  constexpr std::string_view kRefusal =
      "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: application/json\r\n"
      "Content-Length: 33\r\n\r\n{\"error\":\"too many connections\"}\n";
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(kRefusal), ignored);  // lost if it does not fit at once
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

}  // namespace

AdminConfig read_admin_config(ConfigReader table, const std::string& default_listen) {
  AdminConfig config;
  config.listen = table.string("listen", default_listen);
  config.allow_remote = table.boolean("allow_remote", config.allow_remote);
  if (const auto parsed = parse_listen(config); !parsed) {
    table.problem("listen", parsed.error().detail);
  }
  return config;
}

/// Accepts; keeps itself alive until it is closed.
struct AdminServer::Shared : std::enable_shared_from_this<Shared> {
  explicit Shared(asio::io_context& context)
      : loop(context), acceptor(context), pause(context), common(std::make_shared<AdminShared>()) {}

  void accept() {
    acceptor.async_accept([self = shared_from_this()](error_code error, tcp::socket socket) {
      if (!self->acceptor.is_open()) return;
      if (error) return self->accept_later(error);
      self->take(std::move(socket));
      self->accept();
    });
  }

  // Mostly "too many open files": an attempt at once would fail again.
  void accept_later(error_code error) {
    spdlog::warn("admin server cannot accept: {}", error.message());
    pause.expires_after(std::chrono::seconds(1));
    pause.async_wait([self = shared_from_this()](error_code) {
      if (self->acceptor.is_open()) self->accept();
    });
  }

  void take(tcp::socket socket) {
    common->garbage.sweep();
    if (common->connections.size() >= common->config.max_connections) {
      return refuse_connection(socket);
    }
    error_code ignored;
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    socket.set_option(tcp::no_delay(true), ignored);
    std::make_shared<AdminConnection>(std::move(socket), common)->start();
  }

  asio::io_context& loop;
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  tcp::endpoint local;
  std::shared_ptr<AdminShared> common;
};

AdminServer::AdminServer(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
AdminServer::~AdminServer() {
  close();
}

Result<std::unique_ptr<AdminServer>> AdminServer::listen(asio::io_context& loop,
                                                         const AdminConfig& config) {
  const auto endpoint = parse_listen(config);
  if (!endpoint) return endpoint.error();
  auto shared = std::make_shared<Shared>(loop);
  shared->common->config = config;
  error_code error;
  shared->acceptor.open(endpoint->protocol(), error);
  if (!error) shared->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) shared->acceptor.bind(*endpoint, error);
  if (!error) shared->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) shared->local = shared->acceptor.local_endpoint(error);
  if (error) {
    return Error(bus::Errc::io_error, "admin server on " + config.listen + ": " + error.message());
  }
  shared->accept();
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(shared)));
}

void AdminServer::get(std::string path, Route route) {
  get_async(std::move(path),
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

void AdminServer::get_async(std::string path, AsyncRoute route) {
  AdminShared::Routes& routes = shared_->common->routes[std::move(path)];
  if (routes.get || routes.stream) throw std::logic_error("two GET routes for one path");
  routes.get = std::move(route);
}

void AdminServer::post_async(std::string path, AsyncRoute route) {
  AdminShared::Routes& routes = shared_->common->routes[std::move(path)];
  if (routes.post) throw std::logic_error("two POST routes for one path");
  routes.post = std::move(route);
}

void AdminServer::stream(std::string path, StreamRoute route) {
  AdminShared::Routes& routes = shared_->common->routes[std::move(path)];
  if (routes.get || routes.stream) throw std::logic_error("two GET routes for one path");
  routes.stream = std::move(route);
}

std::string AdminServer::address() const {
  return Endpoint{shared_->local.address().to_string(), shared_->local.port()}.to_string();
}
std::uint16_t AdminServer::port() const {
  return shared_->local.port();
}
std::size_t AdminServer::connections() const {
  return shared_->common->connections.size();
}

void AdminServer::close() {
  error_code ignored;
  shared_->acceptor.close(ignored);
  shared_->pause.cancel();
  shared_->common->routes.clear();
  // A connection leaves the set when its coroutine ends, which is later, on the loop.
  for (AdminConnection* connection : shared_->common->connections) connection->close();
}

}  // namespace starbus::daemon
