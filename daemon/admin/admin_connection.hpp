/// One client of the admin server; only the admin server includes this.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "daemon/admin/admin_access.hpp"
#include "daemon/admin/admin_server.hpp"
#include "daemon/rate_limited.hpp"

namespace starbus::daemon {

class AdminConnection;
using Refusal = std::optional<Response>;

/// The other end of a connection.
struct AdminCaller {
  bool remote = false;            // came to the TCP port
  std::optional<AdminPeer> peer;  // of a unix socket
  std::string name;               // for people: "127.0.0.1", "uid 1000 (alice)"
};

/// The state that the server and its connections share. Connections add themselves.
struct AdminShared {
  struct Routes {
    AdminServer::AsyncRoute get;
    AdminServer::AsyncRoute post;
    AdminServer::StreamRoute stream;
    AdminRole role = AdminRole::operate;  // that GET needs; POST needs operate
    bool on_bus = false;                  // GET is answered over the bus, too
  };
  /// The routes of this path, else of its longest prefix that ends with '/'.
  const Routes* find_routes(std::string_view path) const;
  /// What the caller may do now: a reload of the configuration changes it.
  AdminRole role_of(const AdminCaller& caller) const;

  AdminConfig config;
  AdminAccess access;
  std::string key = {};      // of a PagePort; empty: the port is that of an AdminServer
  std::string address = {};  // of a PagePort: "127.0.0.1:9321"
  std::map<std::string, Routes, std::less<>> routes;
  std::set<AdminConnection*> connections;
  std::size_t streams = 0;
  RateLimited limited{1};  // log lines about malformed and refused requests, per caller
};

/// Reads requests one after the other and answers each before it reads the next. Thread of the
/// loop. Kept alive by its coroutine; ends with the client, at a time-out, at bytes that are not
/// HTTP, or by close().
class AdminConnection : public std::enable_shared_from_this<AdminConnection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  AdminConnection(Socket socket, AdminCaller caller, std::shared_ptr<AdminShared> shared);
  ~AdminConnection();
  /// Begins to read; the loop keeps it alive from then on.
  void start();
  void close();
  const AdminCaller& caller() const { return caller_; }

 private:
  using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
  using HttpParser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  template <class T = void>
  using Awaitable = boost::asio::awaitable<T>;
  enum class After { keep, close };

  Awaitable<> run();
  Awaitable<> refuse(boost::system::error_code error);
  Awaitable<After> answer(const HttpRequest& message);
  /// What the caller may do with this request.
  AdminRole role_of(const HttpRequest& message) const;
  /// Why a caller with this role may not have the path; `routes` are those of the path, null if it
  /// has none.
  Refusal check(const std::string& path, AdminRole has, const AdminShared::Routes* routes,
                bool post);
  /// One line about a request at a PagePort that was not served, not more than one a second.
  void note_refused(const HttpRequest& message, const Response& response);
  bool at_page() const { return caller_.remote && !shared_->key.empty(); }
  void audit(const HttpRequest& message, const Response& response) const;
  Awaitable<Response> call(const AdminServer::AsyncRoute& route, const Request& request);
  Awaitable<After> stream(const AdminServer::StreamRoute& route, const Request& request);
  Awaitable<bool> send_stream_header();
  Awaitable<> send_lines();
  Awaitable<bool> wait_for_lines();
  Awaitable<> watch_client();
  Awaitable<After> send(const Response& response, const HttpRequest* request);
  Awaitable<> linger();

  // Every wait of this class is one of these, since each asynchronous call is costly to compile.
  Awaitable<boost::system::error_code> read_request(HttpParser& parser);
  Awaitable<boost::system::error_code> write(std::string_view text,
                                             std::chrono::milliseconds patience);
  Awaitable<boost::system::error_code> discard_some();
  Awaitable<> wait_until_woken(boost::asio::steady_timer::time_point latest);

  boost::beast::basic_stream<boost::asio::generic::stream_protocol> stream_;
  const AdminCaller caller_;
  boost::beast::flat_buffer buffer_;
  boost::asio::steady_timer wake_;
  std::shared_ptr<AdminShared> shared_;
  std::shared_ptr<Stream::State> lines_;  // while this connection is a stream
  bool closed_ = false;
};

}  // namespace starbus::daemon
