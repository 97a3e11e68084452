#include "daemon/admin/http_client.hpp"

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "bus/io/endpoint.hpp"

namespace starbus::daemon {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

using Stream = beast::basic_stream<asio::generic::stream_protocol>;
using HttpRequest = http::request<http::string_body>;
using OnLine = std::function<bool(std::string_view)>;

// The state of one request; on the stack of the blocking call.
struct Exchange {
  std::string socket;  // empty: endpoint
  Endpoint endpoint;
  std::chrono::milliseconds timeout;
  HttpRequest request;
  const OnLine* on_line = nullptr;  // null: the whole body is the result

  std::string where() const { return socket.empty() ? endpoint.to_string() : "unix://" + socket; }
};

Error to_error(const Exchange& exchange, const error_code& error, bool connected) {
  const std::string text = exchange.where() + ": " + error.message();
  if (error == beast::error::timeout)
    return {bus::Errc::deadline, exchange.where() + ": no answer"};
  if (error == http::error::body_limit) return {bus::Errc::too_large, text};
  const bool ended = error == http::error::end_of_stream || error == http::error::partial_message;
  if (connected && ended) return {bus::Errc::unreachable, exchange.where() + ": connection lost"};
  if (!connected && error == boost::system::errc::permission_denied) {
    return {bus::Errc::denied, text + ": this user may not open the socket"};
  }
  const auto& http_errors = http::make_error_code(http::error::bad_method).category();
  return {error.category() == http_errors ? bus::Errc::bad_bytes : bus::Errc::unreachable, text};
}

/// Other words only repeat the HTTP status.
bool is_error_of_the_bus(std::string_view word) {
  return std::ranges::any_of(bus::kErrors.errors,
                             [&](const ErrorInfo& info) { return info.name == word; });
}

// The reason is in {"error", "detail"}; without one, only the status is known.
Error refused(const http::response<http::string_body>& response) {
  std::string text = std::to_string(response.result_int()).append(" ").append(response.reason());
  const auto body = nlohmann::json::parse(response.body(), nullptr, false);
  for (const char* key : {"error", "detail"}) {
    if (!body.is_object() || !body.contains(key) || !body[key].is_string()) break;
    const auto part = body[key].get<std::string>();
    const bool repeats =
        key == std::string_view("error") && body.contains("detail") && !is_error_of_the_bus(part);
    if (!part.empty() && !repeats) text.append(": ").append(part);
  }
  return {bus::Errc::handler_failed, text};
}

// Cuts a byte stream into lines; false if the reader wants no more.
class Lines {
 public:
  explicit Lines(const OnLine& on_line) : on_line_(on_line) {}
  bool add(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      partial_.append(bytes.substr(0, end));
      if (end == std::string_view::npos) return true;
      bytes.remove_prefix(end + 1);
      if (!on_line_(std::exchange(partial_, {}))) return false;
    }
    return true;
  }
  bool too_long() const { return partial_.size() > HttpClient::kMaxLine; }

 private:
  const OnLine& on_line_;
  std::string partial_;
};

std::vector<asio::generic::stream_protocol::endpoint> addresses_of(const Exchange& exchange,
                                                                   asio::io_context& loop,
                                                                   error_code& error) {
  if (!exchange.socket.empty()) return {asio::local::stream_protocol::endpoint(exchange.socket)};
  tcp::resolver resolver(loop);
  // Endpoints are addresses or localhost: no name server is asked.
  std::vector<asio::generic::stream_protocol::endpoint> all;
  for (const auto& found :
       resolver.resolve(exchange.endpoint.host, std::to_string(exchange.endpoint.port), error)) {
    all.emplace_back(found.endpoint());
  }
  return all;
}

asio::awaitable<error_code> connect(Stream& stream, const Exchange& exchange,
                                    asio::io_context& loop) {
  error_code error;
  for (const auto& address : addresses_of(exchange, loop, error)) {
    error_code ignored;
    stream.socket().close(ignored);  // of the one before
    co_await stream.async_connect(address, asio::redirect_error(asio::use_awaitable, error));
    if (!error || error == beast::error::timeout) break;
  }
  co_return error;
}

asio::awaitable<Result<std::string>> read_lines(Stream& stream, beast::flat_buffer& buffer,
                                                http::response_parser<http::string_body>& header,
                                                const Exchange& exchange) {
  http::response_parser<http::buffer_body> parser(std::move(header));
  parser.body_limit(boost::none);
  Lines lines(*exchange.on_line);
  char part[16 * 1024];
  stream.expires_never();
  while (!parser.is_done()) {
    parser.get().body().data = part;
    parser.get().body().size = sizeof part;
    parser.get().body().more = true;
    error_code error;
    co_await http::async_read_some(stream, buffer, parser,
                                   asio::redirect_error(asio::use_awaitable, error));
    if (error == http::error::need_buffer) error = {};
    const std::size_t size = sizeof part - parser.get().body().size;
    if (!lines.add({part, size})) co_return std::string();
    if (error) co_return to_error(exchange, error, true);
    if (lines.too_long())
      co_return Error(bus::Errc::too_large, exchange.where() + ": endless line");
  }
  co_return std::string();
}

asio::awaitable<Result<std::string>> run(const Exchange& exchange, asio::io_context& loop) {
  Stream stream(loop);
  stream.expires_after(exchange.timeout);  // for connect, write and read together
  error_code error = co_await connect(stream, exchange, loop);
  if (error) co_return to_error(exchange, error, false);
  co_await http::async_write(stream, exchange.request,
                             asio::redirect_error(asio::use_awaitable, error));
  // A server that refuses may answer before it has read everything: look for the answer first.
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(HttpClient::kMaxBody);
  error_code read_error;
  co_await http::async_read_header(stream, buffer, parser,
                                   asio::redirect_error(asio::use_awaitable, read_error));
  if (read_error) co_return to_error(exchange, error ? error : read_error, true);
  const bool success = parser.get().result_int() / 100 == 2;
  if (success && exchange.on_line != nullptr) {
    co_return co_await read_lines(stream, buffer, parser, exchange);
  }
  co_await http::async_read(stream, buffer, parser,
                            asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return to_error(exchange, error, true);
  if (!success) co_return refused(parser.get());
  co_return std::move(parser.get().body());
}

Result<std::string> run_and_wait(const Exchange& exchange) {
  asio::io_context loop;
  std::optional<Result<std::string>> result;
  asio::co_spawn(loop, run(exchange, loop),
                 [&result](const std::exception_ptr& failure, Result<std::string> value) {
                   if (failure) std::rethrow_exception(failure);
                   result = std::move(value);
                 });
  loop.run();
  return std::move(*result);
}

HttpRequest make_request(http::verb method, std::string_view target, const std::string& host) {
  HttpRequest request(method, beast::string_view(target.data(), target.size()), 11);
  request.set(http::field::host, host);
  request.keep_alive(false);
  return request;
}

}  // namespace

Result<HttpClient> HttpClient::at(std::string_view text, std::chrono::milliseconds timeout) {
  if (text.starts_with("unix:")) {
    const auto socket = bus::io::parse_endpoint(text);
    if (!socket) return socket.error();
    return HttpClient(socket->path, Endpoint{"localhost", 0}, timeout);
  }
  if (text.starts_with("http://")) text.remove_prefix(7);
  if (text.ends_with('/')) text.remove_suffix(1);
  const auto endpoint = parse_endpoint(text);
  if (!endpoint) return endpoint.error();
  return HttpClient({}, *endpoint, timeout);
}

std::string HttpClient::host() const {
  return socket_.empty() ? endpoint_.to_string() : endpoint_.host;
}

Result<std::string> HttpClient::get(std::string_view target) const {
  return run_and_wait(
      {socket_, endpoint_, timeout_, make_request(http::verb::get, target, host())});
}

Result<std::string> HttpClient::post(std::string_view target, std::string_view body,
                                     std::string_view content_type) const {
  HttpRequest request = make_request(http::verb::post, target, host());
  request.set(http::field::content_type, std::string(content_type));
  request.body() = body;
  request.prepare_payload();
  return run_and_wait({socket_, endpoint_, timeout_, std::move(request)});
}

Result<> HttpClient::stream(std::string_view target, const OnLine& on_line) const {
  const auto result = run_and_wait(
      {socket_, endpoint_, timeout_, make_request(http::verb::get, target, host()), &on_line});
  if (!result) return result.error();
  return {};
}

}  // namespace starbus::daemon
