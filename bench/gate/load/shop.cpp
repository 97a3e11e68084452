#include "bench/gate/load/shop.hpp"

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <iostream>
#include <memory>

namespace starbus::bench::gate {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;

constexpr std::string_view kTicket = "ticket=";

class Visitor : public std::enable_shared_from_this<Visitor> {
 public:
  explicit Visitor(tcp::socket socket) : socket_(std::move(socket)) {}

  void read() {
    question_ = {};
    http::async_read(socket_, buffer_, question_,
                     [self = shared_from_this()](const auto& error, std::size_t) {
                       if (!error) self->answer();
                     });
  }

 private:
  void answer() {
    const std::string target(question_.target());
    const std::size_t at = target.find(kTicket);
    const std::string account = at == std::string::npos ? "" : target.substr(at + kTicket.size());
    answer_ = {http::status::ok, question_.version()};
    answer_.set(http::field::content_type, "application/json");
    answer_.keep_alive(question_.keep_alive());
    answer_.body() = "{\"account\": \"" + account + "\"}";
    answer_.prepare_payload();
    http::async_write(socket_, answer_,
                      [self = shared_from_this()](const auto& error, std::size_t) {
                        if (!error && self->answer_.keep_alive()) self->read();
                      });
  }

  tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
  http::request<http::string_body> question_;
  http::response<http::string_body> answer_;
};

void accept(tcp::acceptor& acceptor) {
  acceptor.async_accept([&acceptor](const auto& error, tcp::socket socket) {
    if (error) return;
    socket.set_option(tcp::no_delay(true));
    std::make_shared<Visitor>(std::move(socket))->read();
    accept(acceptor);
  });
}

}  // namespace

int run_shop(int port) {
  boost::asio::io_context loop;
  tcp::acceptor acceptor(
      loop, {boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)});
  accept(acceptor);
  boost::asio::posix::stream_descriptor input(loop, ::dup(STDIN_FILENO));
  input.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                   [&](const auto&) { loop.stop(); });
  std::cout << "ready" << std::endl;
  loop.run();
  return 0;
}

}  // namespace starbus::bench::gate
