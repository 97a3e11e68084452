#include "daemon/admin/admin_door.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <cstring>
#include <utility>

namespace starbus::daemon {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr unsigned kSocketMode = 0666;

void refuse_connection(asio::generic::stream_protocol::socket& socket) {
  constexpr std::string_view kRefusal =
      "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: application/json\r\n"
      "Content-Length: 33\r\n\r\n{\"error\":\"too many connections\"}\n";
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(kRefusal), ignored);  // lost if it does not fit at once
  socket.shutdown(asio::socket_base::shutdown_send, ignored);
}

template <class To>
To endpoint_of(const asio::generic::stream_protocol::endpoint& from) {
  To to;
  to.resize(from.size());
  std::memcpy(to.data(), from.data(), from.size());
  return to;
}

}  // namespace

Result<Endpoint> check_admin_listen(const AdminConfig& config) {
  auto endpoint = parse_endpoint(config.listen);
  if (!endpoint) return endpoint.error();
  if (endpoint->host == "localhost") endpoint->host = "127.0.0.1";
  error_code error;
  const auto address = asio::ip::make_address(endpoint->host, error);
  if (error) return Error(bus::Errc::bad_config, "'" + endpoint->host + "' is not an address");
  if (!address.is_loopback() && !config.allow_remote) {
    return Error(bus::Errc::bad_config,
                 "'" + config.listen +
                     "' is not on loopback: every client that reaches it may read the metrics; "
                     "set allow_remote = true to allow that");
  }
  return endpoint;
}

AdminDoor::AdminDoor(asio::io_context& loop, std::shared_ptr<AdminShared> shared)
    : acceptor_(loop), pause_(loop), shared_(std::move(shared)) {}

Result<std::shared_ptr<AdminDoor>> AdminDoor::tcp(asio::io_context& loop,
                                                  std::shared_ptr<AdminShared> shared) {
  const AdminConfig& config = shared->config;
  const auto endpoint = check_admin_listen(config);
  if (!endpoint) return endpoint.error();
  const asio::ip::tcp::endpoint at(asio::ip::make_address(endpoint->host), endpoint->port);
  const std::shared_ptr<AdminDoor> door(new AdminDoor(loop, std::move(shared)));
  error_code error;
  door->acceptor_.open(at.protocol(), error);
  if (!error) door->acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) door->acceptor_.bind(at, error);
  if (!error) door->acceptor_.listen(asio::socket_base::max_listen_connections, error);
  const auto bound = error ? Protocol::endpoint() : door->acceptor_.local_endpoint(error);
  if (error) {
    return Error(bus::Errc::io_error, "admin server on " + config.listen + ": " + error.message());
  }
  const auto local = endpoint_of<asio::ip::tcp::endpoint>(bound);
  door->port_ = local.port();
  door->address_ = Endpoint{local.address().to_string(), local.port()}.to_string();
  door->accept();
  return door;
}

Result<std::shared_ptr<AdminDoor>> AdminDoor::unix_socket(asio::io_context& loop,
                                                          std::shared_ptr<AdminShared> shared) {
  const auto endpoint = bus::io::parse_endpoint("unix://" + shared->config.socket);
  if (!endpoint) return endpoint.error();
  auto socket = bus::io::listen_socket(*endpoint, {.mode = kSocketMode, .group = {}});
  if (!socket) {
    return Error(socket.error().code, "admin socket: " + socket.error().detail);
  }
  const std::shared_ptr<AdminDoor> door(new AdminDoor(loop, std::move(shared)));
  error_code error;
  door->acceptor_.assign(Protocol(AF_UNIX, 0), socket->fd.release(), error);
  if (error) return Error(bus::Errc::io_error, "admin socket: " + error.message());
  door->file_ = std::move(socket->file);
  door->address_ = endpoint->to_string();
  door->accept();
  return door;
}

void AdminDoor::close() {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  file_.remove();
}

void AdminDoor::accept() {
  acceptor_.async_accept([self = shared_from_this()](error_code error, Protocol::socket socket) {
    if (!self->acceptor_.is_open()) return;
    if (error) return self->accept_later(error);
    self->take(std::move(socket));
    self->accept();
  });
}

// Mostly "too many open files": an attempt at once would fail again.
void AdminDoor::accept_later(error_code error) {
  spdlog::warn("admin server cannot accept: {}", error.message());
  pause_.expires_after(std::chrono::seconds(1));
  pause_.async_wait([self = shared_from_this()](error_code) {
    if (self->acceptor_.is_open()) self->accept();
  });
}

void AdminDoor::take(Protocol::socket socket) {
  shared_->limited.sweep();
  AdminCaller caller;
  caller.remote = port_ != 0;
  error_code ignored;
  if (caller.remote) {
    const auto peer = socket.remote_endpoint(ignored);
    caller.name = endpoint_of<asio::ip::tcp::endpoint>(peer).address().to_string();
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  } else {
    caller.peer = admin_peer_of(socket.native_handle());
    caller.name = caller.peer ? "uid " + shared_->access.user_text(caller.peer->uid)
                              : "a process that the kernel does not name";
  }
  if (!has_room(caller)) return refuse_connection(socket);
  std::make_shared<AdminConnection>(std::move(socket), std::move(caller), shared_)->start();
}

/// A user without the role operate cannot fill the door by itself.
bool AdminDoor::has_room(const AdminCaller& caller) const {
  std::size_t all = 0;
  std::size_t of_user = 0;
  for (const AdminConnection* connection : shared_->connections) {
    const AdminCaller& other = connection->caller();
    if (other.remote != caller.remote) continue;
    ++all;
    if (other.peer && caller.peer && other.peer->uid == caller.peer->uid) ++of_user;
  }
  if (all >= shared_->config.max_connections) return false;
  if (caller.remote) return true;
  const AdminRole role = shared_->role_of(caller);
  if (role == AdminRole::operate) return true;
  return of_user <
         (role == AdminRole::none ? shared_->config.max_of_stranger : shared_->config.max_of_user);
}

}  // namespace starbus::daemon
