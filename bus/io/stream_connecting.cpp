#include "bus/io/stream_connecting.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include "bus/io/resolve.hpp"
#include "bus/io/stream_link.hpp"

namespace starbus::bus::io {
namespace {

namespace asio = boost::asio;

// A unix listener with a full backlog refuses for the moment only: after a restart of a daemon all
// processes of its host knock at once.
constexpr std::chrono::milliseconds kBacklogPause{10};

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

Address address_of(const std::string& path) {
  Address address;
  auto& local = reinterpret_cast<sockaddr_un&>(address.storage);
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, path.c_str(), path.size() + 1);
  address.size = sizeof local;
  return address;
}

Address address_of(const asio::ip::tcp::endpoint& endpoint) {
  Address address;
  std::memcpy(&address.storage, endpoint.data(), endpoint.size());
  address.size = static_cast<socklen_t>(endpoint.size());
  return address;
}

/// TCP connects to itself when the kernel happens to choose the wanted port as the own one.
bool connected_to_itself(int fd) {
  sockaddr_storage here{};
  sockaddr_storage there{};
  socklen_t here_size = sizeof here;
  socklen_t there_size = sizeof there;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&here), &here_size);
  ::getpeername(fd, reinterpret_cast<sockaddr*>(&there), &there_size);
  return here.ss_family != AF_UNIX && here_size == there_size &&
         std::memcmp(&here, &there, here_size) == 0;
}

}  // namespace

class StreamConnecting::Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  Attempt(asio::io_context& context, Endpoint endpoint, ConnectHandler on_connected)
      : context_(context),
        endpoint_(std::move(endpoint)),
        on_connected_(std::move(on_connected)),
        resolve_(context),
        deadline_(context),
        pause_(context) {}

  void start(std::chrono::milliseconds timeout) {
    deadline_.expires_after(timeout);
    deadline_.async_wait([self = shared_from_this(), timeout](const auto& error) {
      if (error) return;
      const auto waited = std::to_string(timeout.count()) + " ms";
      self->finish(self->failure("no answer within " + waited));
    });
    if (endpoint_.is_local()) {
      addresses_ = {address_of(endpoint_.path)};
      later({});
      return;
    }
    resolve_.start(endpoint_, [self = shared_from_this()](Result<Addresses> found) {
      if (!found) return self->finish(found.error());
      for (const auto& address : *found) self->addresses_.push_back(address_of(address));
      self->try_next();
    });
  }

  void cancel() {
    on_connected_ = nullptr;
    stop();
  }

 private:
  void later(std::chrono::milliseconds pause) {
    pause_.expires_after(pause);
    pause_.async_wait([self = shared_from_this()](const auto& error) {
      if (!error) self->try_next();
    });
  }

  void try_next() {
    if (!on_connected_) return;
    if (next_ == addresses_.size()) return finish(failure(reason_));
    const Address& address = addresses_[next_];
    Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return finish(os_error("socket", errno));
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) ==
        0) {
      return connected(std::move(fd));
    }
    if (errno == EAGAIN) return later(kBacklogPause);
    if (errno != EINPROGRESS) return skip(errno);
    pending_.emplace(context_, fd.release());
    pending_->async_wait(asio::posix::stream_descriptor::wait_write,
                         [self = shared_from_this()](const auto& error) {
                           if (!error && self->on_connected_) self->settle();
                         });
  }

  /// The kernel has decided about the pending connection.
  void settle() {
    Fd fd(pending_->release());
    pending_.reset();
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0 && connected_to_itself(fd.get())) error = ECONNREFUSED;
    if (error != 0) return skip(error);
    connected(std::move(fd));
  }

  void skip(int error) {
    reason_ = std::system_category().message(error);
    ++next_;
    try_next();
  }

  void connected(Fd fd) { finish(std::make_shared<StreamLink>(context_, std::move(fd))); }

  Error failure(const std::string& reason) const {
    return Error{Errc::unreachable, endpoint_.to_string() + ": " + reason};
  }

  void finish(Result<std::shared_ptr<Link>> result) {
    auto handler = std::exchange(on_connected_, nullptr);
    stop();
    if (handler) handler(std::move(result));
  }

  void stop() {
    resolve_.cancel();
    deadline_.cancel();
    pause_.cancel();
    pending_.reset();
  }

  asio::io_context& context_;
  const Endpoint endpoint_;
  ConnectHandler on_connected_;  // empty: over
  Resolve resolve_;
  asio::steady_timer deadline_;
  asio::steady_timer pause_;
  std::vector<Address> addresses_;
  std::size_t next_ = 0;
  std::string reason_;
  std::optional<asio::posix::stream_descriptor> pending_;
};

StreamConnecting::StreamConnecting(asio::io_context& context, Endpoint endpoint,
                                   std::chrono::milliseconds timeout, ConnectHandler on_connected)
    : attempt_(std::make_shared<Attempt>(context, std::move(endpoint), std::move(on_connected))) {
  attempt_->start(timeout);
}

StreamConnecting::~StreamConnecting() {
  attempt_->cancel();
}

}  // namespace starbus::bus::io
