#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "daemon/admin/admin_access.hpp"
#include "daemon/admin/admin_http.hpp"
#include "daemon/config/config.hpp"

namespace boost::asio {
class io_context;
}

namespace starbus::daemon {

/// The [admin] table.
struct AdminConfig {
  std::string listen = "127.0.0.1:0";  // address:port; port 0 takes a free one
  bool allow_remote = false;  // allow a routable address: every client that reaches it may use it
  std::string socket;         // path of the unix socket; empty: none

  // Limits; not in the configuration file.
  std::size_t max_header = 8 * 1024;
  std::size_t max_body = 64 * 1024;
  std::size_t max_connections = 64;  // at the port, and as many at the socket
  std::size_t max_of_user = 32;      // of these, for a user who may not operate
  std::size_t max_of_stranger = 4;   // of these, for a user without a role
  std::size_t max_streams = 32;      // so that forgotten tails leave room for /metrics
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(30);
  std::chrono::milliseconds stall_timeout =
      std::chrono::minutes(5);  // for a stream that its client does not read
};

/// Reads `listen`, `allow_remote` and `socket` from `table`.
AdminConfig read_admin_config(ConfigReader& table, const std::string& default_listen);

/// A small HTTP/1.1 server for operators: JSON routes, /metrics, line streams, at a TCP port and at
/// a unix socket. Each route names the role that it needs, and each caller of the socket has the
/// role of its user and groups (AdminAccess). The port serves the routes that need none.
///
/// Owned by the thread of the loop, which must outlive it; routes run there, so they see the
/// daemon's state without locks and must be quick. A route that throws answers 500. Clients can
/// neither grow memory nor hold a connection for ever. Browsers of other sites are refused (Host
/// and Origin are checked). Unknown paths answer 404 with the list of routes. Every change that is
/// asked for is one line of the audit log.
class AdminServer {
 public:
  using Route = std::function<Response(const Request&)>;
  using AsyncRoute = std::function<void(const Request&, Reply)>;
  /// A response refuses the stream; nullopt starts it.
  using StreamRoute =
      std::function<std::optional<Response>(const Request&, std::shared_ptr<Stream>)>;

  /// Errc::bad_config for a bad or a routable address, Errc::io_error when it cannot be bound.
  static Result<std::unique_ptr<AdminServer>> listen(boost::asio::io_context& loop,
                                                     const AdminConfig& config,
                                                     AdminAccess access = {});
  ~AdminServer();

  /// GET and HEAD, for callers that have `role`. In all of these, a path that ends with '/' also
  /// serves the paths below it that have no route of their own.
  void get(std::string path, AdminRole role, Route route);
  /// For callers that may operate.
  void post(std::string path, Route route);
  /// For an answer that comes later; 504 if it does not come within the idle time-out.
  void get_async(std::string path, AdminRole role, AsyncRoute route);
  void post_async(std::string path, AsyncRoute route);
  /// GET: newline-delimited JSON as the route writes it.
  void stream(std::string path, AdminRole role, StreamRoute route);

  /// look() answers for this path, too. One that is not offered is for callers at the doors alone.
  void offer(std::string_view path);
  /// What a GET of this target answers to a caller of `role` who did not come by a door of this
  /// server, but over the bus. 403: the path is not offered there. 504: the route answers later.
  Response look(std::string_view target, AdminRole role) const;

  /// Callers have their roles by this from their next request on.
  void set_access(AdminAccess access);

  /// "127.0.0.1:9321", with the actual port.
  std::string address() const;
  /// "unix:///PATH", as HttpClient takes it; empty without a socket.
  std::string socket() const;
  std::uint16_t port() const;
  std::size_t connections() const;

  /// Ends all connections and streams and forgets the routes. The destructor calls it.
  void close();

 private:
  struct Shared;
  explicit AdminServer(std::shared_ptr<Shared> shared);
  std::shared_ptr<Shared> shared_;
};

}  // namespace starbus::daemon
