// A relay of the socket peer: one thread, one epoll, frames copied from stream to stream.
#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "bench/bus/peer.hpp"
#include "bench/bus/socket_stream.hpp"
#include "bench/harness/clock.hpp"

namespace starbus::bench {
namespace {

class SocketRelay {
 public:
  SocketRelay(const Plan& plan, int host)
      : plan_(plan), host_(host), epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

  Result<void> run() {
    if (const auto opened = open(); !opened) return opened;
    std::array<epoll_event, 64> events{};
    for (;;) {
      const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
      if (count < 0 && errno != EINTR) return fail("socket relay: epoll_wait failed");
      for (int i = 0; i < count; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        if (event.data.ptr == nullptr) {
          accept_one();
        } else {
          serve(*static_cast<Link*>(event.data.ptr), event.events);
        }
      }
      // One write per link for everything that this round brought.
      for (const auto& link : links_) write(*link);
    }
  }

 private:
  struct Link {
    explicit Link(int descriptor) : stream(descriptor) {}
    SocketStream stream;
    bool waits_to_write = false;
    int subscriptions = 0;
  };

  Result<void> open() {
    listener_ = host_ == kRoot ? listen_tcp(plan_.ports.at("root"))
                               : listen_unix(socket_path(plan_, host_));
    if (listener_ < 0) return fail(std::string("socket relay: listen: ") + std::strerror(errno));
    epoll_event event{EPOLLIN, {nullptr}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &event);
    if (host_ == kRoot) return {};
    int descriptor = -1;
    for (int attempt = 0; descriptor < 0 && attempt < 250; ++attempt) {
      if (attempt != 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      descriptor = connect_tcp(plan_.ports.at("root"));
    }
    if (descriptor < 0) return fail("socket relay: no root");
    uplink_ = add(descriptor);
    const Address self{static_cast<std::uint16_t>(host_), 0};
    uplink_->stream.append(kRegistration, {reinterpret_cast<const char*>(&self), sizeof self});
    write(*uplink_);
    return {};
  }

  Link* add(int descriptor) {
    links_.push_back(std::make_unique<Link>(descriptor));
    epoll_event event{EPOLLIN, {links_.back().get()}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
    return links_.back().get();
  }

  void accept_one() {
    if (const int descriptor = accept_stream(listener_); descriptor >= 0) add(descriptor);
  }

  void serve(Link& link, std::uint32_t events) {
    if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) == 0) return;
    const bool open = link.stream.read_some(
        [&](const FrameHeader& header, std::string_view payload) { route(link, header, payload); });
    // A case ends with its relays, so a closed link only stops being watched.
    if (!open) epoll_ctl(epoll_, EPOLL_CTL_DEL, link.stream.descriptor(), nullptr);
  }

  void route(Link& from, const FrameHeader& header, std::string_view payload) {
    if (header.to == kRegistration) return enroll(from, payload);
    if (header.to == kEveryone) return publish(from, payload);
    Link* exit = uplink_;
    if (host_ == kRoot || header.to.host == host_) {
      const std::size_t number = host_ == kRoot ? header.to.host : header.to.slot;
      exit = number < exits_.size() ? exits_[number] : nullptr;
    }
    if (exit != nullptr) exit->stream.append(header.to, payload);
  }

  void enroll(Link& link, std::string_view payload) {
    Address who;
    if (payload.size() != sizeof who) return;
    std::memcpy(&who, payload.data(), sizeof who);
    const std::size_t number = host_ == kRoot ? who.host : who.slot;
    if (exits_.size() <= number) exits_.resize(number + 1);
    exits_[number] = &link;
    const PlannedProcess* process = host_ == kRoot ? nullptr : plan_.find(who);
    link.subscriptions = process == nullptr ? 1 : process->subscriptions;
  }

  void publish(Link& from, std::string_view payload) {
    if (uplink_ != nullptr && &from != uplink_) uplink_->stream.append(kEveryone, payload);
    for (Link* exit : exits_) {
      if (exit == nullptr || exit == &from) continue;
      for (int i = 0; i < exit->subscriptions; ++i) exit->stream.append(kEveryone, payload);
    }
  }

  void write(Link& link) {
    if (link.stream.unsent() == 0 && !link.waits_to_write) return;
    link.stream.write_some();
    const bool wait = link.stream.unsent() != 0;
    if (wait == link.waits_to_write) return;
    link.waits_to_write = wait;
    const auto wanted = static_cast<std::uint32_t>(wait ? EPOLLIN | EPOLLOUT : EPOLLIN);
    epoll_event event{wanted, {&link}};
    epoll_ctl(epoll_, EPOLL_CTL_MOD, link.stream.descriptor(), &event);
  }

  const Plan& plan_;
  int host_;
  int epoll_;
  int listener_ = -1;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<Link*> exits_;  // by slot, or at the root by host
  Link* uplink_ = nullptr;
};

}  // namespace

Result<void> run_socket_relay(const Plan& plan, int host) {
  return SocketRelay(plan, host).run();
}

}  // namespace starbus::bench
