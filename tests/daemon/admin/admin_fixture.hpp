/// An admin server on a thread of its own, and a client that sends raw bytes to its socket or port.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/file_descriptor.hpp"
#include "daemon/admin/admin_server.hpp"
#include "daemon/admin/http_client.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::daemon::test {

/// A blocking connection; every wait ends after ten seconds.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : RawClient(AF_INET) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect(address);
  }
  /// To "unix:///PATH".
  explicit RawClient(const std::string& url) : RawClient(AF_UNIX) {
    const std::string path = url.substr(std::string("unix://").size());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    connect(address);
  }

  /// Ignores errors: the server may have refused already.
  void send(const std::string& text) {
    ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
  }
  /// One more piece; "" at the end of the connection.
  std::string receive() {
    char part[64 * 1024];
    const ssize_t size = ::recv(socket_.get(), part, sizeof part, 0);
    return size <= 0 ? std::string() : std::string(part, static_cast<std::size_t>(size));
  }
  std::string receive_until(const std::string& end) {
    std::string all;
    while (all.find(end) == std::string::npos) {
      const std::string part = receive();
      if (part.empty()) break;
      all += part;
    }
    return all;
  }
  std::string receive_all() { return receive_until(std::string(1, '\0')); }

 private:
  explicit RawClient(int family) : socket_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{10, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }
  template <class Address>
  void connect(const Address& address) {
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
  }

  FileDescriptor socket_;
};

class AdminFixture : public testing::Test {
 protected:
  /// Call with routes already added in `prepare`.
  template <class Prepare>
  void start(const Prepare& prepare, AdminConfig config = {}, AdminAccess access = {}) {
    config.socket = folder_.path() / "admin.sock";
    auto listening = AdminServer::listen(loop_, config, std::move(access));
    ASSERT_TRUE(listening) << listening.error().to_string();
    server_ = std::move(*listening);
    prepare(*server_);
    thread_ = std::thread([this] { loop_.run(); });
  }
  /// Runs on the thread of the loop, and waits for the result.
  template <class Function>
  auto on_loop(const Function& function) {
    std::packaged_task<decltype(function())()> task(function);
    auto result = task.get_future();
    boost::asio::post(loop_, [&task] { task(); });
    return result.get();
  }

  void TearDown() override {
    if (!thread_.joinable()) return;
    on_loop([this] { server_.reset(); });
    work_.reset();
    thread_.join();  // ends only if the server leaves nothing on the loop
  }

  std::uint16_t port() const { return server_->port(); }
  HttpClient client() const { return HttpClient::at(server_->socket()).value(); }
  /// Sends one request as it stands, and returns everything until the server closes.
  std::string exchange(const std::string& request) const {
    RawClient raw(server_->socket());
    raw.send(request);
    return raw.receive_all();
  }
  /// The same at the TCP port.
  std::string exchange_by_tcp(const std::string& request) const {
    RawClient raw(port());
    raw.send(request);
    return raw.receive_all();
  }

  TempFolder folder_;
  boost::asio::io_context loop_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      loop_.get_executor()};
  std::unique_ptr<AdminServer> server_;
  std::thread thread_;
};

}  // namespace starbus::daemon::test
