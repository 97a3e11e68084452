/// One connection to a server, with or without TLS, for one question after the other. For
/// http_client.cpp alone; on its thread. What it is asked ends with the handler, once; close() ends
/// it early.
#pragma once

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "nodes/login/verify/limits.hpp"

namespace starbus::nodes::login {

namespace asio = boost::asio;
namespace http = boost::beast::http;

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Failure = boost::system::error_code;
  using Handler = std::function<void(Failure)>;
  using Request = http::request<http::string_body>;
  using Parser = http::response_parser<http::string_body>;

  HttpConnection(asio::io_context& io, asio::ssl::context& tls, bool with_tls)
      : stream_(io, tls), tls_(with_tls) {}

  /// With the handshake. The certificate must be that of `host`.
  void open(const asio::ip::tcp::resolver::results_type& places, const std::string& host,
            Handler done) {
    asio::async_connect(
        socket(), places,
        [self = shared_from_this(), host, done = std::move(done)](Failure failure, const auto&) {
          if (failure || !self->tls_) return done(failure);
          self->handshake(host, done);
        });
  }
  /// `request` must live until the handler.
  void ask(Request& request, Handler done) {
    parser_.emplace();
    parser_->body_limit(kHttpAnswer);
    parser_->header_limit(static_cast<std::uint32_t>(kHttpAnswer));
    buffer_.clear();
    auto written = [self = shared_from_this(), done = std::move(done)](Failure failure,
                                                                       std::size_t) {
      if (failure) return done(failure);
      self->read(done);
    };
    if (tls_) {
      http::async_write(stream_, request, std::move(written));
    } else {
      http::async_write(socket(), request, std::move(written));
    }
  }
  /// After ask().
  Parser::value_type& answer() { return parser_->get(); }
  /// Whether a byte of the answer has come.
  bool begun() const { return parser_ && parser_->got_some(); }
  bool stays_open() const { return parser_->keep_alive() && parser_->is_done(); }
  void close() {
    Failure ignored;
    socket().close(ignored);
  }
  asio::ip::tcp::socket& socket() { return stream_.next_layer(); }

 private:
  void handshake(const std::string& host, Handler done) {
    stream_.set_verify_mode(asio::ssl::verify_peer);
    stream_.set_verify_callback(asio::ssl::host_name_verification(host));
    SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str());
    stream_.async_handshake(
        asio::ssl::stream_base::client,
        [self = shared_from_this(), done = std::move(done)](Failure failure) { done(failure); });
  }
  void read(Handler done) {
    auto finished = [self = shared_from_this(), done = std::move(done)](
                        Failure failure, std::size_t) { done(failure); };
    if (tls_) {
      http::async_read(stream_, buffer_, *parser_, std::move(finished));
    } else {
      http::async_read(socket(), buffer_, *parser_, std::move(finished));
    }
  }

  asio::ssl::stream<asio::ip::tcp::socket> stream_;
  const bool tls_;
  boost::beast::flat_buffer buffer_{2 * kHttpAnswer};
  std::optional<Parser> parser_;
};

}  // namespace starbus::nodes::login
