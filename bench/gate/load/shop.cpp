#include "bench/gate/load/shop.hpp"

#include <boost/asio.hpp>
#include <iostream>
#include <memory>
#include <string>

namespace starbus::bench::gate {
namespace {

using boost::asio::ip::tcp;

constexpr std::string_view kTicket = "ticket=";
constexpr std::size_t kQuestionBytes = 8 * 1024;

// The account of a question, which has no body: its end is that of its head.
std::string account_of(std::string_view question) {
  const std::size_t at = question.find(kTicket);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = question.substr(at + kTicket.size());
  return std::string(rest.substr(0, rest.find_first_of(" &")));
}

class Visitor : public std::enable_shared_from_this<Visitor> {
 public:
  explicit Visitor(tcp::socket socket) : socket_(std::move(socket)) {}

  void read() {
    boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(question_, kQuestionBytes),
                                  "\r\n\r\n",
                                  [self = shared_from_this()](const auto& error, std::size_t size) {
                                    if (!error) self->answer(size);
                                  });
  }

 private:
  void answer(std::size_t size) {
    const std::string body =
        "{\"account\": \"" + account_of(std::string_view(question_).substr(0, size)) + "\"}";
    question_.erase(0, size);
    answer_ = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body;
    boost::asio::async_write(socket_, boost::asio::buffer(answer_),
                             [self = shared_from_this()](const auto& error, std::size_t) {
                               if (!error) self->read();
                             });
  }

  tcp::socket socket_;
  std::string question_;
  std::string answer_;
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
