/// Asks one server over HTTP/1.1, with or without TLS: kept connections, a deadline, bounded
/// answers.
///
/// Belongs to the loop's thread; runs its sockets on a thread of its own. Its end gives up what is
/// under way, without an answer. The certificate of the server is checked against its name and the
/// system's authorities, or those of a file.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "nodes/login/verify/http_mapping.hpp"
#include "nodes/login/verify/limits.hpp"
#include "nodes/runtime/tasks/executor.hpp"

namespace starbus::nodes::login {

/// Bounds of time, and whose certificates are believed.
struct HttpOptions {
  Time deadline = kHttpDeadline;
  Time idle = kHttpIdle;
  std::string authorities{};  // a PEM file; empty: the system's
};

class HttpClient {
 public:
  using Done = std::function<void(Result<HttpAnswer>)>;

  /// Errors: bad_mapping (the authorities cannot be read).
  static Result<std::unique_ptr<HttpClient>> open(Executor& loop, HttpUrl url,
                                                  HttpOptions options = {});
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Answers later, on the loop. Errors: too_many (kHttpAtOnce; then `done` is not called), and as
  /// an answer: unreachable, whatever has failed.
  Result<> ask(HttpQuestion question, Done done);
  std::size_t under_way() const { return *under_way_; }

 private:
  class Sockets;  // what lives on the other thread
  HttpClient(Executor& loop, std::unique_ptr<Sockets> sockets);

  Executor& loop_;
  std::shared_ptr<std::size_t> under_way_ = std::make_shared<std::size_t>(0);
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace starbus::nodes::login
