/// AdminConnection while its response is a stream: one coroutine writes lines, one watches for the
/// end of the client.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <utility>

#include "bus/daemon/admin_connection.hpp"
#include "bus/daemon/admin_guard.hpp"
#include "bus/daemon/admin_stream.hpp"

namespace starbus::bus::daemon {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

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
    // The only handle is the route's: when it lets go, the stream ends.
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
  http::response_serializer<http::empty_body> serializer(message);
  error_code error;
  stream_.expires_after(shared_->config.idle_timeout);
  co_await http::async_write_header(stream_, serializer,
                                    asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

AdminConnection::Awaitable<> AdminConnection::send_lines() {
  error_code error;
  // Each write may take long, but not for ever: the client may be stopped, or lost without a word.
  const auto patience = shared_->config.stall_timeout;
  while (co_await wait_for_lines()) {
    lines_->note_skipped();
    const std::string lines = std::exchange(lines_->buffer, {});
    const auto chunk = http::make_chunk(asio::buffer(lines));
    stream_.expires_after(patience);
    co_await asio::async_write(stream_, chunk, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
  }
  if (!lines_->ended || lines_->gone) co_return;
  const auto last = http::make_chunk_last();
  stream_.expires_after(patience);
  co_await asio::async_write(stream_, last, asio::redirect_error(asio::use_awaitable, error));
}

// False when there is nothing more to send.
AdminConnection::Awaitable<bool> AdminConnection::wait_for_lines() {
  error_code error;
  while (!closed_ && !lines_->gone) {
    if (!lines_->buffer.empty() || lines_->skipped_since_note > 0) co_return true;
    if (lines_->ended) co_return false;
    wake_.expires_at(asio::steady_timer::time_point::max());
    co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }
  co_return false;
}

AdminConnection::Awaitable<> AdminConnection::watch_client() {
  // A local copy, because the stream may be over while this still waits.
  const auto lines = lines_;
  char discarded[512];
  error_code error;
  stream_.expires_never();
  while (!error) {
    co_await stream_.async_read_some(asio::buffer(discarded),
                                     asio::redirect_error(asio::use_awaitable, error));
  }
  if (!closed_) guarded([&] { lines->client_left(); });
  wake_.cancel();
}

}  // namespace starbus::bus::daemon
