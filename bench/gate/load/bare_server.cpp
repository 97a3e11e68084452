#include <boost/asio.hpp>
#include <iostream>
#include <memory>

#include "bench/gate/load/bare_echo.hpp"
#include "bench/harness/clock.hpp"
#include "bus/client/bus.hpp"
#include "clients/cpp/calls.hpp"

namespace starbus::bench::gate {
namespace {

using boost::asio::ip::tcp;

constexpr std::size_t kAnswerHead = 3;  // of a value that is a text below 128 bytes: a8 00 length

// One client. It lives as long as what it waits for.
class Line : public std::enable_shared_from_this<Line> {
 public:
  Line(tcp::socket socket, bus::Bus& bus, std::string subject, const BareServer& options)
      : socket_(std::move(socket)),
        bus_(bus),
        subject_(std::move(subject)),
        message_(options.bytes, '\0') {
    const std::uint32_t numbers[] = {game::hash_of(options.method), game::hash_of("(str)->str")};
    head_ = std::string("\xa1\0", 2);
    head_.append(reinterpret_cast<const char*>(numbers), sizeof numbers);  // little-endian, as here
    head_ += static_cast<char>(options.bytes);
  }

  void read() {
    boost::asio::async_read(socket_, boost::asio::buffer(message_),
                            [self = shared_from_this()](const auto& error, std::size_t) {
                              if (!error) self->ask();
                            });
  }

 private:
  void ask() {
    const std::string call = head_ + message_;
    bus_.call(
        subject_, bus::as_bytes(call), bus::CallOptions{},
        [self = shared_from_this()](const bus::Result<bus::Bytes>& reply) { self->answer(reply); });
    read();
  }

  void answer(const bus::Result<bus::Bytes>& reply) {
    if (!reply || reply->size() != kAnswerHead + message_.size()) {
      std::cerr << subject_ << ": "
                << (reply ? "an answer of " + std::to_string(reply->size()) + " bytes"
                          : reply.error().to_string())
                << "\n";
      boost::system::error_code ignored;
      socket_.close(ignored);
      return;
    }
    // The next reply of this client cannot overtake it: one write takes so few bytes.
    boost::system::error_code error;
    socket_.write_some(
        boost::asio::buffer(reply->data() + kAnswerHead, reply->size() - kAnswerHead), error);
  }

  tcp::socket socket_;
  bus::Bus& bus_;
  const std::string subject_;
  std::string head_;
  std::string message_;
};

class Server {
 public:
  Server(boost::asio::io_context& loop, bus::Bus& bus, const BareServer& options)
      : bus_(bus),
        options_(options),
        acceptor_(loop, {boost::asio::ip::address_v4::loopback(),
                         static_cast<std::uint16_t>(options.port)}) {}

  void accept() {
    acceptor_.async_accept([this](const auto& error, tcp::socket socket) {
      if (error) return;
      socket.set_option(tcp::no_delay(true));
      std::string subject = options_.subjects;
      if (const auto at = subject.find("{n}"); at != std::string::npos) {
        subject.replace(at, 3, std::to_string(++accepted_));
      }
      std::make_shared<Line>(std::move(socket), bus_, std::move(subject), options_)->read();
      accept();
    });
  }

 private:
  bus::Bus& bus_;
  const BareServer& options_;
  tcp::acceptor acceptor_;
  int accepted_ = 0;
};

}  // namespace

int run_bare_server(const BareServer& options) {
  use_precise_timers();
  boost::asio::io_context loop;
  bus::Bus bus(loop, {.node = "bare-echo", .endpoint = options.endpoint});
  Server server(loop, bus, options);
  bus.connect([&](const bus::Result<>& connected) {
    if (!connected) {
      std::cout << "{\"error\": \"" << connected.error().to_string() << "\"}" << std::endl;
      return loop.stop();
    }
    server.accept();
    std::cout << "ready" << std::endl;
  });
  boost::asio::posix::stream_descriptor input(loop, ::dup(STDIN_FILENO));
  input.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                   [&](const auto&) { loop.stop(); });
  loop.run();
  return 0;
}

}  // namespace starbus::bench::gate
