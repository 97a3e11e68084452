#include "nodes/gate/net/poller.hpp"

#include <sys/epoll.h>

#include <array>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <system_error>

namespace starbus::nodes::gate::net {
namespace {

constexpr std::size_t kBatch = 128;  // then the rest of the loop has its turn

int open_epoll() {
  const int descriptor = ::epoll_create1(EPOLL_CLOEXEC);
  if (descriptor < 0) {
    throw boost::system::system_error(errno, boost::system::system_category(), "epoll_create1");
  }
  return descriptor;
}

epoll_event event_of(std::uint64_t key, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = key;
  return event;
}

}  // namespace

Poller::Poller(boost::asio::io_context& loop,
               std::function<void(std::uint64_t, std::uint32_t)> on_ready,
               std::function<void()> on_turn)
    : epoll_(loop, open_epoll()), on_ready_(std::move(on_ready)), on_turn_(std::move(on_turn)) {
  wait();
}

Poller::~Poller() {
  boost::system::error_code ignored;
  epoll_.close(ignored);
}

Result<> Poller::add(int descriptor, std::uint64_t key, std::uint32_t events) {
  epoll_event event = event_of(key, events);
  if (::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, descriptor, &event) == 0) return {};
  return Error(bus::Errc::io_error,
               "epoll_ctl: " + std::generic_category().message(errno) +
                   "; raise fs.epoll.max_user_watches if the system says that it is full");
}

void Poller::change(int descriptor, std::uint64_t key, std::uint32_t events) {
  epoll_event event = event_of(key, events);
  ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_MOD, descriptor, &event);
}

void Poller::remove(int descriptor) {
  ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, descriptor, nullptr);
}

void Poller::wait() {
  epoll_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
                      if (!error && !alive.expired()) run();
                    });
}

void Poller::run() {
  std::array<epoll_event, kBatch> events{};
  const int count =
      ::epoll_wait(epoll_.native_handle(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    on_ready_(event.data.u64, event.events);
  }
  on_turn_();
  wait();
}

}  // namespace starbus::nodes::gate::net
