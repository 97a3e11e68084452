/// A server over HTTP on a free port of the loopback, with or without TLS: a thread for each
/// connection; what it answers is the test's.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace starbus::nodes::login::fixture {

namespace asio = boost::asio;
using asio::ip::tcp;

class LocalServer {
 public:
  /// From a request with its body; empty: the connection is closed.
  using Answer = std::function<std::string(const std::string& request)>;

  explicit LocalServer(Answer answer, asio::ssl::context* tls = nullptr)
      : answer_(std::move(answer)), tls_(tls), thread_([this] { accept(); }) {}
  ~LocalServer() {
    stopping_ = true;
    boost::system::error_code ignored;
    tcp::socket(io_).connect(acceptor_.local_endpoint(), ignored);  // wakes the thread
    thread_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const auto& socket : sockets_) socket->shutdown(tcp::socket::shutdown_both, ignored);
    }
    for (std::thread& thread : threads_) thread.join();
  }
  std::string url(const std::string& target) const {
    return std::string(tls_ ? "https" : "http") +
           "://localhost:" + std::to_string(acceptor_.local_endpoint().port()) + target;
  }
  int connections() const { return connections_; }

 private:
  void accept() {
    while (true) {
      auto socket = std::make_shared<tcp::socket>(io_);
      boost::system::error_code failure;
      acceptor_.accept(*socket, failure);
      if (failure || stopping_) return;
      ++connections_;
      const std::lock_guard lock(mutex_);
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket] {
        if (!tls_) return serve(*socket);
        asio::ssl::stream<tcp::socket&> stream(*socket, *tls_);
        boost::system::error_code why;
        stream.handshake(asio::ssl::stream_base::server, why);
        if (!why) serve(stream);
      });
    }
  }
  template <class Stream>
  void serve(Stream& stream) {
    std::string input;
    boost::system::error_code failure;
    while (!failure) {
      const std::size_t head =
          asio::read_until(stream, asio::dynamic_buffer(input), "\r\n\r\n", failure);
      if (failure) break;
      const std::size_t at = input.find("Content-Length: ");
      const std::size_t body = at < head ? std::stoul(input.substr(at + 16)) : 0;
      if (input.size() < head + body) {
        asio::read(stream, asio::dynamic_buffer(input),
                   asio::transfer_exactly(head + body - input.size()), failure);
      }
      const std::string answer = answer_(input.substr(0, head + body));
      input.erase(0, head + body);
      if (answer.empty()) break;
      asio::write(stream, asio::buffer(answer), failure);
    }
    boost::system::error_code ignored;
    stream.lowest_layer().shutdown(tcp::socket::shutdown_both, ignored);
  }

  const Answer answer_;
  asio::ssl::context* const tls_;
  asio::io_context io_;
  tcp::acceptor acceptor_{io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  std::atomic<bool> stopping_ = false;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::list<std::shared_ptr<tcp::socket>> sockets_;
  std::list<std::thread> threads_;
  std::thread thread_;
};

inline std::string response(const std::string& status, const std::string& body) {
  return "HTTP/1.1 " + status +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

}  // namespace starbus::nodes::login::fixture
