#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bus/core/error.hpp"
#include "daemon/admin/admin_http.hpp"
#include "daemon/admin/admin_server.hpp"

namespace boost::asio {
class io_context;
}

namespace starbus::daemon {

/// Where a PagePort listens, and what it bears.
struct PagePortConfig {
  std::string listen = "127.0.0.1:0";  // on loopback; port 0 takes a free one
  std::size_t max_body = 4096;         // bytes of a request; beyond: 413
};

/// A TCP port on loopback with a page for operators, for programs that show one. It is no part of
/// the admin server, whose port serves metrics and health alone.
///
/// A file of the page is served to anybody on this machine; all else to those who know the key
/// ("Authorization: Bearer KEY", compared in constant time). Requests under another Host than the
/// address of the port, or of another Origin than its page's, are refused (403), so that no web
/// site reads or orders anything. What is not served is logged, at most once a second for each
/// address; each POST that a route has taken is one line of the audit log. Connections, headers
/// and waits are bounded as those of the admin server.
///
/// Owned by the thread of the loop, which must outlive it; routes run there.
class PagePort {
 public:
  using Route = std::function<Response(const Request&)>;

  /// `key` is a secret that nobody can guess, and is not empty. bad_config: no key, or an address
  /// that is not on loopback; io_error: it cannot be bound.
  static Result<std::unique_ptr<PagePort>> listen(boost::asio::io_context& loop,
                                                  const PagePortConfig& config, std::string key);
  ~PagePort();
  PagePort(const PagePort&) = delete;
  PagePort& operator=(const PagePort&) = delete;

  /// GET and HEAD, for anybody: nothing in it may be a secret.
  void file(std::string path, Route route);
  /// GET and HEAD, with the key.
  void get(std::string path, Route route);
  /// With the key.
  void post(std::string path, Route route);

  /// "127.0.0.1:9321", with the actual port.
  const std::string& address() const;
  /// Ends all connections and forgets the routes. The destructor calls it.
  void close();

 private:
  struct State;
  explicit PagePort(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace starbus::daemon
