/// AdminConnection while its response is a stream: one coroutine writes lines, one watches for the
/// end of the client.
#include <boost/asio/co_spawn.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <sstream>
#include <utility>

#include "daemon/admin/admin_connection.hpp"
#include "daemon/admin/admin_guard.hpp"
#include "daemon/admin/admin_stream.hpp"

namespace starbus::daemon {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

constexpr std::string_view kLastChunk = "0\r\n\r\n";

// The size in hexadecimal, the lines, each followed by a line end.
std::string chunk_of(const std::string& lines) {
  std::ostringstream text;
  text << std::hex << lines.size() << "\r\n" << lines << "\r\n";
  return std::move(text).str();
}

}  // namespace

AdminConnection::Awaitable<AdminConnection::After> AdminConnection::stream(
    const AdminServer::StreamRoute& route, const Request& request) {
  Refusal refusal;
  if (shared_->streams >= shared_->config.max_streams) {
    refusal = Response::error(503, "too many streams are open");
  } else {
    lines_ = std::make_shared<Stream::State>();
    lines_->wake = [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->wake_.cancel();
    };
    // Only the route owns the handle: the stream ends when the route drops it.
    auto handle = std::make_shared<Stream>(lines_);
    const auto call = [&] { refusal = route(request, std::move(handle)); };
    if (auto failure = guarded(call)) refusal = std::move(failure);
  }
  if (refusal) {
    lines_.reset();
    co_await send(*refusal, nullptr);
    co_return After::close;
  }
  ++shared_->streams;
  if (co_await send_stream_header()) {
    asio::co_spawn(stream_.get_executor(), watch_client(),
                   [self = shared_from_this()](const std::exception_ptr&) {});
    co_await send_lines();
  }
  --shared_->streams;
  guarded([&] { lines_->client_left(); });
  co_return After::close;
}

AdminConnection::Awaitable<bool> AdminConnection::send_stream_header() {
  http::response<http::empty_body> message(http::status::ok, 11);
  set_common_fields(message, kStreamType);
  message.keep_alive(false);
  message.chunked(true);
  std::ostringstream text;
  text << message.base();
  co_return !co_await write(text.view(), shared_->config.idle_timeout);
}

AdminConnection::Awaitable<> AdminConnection::send_lines() {
  // Each write may take long, but is bounded: the client may be stopped, or lost without notice.
  const auto patience = shared_->config.stall_timeout;
  while (co_await wait_for_lines()) {
    lines_->note_skipped();
    const std::string chunk = chunk_of(std::exchange(lines_->buffer, {}));
    if (co_await write(chunk, patience)) co_return;
  }
  if (lines_->ended && !lines_->gone) co_await write(kLastChunk, patience);
}

// False if there is nothing more to send.
AdminConnection::Awaitable<bool> AdminConnection::wait_for_lines() {
  while (!closed_ && !lines_->gone) {
    if (!lines_->buffer.empty() || lines_->skipped_since_note > 0) co_return true;
    if (lines_->ended) co_return false;
    co_await wait_until_woken(asio::steady_timer::time_point::max());
  }
  co_return false;
}

AdminConnection::Awaitable<> AdminConnection::watch_client() {
  // A local copy, because the stream may end while this still waits.
  const auto lines = lines_;
  stream_.expires_never();
  while (!co_await discard_some()) {
  }
  if (!closed_) guarded([&] { lines->client_left(); });
  wake_.cancel();
}

}  // namespace starbus::daemon
