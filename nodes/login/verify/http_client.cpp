#include "nodes/login/verify/http_client.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <thread>
#include <utility>

#include "nodes/login/verify/http_connection.hpp"

namespace starbus::nodes::login {
namespace {

using Failure = HttpConnection::Failure;
using Connection = std::shared_ptr<HttpConnection>;

/// One question on its way.
struct Exchange {
  explicit Exchange(asio::io_context& io) : deadline(io) {}
  HttpConnection::Request request{};
  HttpClient::Done done{};
  asio::steady_timer deadline;
  Connection connection{};
  bool kept = false;  // the connection had questions before
  bool ended = false;
};
using Asked = std::shared_ptr<Exchange>;

}  // namespace

/// Everything here but start() and the two ends is on its own thread.
class HttpClient::Sockets {
 public:
  Sockets(HttpUrl url, HttpOptions options) : url_(std::move(url)), options_(std::move(options)) {}
  ~Sockets() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Result<> start() {
    Failure failure;
    if (options_.authorities.empty()) {
      tls_.set_default_verify_paths(failure);
    } else {
      tls_.load_verify_file(options_.authorities, failure);
    }
    if (failure) {
      return Error(Errc::bad_mapping, "verifier: authorities: " + failure.message() +
                                          "; name a PEM file that can be read");
    }
    thread_ = std::thread([this] { io_.run(); });
    return {};
  }

  /// From the loop. `done` is called on this thread.
  void ask(HttpQuestion question, Done done) {
    asio::post(io_, [this, question = std::move(question), done = std::move(done)] {
      begin(question, done);
    });
  }

 private:
  struct Kept {
    Connection connection;
    std::chrono::steady_clock::time_point since;
  };

  void begin(const HttpQuestion& question, const Done& done) {
    const auto asked = std::make_shared<Exchange>(io_);
    asked->done = done;
    asked->request.version(11);
    asked->request.method(question.get ? http::verb::get : http::verb::post);
    asked->request.target(question.target);
    const bool usual = url_.port == (url_.tls ? "443" : "80");
    asked->request.set(http::field::host, usual ? url_.host : url_.host + ":" + url_.port);
    asked->request.set(http::field::accept, "application/json");
    for (const auto& [name, value] : question.headers) asked->request.set(name, value);
    if (!question.get) {
      if (!question.body.empty()) asked->request.set(http::field::content_type, question.body_type);
      asked->request.body() = question.body;
      asked->request.prepare_payload();
    }
    asked->deadline.expires_after(options_.deadline);
    asked->deadline.async_wait([this, asked](Failure failure) {
      if (!failure) end(asked, Error(Errc::unreachable, "server: no answer in time"));
    });
    drop_idle();
    if (kept_.empty()) return open(asked);
    asked->kept = true;
    asked->connection = std::move(kept_.back().connection);
    kept_.pop_back();
    speak(asked);
  }

  void open(const Asked& asked) {
    asked->kept = false;
    asked->connection = std::make_shared<HttpConnection>(io_, tls_, url_.tls);
    const auto resolver = std::make_shared<asio::ip::tcp::resolver>(io_);
    resolver->async_resolve(
        url_.host, url_.port, [this, asked, resolver](Failure failure, const auto& places) {
          if (asked->ended) return;
          if (failure) return fail(asked, failure);
          asked->connection->open(places, url_.host, [this, asked](Failure why) {
            if (asked->ended) return;
            if (why) return fail(asked, why);
            speak(asked);
          });
        });
  }

  void speak(const Asked& asked) {
    asked->connection->ask(asked->request, [this, asked](Failure failure) {
      if (asked->ended) return;
      // The server may have closed a kept connection: that says nothing about the question.
      if (failure && asked->kept && !asked->connection->begun()) {
        asked->connection->close();
        return open(asked);
      }
      if (failure) return fail(asked, failure);
      auto& answer = asked->connection->answer();
      const bool open = asked->connection->stays_open();
      HttpAnswer told{answer.result_int(), std::move(answer.body())};
      if (open && kept_.size() < kHttpKept) {
        kept_.push_back(
            {std::exchange(asked->connection, nullptr), std::chrono::steady_clock::now()});
      }
      end(asked, std::move(told));
    });
  }

  void fail(const Asked& asked, Failure failure) {
    end(asked, Error(Errc::unreachable, "server: " + failure.message()));
  }

  void end(const Asked& asked, Result<HttpAnswer> result) {
    if (std::exchange(asked->ended, true)) return;
    asked->deadline.cancel();
    if (asked->connection) asked->connection->close();
    std::exchange(asked->done, nullptr)(std::move(result));
  }

  void drop_idle() {
    const auto oldest = std::chrono::steady_clock::now() - options_.idle;
    while (!kept_.empty() && kept_.front().since <= oldest) kept_.pop_front();
  }

  const HttpUrl url_;
  const HttpOptions options_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io_);
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  std::list<Kept> kept_;  // the one that was used last at the end
  std::thread thread_;
};

HttpClient::HttpClient(Executor& loop, std::unique_ptr<Sockets> sockets)
    : loop_(loop), sockets_(std::move(sockets)) {}

HttpClient::~HttpClient() = default;

Result<std::unique_ptr<HttpClient>> HttpClient::open(Executor& loop, HttpUrl url,
                                                     HttpOptions options) {
  auto sockets = std::make_unique<Sockets>(std::move(url), std::move(options));
  if (auto started = sockets->start(); !started) return started.error();
  return std::unique_ptr<HttpClient>(new HttpClient(loop, std::move(sockets)));
}

Result<> HttpClient::ask(HttpQuestion question, Done done) {
  if (*under_way_ >= kHttpAtOnce) {
    return Error(Errc::too_many, "server: too many questions at a time; try again later");
  }
  ++*under_way_;
  // Taken out of it on the loop: what it has captured ends there, whichever thread lets go last.
  const auto told = std::make_shared<Done>(std::move(done));
  sockets_->ask(std::move(question), [&loop = loop_, told, count = std::weak_ptr(under_way_)](
                                         Result<HttpAnswer> result) {
    loop.run_later(WorkName(typeid(HttpClient)),
                   [told, count, answer = std::move(result)]() mutable {
                     const auto alive = count.lock();
                     if (!alive) return;
                     --*alive;
                     const Done call = std::exchange(*told, nullptr);
                     call(std::move(answer));
                   });
  });
  return {};
}

}  // namespace starbus::nodes::login
