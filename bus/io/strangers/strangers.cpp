#include "bus/io/strangers/strangers.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <utility>

namespace starbus::bus::io {
namespace {

/// The socket of the descriptor at this moment, whatever becomes of the number: ZeroMQ closes in
/// its own thread.
Fd pin(int descriptor) {
  return Fd(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
}

}  // namespace

Strangers::Strangers(boost::asio::io_context& context, Fd listening, std::uint16_t port,
                     OnShutOut on_shut_out)
    : listening_(std::move(listening)),
      port_(port),
      on_shut_out_(std::move(on_shut_out)),
      timer_(context) {}

void Strangers::accepted(int descriptor) {
  const Fd connection = pin(descriptor);
  const auto source = source_of(connection.get(), port_);
  if (!source) return;  // it has ended
  const bool known = table_.is_shut_out(*source);
  if (!known && table_.is_full(*source)) {
    table_.review(*source, [&](int other) { return is_there({other, *source}); });
  }
  const auto victim = table_.add({descriptor, *source}, StrangerTable::Clock::now());
  if (victim) end(*victim);
  if (known || !table_.is_shut_out(*source)) return;
  shut_out(listening_.get(), table_.shut_out());
  wait();
  const OnShutOut told = on_shut_out_;  // a copy: it may end the listener, and so this
  told(peer_of(connection.get()).address);
}

bool Strangers::is_there(const StrangerTable::Connection& connection) const {
  return source_of(pin(connection.descriptor).get(), port_) == connection.source;
}

/// ZeroMQ sees the end and closes it.
void Strangers::end(const StrangerTable::Connection& connection) const {
  const Fd pinned = pin(connection.descriptor);
  if (source_of(pinned.get(), port_) == connection.source) ::shutdown(pinned.get(), SHUT_RDWR);
}

void Strangers::wait() {
  if (std::exchange(waiting_, true)) return;
  timer_.expires_after(kShutOut);
  timer_.async_wait([this, weak = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (error || weak.expired()) return;
    waiting_ = false;
    if (table_.hear_again(StrangerTable::Clock::now())) {
      shut_out(listening_.get(), table_.shut_out());
    }
    if (!table_.shut_out().empty()) wait();
  });
}

}  // namespace starbus::bus::io
