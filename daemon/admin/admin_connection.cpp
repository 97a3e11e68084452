#include "daemon/admin/admin_connection.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <sstream>
#include <utility>

#include "daemon/admin/admin_guard.hpp"
#include "daemon/admin/admin_stream.hpp"
#include "daemon/logging.hpp"

namespace starbus::daemon {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

// The status for the client; 0 if the client has left.
unsigned status_of(const error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::end_of_stream || error == http::error::partial_message) return 0;
  return error.category() == http::make_error_code(http::error::bad_method).category() ? 400 : 0;
}

}  // namespace

const AdminShared::Routes* AdminShared::find_routes(std::string_view path) const {
  auto found = routes.find(path);
  while (found == routes.end()) {
    const std::size_t slash = path.rfind('/', path.size() - 2);
    if (path.size() < 2 || slash == std::string_view::npos) return nullptr;
    path = path.substr(0, slash + 1);
    found = routes.find(path);
  }
  return &found->second;
}

AdminRole AdminShared::role_of(const AdminCaller& caller) const {
  return caller.peer ? access.role_of(*caller.peer) : AdminRole::none;
}

AdminConnection::AdminConnection(Socket socket, AdminCaller caller,
                                 std::shared_ptr<AdminShared> shared)
    : stream_(std::move(socket)),
      caller_(std::move(caller)),
      // Beast wants the whole header in the buffer, and reads a little of the body with it.
      buffer_(2 * shared->config.max_header),
      wake_(stream_.get_executor()),
      shared_(std::move(shared)) {
  shared_->connections.insert(this);
}

AdminConnection::~AdminConnection() {
  shared_->connections.erase(this);
}

void AdminConnection::start() {
  // The handler only keeps this object alive; exceptions of routes are caught where they are
  // called.
  asio::co_spawn(stream_.get_executor(), run(),
                 [self = shared_from_this()](const std::exception_ptr&) {});
}

void AdminConnection::close() {
  closed_ = true;
  if (lines_) lines_->on_close = nullptr;  // its owner may be destroyed before the loop runs again
  wake_.cancel();
  stream_.close();
}

AdminConnection::Awaitable<> AdminConnection::run() {
  error_code error;
  while (!closed_) {
    HttpParser parser;
    error = co_await read_request(parser);
    if (error) {
      co_await refuse(error);
      break;
    }
    const After after = co_await answer(parser.get());
    if (after == After::close) break;
  }
  // The client sees an orderly end; bytes that it still sends are ignored.
  if (!closed_) stream_.socket().shutdown(asio::socket_base::shutdown_send, error);
  stream_.close();
}

AdminConnection::Awaitable<> AdminConnection::refuse(error_code error) {
  const unsigned status = status_of(error);
  if (closed_ || status == 0) co_return;
  if (shared_->limited.allow(caller_.name)) {
    spdlog::warn("admin server: {} sent a malformed request: {}", caller_.name, error.message());
  }
  const Response response = Response::error(status, error.message());
  co_await send(response, nullptr);
  co_await linger();
}

// Closing a socket with unread bytes resets the connection, and the client could lose the answer.
AdminConnection::Awaitable<> AdminConnection::linger() {
  error_code error;
  stream_.socket().shutdown(asio::socket_base::shutdown_send, error);
  stream_.expires_after(std::chrono::seconds(1));
  for (int i = 0; i < 256 && !error; ++i) error = co_await discard_some();
}

AdminConnection::Awaitable<AdminConnection::After> AdminConnection::answer(
    const HttpRequest& message) {
  Response response;
  const auto target = parse_target({message.target().data(), message.target().size()});
  const Refusal refusal = at_page() ? guard_page(message, shared_->address)
                                    : guard(message, shared_->config.allow_remote);
  const bool post = message.method() == http::verb::post;
  const bool get = message.method() == http::verb::get || message.method() == http::verb::head;
  if (refusal) {
    response = *refusal;
  } else if (!target) {
    response = Response::error(400, "the target is not a path with percent-encoded parameters");
  } else {
    // A copy, because close() forgets the routes while this coroutine waits.
    const AdminShared::Routes* found = shared_->find_routes(target->path);
    const AdminShared::Routes routes = found == nullptr ? AdminShared::Routes{} : *found;
    const Request request{post ? "POST" : "GET", target->path, target->query, message.body(),
                          role_of(message)};
    if (const Refusal unauthorised = check(target->path, request.role, found, post)) {
      response = *unauthorised;
    } else if (found == nullptr) {
      response = no_such_path(target->path, shared_->routes);
    } else if (post && routes.post) {
      response = co_await call(routes.post, request);
      audit(message, response);
    } else if (get && routes.get) {
      response = co_await call(routes.get, request);
    } else if (message.method() == http::verb::get && routes.stream) {
      if (message.version() >= 11) co_return co_await stream(routes.stream, request);
      response = Response::error(505, "a stream needs HTTP/1.1");
    } else if (get && routes.stream) {
      response.content_type = kStreamType;  // HEAD
    } else {
      response = wrong_method(routes);
    }
  }
  if (at_page() && response.status >= 400) note_refused(message, response);
  co_return co_await send(response, &message);
}

AdminRole AdminConnection::role_of(const HttpRequest& message) const {
  if (!caller_.remote) return shared_->role_of(caller_);
  return has_key(message, shared_->key) ? AdminRole::operate : AdminRole::none;
}

Refusal AdminConnection::check(const std::string& path, AdminRole has,
                               const AdminShared::Routes* routes, bool post) {
  const bool for_anybody = routes != nullptr && routes->role == AdminRole::none && !post;
  if (for_anybody) return std::nullopt;
  if (at_page()) return has == AdminRole::none ? Refusal(key_missing()) : std::nullopt;
  if (caller_.remote) return not_on_this_port(path, shared_->config);
  const AdminRole any = AdminRole::observe;  // also to learn which paths there are
  const AdminRole needed = post ? AdminRole::operate : routes == nullptr ? any : routes->role;
  if (has >= needed) return std::nullopt;
  if (shared_->limited.allow(caller_.name)) {
    spdlog::warn("admin server: refused {} {} of {}, which has the role {}", post ? "POST" : "GET",
                 path, caller_.name, name_of(has));
  }
  return role_missing(needed, has, caller_.name);
}

void AdminConnection::note_refused(const HttpRequest& message, const Response& response) {
  if (!shared_->limited.allow(caller_.name)) return;
  constexpr std::size_t kShown = 120;  // a body may list all paths
  std::string why = response.body.substr(0, kShown);
  if (why.ends_with('\n')) why.pop_back();
  spdlog::warn("admin server: refused {} {} of {}: {}: {}", std::string(message.method_string()),
               std::string(message.target()), caller_.name, response.status, why);
}

/// The target as it came: Beast refuses control characters in it.
void AdminConnection::audit(const HttpRequest& message, const Response& response) const {
  const std::string pid = caller_.peer ? std::to_string(caller_.peer->pid) : "unknown";
  log_audit(caller_.name + " pid " + pid + ": POST " + std::string(message.target()) + ": " +
            std::to_string(response.status));
}

AdminConnection::Awaitable<Response> AdminConnection::call(const AdminServer::AsyncRoute& route,
                                                           const Request& request) {
  const auto answer = std::make_shared<std::optional<Response>>();
  const Reply reply = [held = std::weak_ptr(answer), weak = weak_from_this()](Response response) {
    const auto place = held.lock();
    const auto self = weak.lock();
    if (!place || !self || place->has_value()) return;
    *place = std::move(response);
    self->wake_.cancel();
  };
  if (auto failure = guarded([&] { route(request, reply); })) *answer = std::move(*failure);
  if (!*answer) {
    co_await wait_until_woken(asio::steady_timer::clock_type::now() + shared_->config.idle_timeout);
  }
  if (!*answer) *answer = Response::error(504, "no answer within the time limit");
  co_return std::move(**answer);
}

AdminConnection::Awaitable<AdminConnection::After> AdminConnection::send(
    const Response& response, const HttpRequest* request) {
  if (closed_) co_return After::close;
  http::response<http::string_body> message(static_cast<http::status>(response.status), 11);
  set_common_fields(message, response.content_type);
  message.keep_alive(request != nullptr && request->keep_alive());
  for (const auto& [name, value] : response.headers) message.set(name, value);
  message.body() = response.body;
  message.prepare_payload();
  std::ostringstream text;
  if (request != nullptr && request->method() == http::verb::head) {
    text << message.base();
  } else {
    text << message;
  }
  const error_code error = co_await write(text.view(), shared_->config.idle_timeout);
  co_return !error && message.keep_alive() ? After::keep : After::close;
}

AdminConnection::Awaitable<error_code> AdminConnection::read_request(HttpParser& parser) {
  error_code error;
  parser.header_limit(static_cast<std::uint32_t>(shared_->config.max_header));
  parser.body_limit(shared_->config.max_body);
  stream_.expires_after(shared_->config.idle_timeout);
  co_await http::async_read(stream_, buffer_, parser,
                            asio::redirect_error(asio::use_awaitable, error));
  co_return error;
}

AdminConnection::Awaitable<error_code> AdminConnection::write(std::string_view text,
                                                              std::chrono::milliseconds patience) {
  error_code error;
  stream_.expires_after(patience);
  co_await asio::async_write(stream_, asio::const_buffer(text.data(), text.size()),
                             asio::redirect_error(asio::use_awaitable, error));
  co_return error;
}

AdminConnection::Awaitable<error_code> AdminConnection::discard_some() {
  error_code error;
  char discarded[4096];
  co_await stream_.async_read_some(asio::mutable_buffer(discarded, sizeof discarded),
                                   asio::redirect_error(asio::use_awaitable, error));
  co_return error;
}

AdminConnection::Awaitable<> AdminConnection::wait_until_woken(
    asio::steady_timer::time_point latest) {
  error_code error;
  wake_.expires_at(latest);
  co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, error));
}

}  // namespace starbus::daemon
