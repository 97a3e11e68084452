#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/histogram.hpp"
#include "bench/gate/load/bare_echo.hpp"
#include "bench/gate/load/epoll.hpp"
#include "bench/gate/load/pace.hpp"
#include "bench/gate/load/socket.hpp"
#include "bench/gate/load/stamp.hpp"
#include "bench/harness/clock.hpp"

namespace starbus::bench::gate {
namespace {

using Json = nlohmann::json;

struct Client {
  Socket socket;
  std::string input{};
};

class Load {
 public:
  explicit Load(const BareLoad& options) : options_(options) {}

  Result<void> connect() {
    for (std::size_t i = 0; i < options_.clients; ++i) {
      auto socket = Socket::connect(options_.port, nullptr);
      if (!socket) return socket.error();
      epoll_.add(socket->handle(), i);
      clients_.push_back({std::move(*socket)});
    }
    return {};
  }

  Result<Json> run() {
    times_ = {};
    const double per_second = options_.rate * static_cast<double>(options_.clients);
    const auto total = static_cast<std::uint64_t>(per_second * options_.seconds);
    const Pace pace(now_ns(), per_second);
    std::string body(options_.bytes, 'x');
    for (std::uint64_t sent = 0; sent < total;) {
      for (; sent < total && pace.due(sent) <= now_ns(); ++sent) {
        write_stamp(body, pace.due(sent));
        if (!clients_[sent % options_.clients].socket.write(body)) return fail("hung up");
      }
      if (!serve(sent < total ? pace.wait_ms(sent) : 0)) return fail("hung up");
    }
    const std::int64_t end = now_ns() + 2 * kSecond;
    while (times_.count() < total && now_ns() < end) {
      if (!serve(10)) return fail("hung up");
    }
    return Json{{"sent", total},
                {"received", times_.count()},
                {"p50", times_.percentile(50)},
                {"p99", times_.percentile(99)}};
  }

 private:
  bool serve(int timeout_ms) {
    for (const epoll_event& event : epoll_.wait(timeout_ms)) {
      Client& client = clients_[event.data.u64];
      if (!client.socket.read(client.input)) return false;
      std::size_t used = 0;
      for (; client.input.size() - used >= options_.bytes; used += options_.bytes) {
        times_.record(now_ns() - read_stamp(std::string_view(client.input).substr(used)));
      }
      client.input.erase(0, used);
    }
    return true;
  }

  const BareLoad options_;
  Epoll epoll_;
  std::vector<Client> clients_;
  Histogram times_;
};

}  // namespace

int run_bare_load(const BareLoad& options) {
  use_precise_timers();
  Load load(options);
  if (const auto up = load.connect(); !up) {
    std::cout << Json{{"error", up.error().what}} << std::endl;
    return 1;
  }
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const auto result = load.run();
    std::cout << (result ? *result : Json{{"error", result.error().what}}) << std::endl;
  }
  return 0;
}

}  // namespace starbus::bench::gate
