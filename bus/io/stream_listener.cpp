#include "bus/io/stream_listener.hpp"

#include <sys/socket.h>

#include <cerrno>

#include "bus/io/stream_link.hpp"

namespace starbus::bus::io {
namespace {

namespace asio = boost::asio;

constexpr int kAcceptBurst = 64;  // then the links that are already there get their turn
// Descriptors come back when sessions end; to ask more often would only spin.
constexpr std::chrono::milliseconds kAcceptPause{100};

}  // namespace

class StreamListener::Loop : public std::enable_shared_from_this<Loop> {
 public:
  Loop(asio::io_context& context, Fd socket, AcceptHandler on_accept)
      : context_(context),
        socket_(context, socket.release()),
        pause_(context),
        on_accept_(std::move(on_accept)) {}

  void wait() {
    socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](const auto& error) {
                         if (!error && !self->stopped_) self->accept();
                       });
  }

  void stop() {
    stopped_ = true;
    boost::system::error_code ignored;
    socket_.close(ignored);
    pause_.cancel();
  }

 private:
  void accept() {
    for (int i = 0; i < kAcceptBurst && !stopped_; ++i) {
      Fd fd(::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!fd) {
        const int error = errno;
        if (error == EAGAIN) break;
        if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
          return pause();
        }
        continue;  // that connection is gone already
      }
      if (auto link = link_over(std::move(fd))) {
        on_accept_(std::move(link));
      } else {
        return pause();
      }
    }
    if (!stopped_) wait();
  }

  /// Null if the system has no room to watch one more socket (epoll's max_user_watches).
  std::shared_ptr<StreamLink> link_over(Fd fd) {
    try {
      return std::make_shared<StreamLink>(context_, std::move(fd));
    } catch (const boost::system::system_error&) {
      return nullptr;
    }
  }

  void pause() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([self = shared_from_this()](const auto& error) {
      if (!error && !self->stopped_) self->accept();
    });
  }

  asio::io_context& context_;
  asio::posix::stream_descriptor socket_;
  asio::steady_timer pause_;
  AcceptHandler on_accept_;
  bool stopped_ = false;
};

StreamListener::StreamListener(asio::io_context& context, ListenSocket socket,
                               AcceptHandler on_accept)
    : endpoint_(socket.endpoint),
      file_(std::move(socket.file)),
      loop_(std::make_shared<Loop>(context, std::move(socket.fd), std::move(on_accept))) {
  loop_->wait();
}

StreamListener::~StreamListener() {
  loop_->stop();
}

}  // namespace starbus::bus::io
