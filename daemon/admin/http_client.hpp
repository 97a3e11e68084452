#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "daemon/config/endpoint.hpp"

namespace starbus::daemon {

/// A synchronous client of the admin server, for command-line tools: one connection per request.
/// Blocks the calling thread, at most for the time-out. Errors: unreachable (nothing listens),
/// deadline (no answer in time), bad_bytes (not HTTP), too_large, denied (this user may not open
/// the socket), handler_failed (a status other than 2xx; the detail holds status, reason and
/// detail).
class HttpClient {
 public:
  /// Bytes of an answer and of a line of a stream, at most; beyond: too_large.
  static constexpr std::size_t kMaxBody = 64 * 1024 * 1024;
  static constexpr std::size_t kMaxLine = 1024 * 1024;

  /// `endpoint`: "unix:///PATH" of an admin socket; "127.0.0.1:9321", "[::1]:9321",
  /// "localhost:9321", each with or without "http://", of an admin port, for /metrics and /healthz.
  static Result<HttpClient> at(std::string_view endpoint,
                               std::chrono::milliseconds timeout = std::chrono::seconds(5));

  /// The body of the answer.
  Result<std::string> get(std::string_view target) const;
  Result<std::string> post(std::string_view target, std::string_view body,
                           std::string_view content_type = "application/json") const;
  /// Calls `on_line` per line, without the newline, until it returns false or the server ends the
  /// stream: both are success. The time-out holds for the start only, since a quiet stream is fine.
  Result<> stream(std::string_view target,
                  const std::function<bool(std::string_view line)>& on_line) const;

 private:
  HttpClient(std::string socket, Endpoint endpoint, std::chrono::milliseconds timeout)
      : socket_(std::move(socket)), endpoint_(std::move(endpoint)), timeout_(timeout) {}

  std::string host() const;  // of the header

  std::string socket_;  // path of a unix socket; empty: endpoint_
  Endpoint endpoint_;
  std::chrono::milliseconds timeout_;
};

}  // namespace starbus::daemon
