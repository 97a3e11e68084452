/// A verifier that asks a server over HTTP: OpenID Connect, tickets of shops (http_mapping.hpp).
///
/// Belongs to the loop's thread; the executor outlives it. Its end drops what has not been
/// answered. A server that fails is left alone for a while (breaker.hpp): then a login is told
/// `later` at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "nodes/login/core/verifier.hpp"
#include "nodes/login/verify/breaker.hpp"
#include "nodes/login/verify/http_client.hpp"

namespace starbus::nodes::login {

class HttpVerifier final : public Verifier {
 public:
  /// Errors: bad_mapping.
  static Result<std::unique_ptr<HttpVerifier>> open(Executor& loop, HttpMapping mapping,
                                                    HttpOptions options = {},
                                                    std::function<Time()> clock = {});
  /// The ticket says the account.
  std::string counted_as(const std::string&) const override { return {}; }
  void verify(Proof proof, std::function<void(Verdict)> done) override;

  std::uint64_t failures() const { return failures_; }
  bool resting() const { return breaker_.open(); }

 private:
  HttpVerifier(Executor& loop, HttpMapping mapping, HttpUrl url, std::function<Time()> clock);
  void later(const std::function<void(Verdict)>& done, Verdict verdict);
  Verdict judge(const Result<HttpAnswer>& answer);

  Executor& loop_;
  const HttpMapping mapping_;
  const HttpUrl url_;
  const std::function<Time()> clock_;
  Breaker breaker_;
  std::uint64_t failures_ = 0;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
  std::unique_ptr<HttpClient> client_;
};

}  // namespace starbus::nodes::login
