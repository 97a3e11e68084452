// Epoll: what a load process with thousands of sockets waits with. One thread uses it.
#pragma once

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <span>

namespace starbus::bench::gate {

class Epoll {
 public:
  Epoll() : handle_(::epoll_create1(EPOLL_CLOEXEC)) {}
  ~Epoll() { ::close(handle_); }
  Epoll(const Epoll&) = delete;
  Epoll& operator=(const Epoll&) = delete;

  // Level-triggered. `number` is what events carry.
  void add(int file, std::uint64_t number, std::uint32_t events = EPOLLIN) const {
    epoll_event event{};
    event.events = events;
    event.data.u64 = number;
    ::epoll_ctl(handle_, EPOLL_CTL_ADD, file, &event);
  }
  void change(int file, std::uint64_t number, std::uint32_t events) const {
    epoll_event event{};
    event.events = events;
    event.data.u64 = number;
    ::epoll_ctl(handle_, EPOLL_CTL_MOD, file, &event);
  }
  std::span<const epoll_event> wait(int timeout_ms) {
    const int count =
        ::epoll_wait(handle_, events_.data(), static_cast<int>(events_.size()), timeout_ms);
    return {events_.data(), static_cast<std::size_t>(count < 0 ? 0 : count)};
  }

 private:
  int handle_;
  std::array<epoll_event, 512> events_{};
};

}  // namespace starbus::bench::gate
