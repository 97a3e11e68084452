// The process of all riders: one epoll.
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <string>

#include "base/file_descriptor.hpp"
#include "bench/harness/clock.hpp"
#include "bench/travel/roles.hpp"

namespace starbus::bench::travel {
namespace {

constexpr std::uint64_t kInput = ~std::uint64_t{0};
constexpr int kEvents = 256;
constexpr std::int64_t kLongestWait = 50 * kMillisecond;
constexpr std::int64_t kEnd = 30 * kSecond;  // for the last outcomes

class Riders {
 public:
  explicit Riders(const RiderOptions& options)
      : options_(options), epoll_(::epoll_create1(EPOLL_CLOEXEC)), sockets_(options.riders) {
    for (std::size_t number = 1; number <= options.riders; ++number) {
      riders_.push_back(std::make_unique<Rider>(options_, number));
    }
    watch(STDIN_FILENO, kInput, EPOLLIN);
  }

  int run() {
    wait_until([&] { return all([](const Rider& one) { return one.plays(); }); });
    std::cout << "ready" << std::endl;
    wait_until([&] { return line_ == "go"; });
    for (const auto& one : riders_) one->set_out();
    wait_until(
        [&] { return line_ == "end" || all([](const Rider& one) { return one.is_back(); }); });
    std::cout << "back" << std::endl;
    wait_until([&] { return line_ == "end"; });
    for (const auto& one : riders_) one->finish();
    const std::int64_t end = now_ns() + kEnd;
    wait_until([&] { return now_ns() > end || all([](const Rider& one) { return one.over(); }); });
    nlohmann::json results = nlohmann::json::array();
    for (const auto& one : riders_) {
      if (!one->over()) return say_error(one->state());
      results.push_back(one->result());
    }
    std::cout << nlohmann::json{{"riders", std::move(results)}} << std::endl;
    return 0;
  }

 private:
  struct Watched {
    int fd = -1;
    std::uint64_t connection = 0;
    bool writes = false;
    bool operator==(const Watched&) const = default;
  };

  template <class Condition>
  bool all(Condition condition) const {
    return std::ranges::all_of(riders_, [&](const auto& one) { return condition(*one); });
  }
  static int say_error(const std::string& what) {
    std::cout << nlohmann::json{{"error", what}} << std::endl;
    return 1;
  }

  template <class Condition>
  void wait_until(Condition condition) {
    while (!condition()) turn();
  }
  // At its end nobody waits for the results.
  void turn() {
    std::int64_t due = now_ns() + kLongestWait;
    for (const auto& one : riders_) due = std::min(due, one->due());
    const std::int64_t wait = std::max<std::int64_t>(0, due - now_ns());
    std::array<epoll_event, kEvents> events{};
    const int count = ::epoll_wait(epoll_.get(), events.data(), kEvents,
                                   static_cast<int>((wait + kMillisecond - 1) / kMillisecond));
    for (int i = 0; i < count; ++i) {
      const std::uint64_t name = events[static_cast<std::size_t>(i)].data.u64;
      if (name == kInput) {
        if (!std::getline(std::cin, line_)) std::_Exit(0);
      } else {
        serve(name);
      }
    }
    const std::int64_t now = now_ns();
    for (std::size_t i = 0; i < riders_.size(); ++i) {
      if (riders_[i]->due() <= now || sockets_[i].fd < 0) serve(i);
    }
  }
  void serve(std::size_t which) {
    riders_[which]->service();
    const game::Client& client = riders_[which]->client();
    const Watched wanted{client.fd(), client.session().counts().connections, client.wants_write()};
    if (wanted == sockets_[which]) return;
    sockets_[which] = wanted;
    if (wanted.fd >= 0) watch(wanted.fd, which, EPOLLIN | (wanted.writes ? EPOLLOUT : 0U));
  }
  // A socket that was closed has left by itself; its number may be that of another one.
  void watch(int fd, std::uint64_t name, std::uint32_t what) const {
    epoll_event event{};
    event.events = what;
    event.data.u64 = name;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0) return;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
  }

  const RiderOptions& options_;
  FileDescriptor epoll_;
  std::vector<std::unique_ptr<Rider>> riders_;
  std::vector<Watched> sockets_;
  std::string line_;
};

}  // namespace

int run_riders(const RiderOptions& options) {
  entity::rpc::Dictionary::of_process();  // this process has no Endpoint: the types of its calls
  return Riders(options).run();
}

}  // namespace starbus::bench::travel
