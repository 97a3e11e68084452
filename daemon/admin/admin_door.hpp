/// A listening socket of the admin server; only the admin server includes this.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "bus/io/socket.hpp"
#include "daemon/admin/admin_connection.hpp"
#include "daemon/config/endpoint.hpp"

namespace starbus::daemon {

/// Accepts clients at the TCP port or at the unix socket, each with connections of its own: who
/// fills one of them shuts nobody out of the other. Thread of the loop; keeps itself alive until
/// close().
class AdminDoor : public std::enable_shared_from_this<AdminDoor> {
 public:
  /// bad_config for an address that is not allowed, io_error if it cannot be bound.
  static Result<std::shared_ptr<AdminDoor>> tcp(boost::asio::io_context& loop,
                                                std::shared_ptr<AdminShared> shared);
  /// At `AdminConfig::socket`. Every process that reaches the file may connect: its role is decided
  /// per request. A file that nobody listens on is replaced; one in use is io_error.
  static Result<std::shared_ptr<AdminDoor>> unix_socket(boost::asio::io_context& loop,
                                                        std::shared_ptr<AdminShared> shared);

  /// "127.0.0.1:9321", with the actual port; "unix:///PATH".
  const std::string& address() const { return address_; }
  /// 0 for a unix socket.
  std::uint16_t port() const { return port_; }
  void close();

 private:
  using Protocol = boost::asio::generic::stream_protocol;

  AdminDoor(boost::asio::io_context& loop, std::shared_ptr<AdminShared> shared);
  void accept();
  void accept_later(boost::system::error_code error);
  void take(Protocol::socket socket);
  bool has_room(const AdminCaller& caller) const;

  boost::asio::basic_socket_acceptor<Protocol> acceptor_;
  boost::asio::steady_timer pause_;
  std::shared_ptr<AdminShared> shared_;
  bus::io::SocketFile file_;
  std::string address_;
  std::uint16_t port_ = 0;
};

/// Where [admin] listen may be: on loopback, or anywhere if allow_remote says so.
Result<Endpoint> check_admin_listen(const AdminConfig& config);

}  // namespace starbus::daemon
