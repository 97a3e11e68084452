#include "nodes/login/verify/http_verifier.hpp"

#include <utility>

namespace starbus::nodes::login {
namespace {

Time steady_now() {
  return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

HttpVerifier::HttpVerifier(Executor& loop, HttpMapping mapping, HttpUrl url,
                           std::function<Time()> clock)
    : loop_(loop),
      mapping_(std::move(mapping)),
      url_(std::move(url)),
      clock_(clock ? std::move(clock) : std::function<Time()>(&steady_now)) {}

Result<std::unique_ptr<HttpVerifier>> HttpVerifier::open(Executor& loop, HttpMapping mapping,
                                                         HttpOptions options,
                                                         std::function<Time()> clock) {
  if (auto checked = check_mapping(mapping); !checked) return checked.error();
  const HttpUrl url = parse_url(mapping.url).value();
  auto client = HttpClient::open(loop, url, std::move(options));
  if (!client) return client.error();
  std::unique_ptr<HttpVerifier> made(
      new HttpVerifier(loop, std::move(mapping), url, std::move(clock)));
  made->client_ = *std::move(client);
  return made;
}

void HttpVerifier::later(const std::function<void(Verdict)>& done, Verdict verdict) {
  loop_.run_later(WorkName(typeid(HttpVerifier)),
                  [alive = std::weak_ptr(alive_), done, verdict = std::move(verdict)] {
                    if (!alive.expired()) done(verdict);
                  });
}

void HttpVerifier::verify(Proof proof, std::function<void(Verdict)> done) {
  auto question = question_of(mapping_, url_, proof.proof);
  if (!question) return later(done, {Verdict::Kind::wrong, {}, {}});
  const Verdict busy{Verdict::Kind::later, {}, "the server of accounts does not answer now"};
  if (!breaker_.may_ask(clock_())) return later(done, busy);
  // The client ends before this does, and its answers with it.
  const auto taken =
      client_->ask(*std::move(question),
                   [this, done](const Result<HttpAnswer>& answer) { done(judge(answer)); });
  if (!taken) later(done, busy);
}

Verdict HttpVerifier::judge(const Result<HttpAnswer>& answer) {
  const Verdict verdict =
      answer ? verdict_of(mapping_, *answer)
             : Verdict{Verdict::Kind::later, {}, "the server of accounts does not answer now"};
  if (verdict.kind == Verdict::Kind::later) {
    ++failures_;
    breaker_.failed(clock_());
  } else {
    breaker_.succeeded();
  }
  return verdict;
}

}  // namespace starbus::nodes::login
