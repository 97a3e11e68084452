#include "bench/gate/load/mqtt_load.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/histogram.hpp"
#include "bench/gate/load/epoll.hpp"
#include "bench/gate/load/mqtt_wire.hpp"
#include "bench/gate/load/pace.hpp"
#include "bench/gate/load/socket.hpp"
#include "bench/gate/load/stamp.hpp"
#include "bench/harness/clock.hpp"

namespace starbus::bench::gate {
namespace {

using Json = nlohmann::json;

constexpr const char* kEveryone = "everyone";
constexpr std::int64_t kPatience = 30 * kSecond;  // for what is missing

struct Client {
  Socket socket;
  std::string topic;  // that it publishes to
  std::string input{};
};

// Connected, and its packets before `until` are dropped.
Result<Client> connect_client(int port, const TlsContext& tls, const std::string& name) {
  auto socket = Socket::connect(port, tls);
  if (!socket) return socket.error();
  if (!socket->write(mqtt::connect_packet(name))) return fail("the broker hangs up");
  return Client{std::move(*socket), {}};
}

// Calls `use` with each packet that has come; false once the broker has hung up.
template <class Use>
bool read_packets(Client& client, Use use) {
  if (!client.socket.read(client.input)) return false;
  std::size_t used = 0;
  while (const auto packet = mqtt::first_packet(std::string_view(client.input).substr(used))) {
    used += packet->size;
    use(*packet);
  }
  client.input.erase(0, used);
  return true;
}

class MqttLoad {
 public:
  explicit MqttLoad(const MqttOptions& options) : options_(options) {}

  Result<void> connect() {
    const TlsContext tls = options_.tls ? client_tls() : nullptr;
    clients_.reserve(options_.clients + 1);
    for (std::size_t i = 0; i <= options_.clients; ++i) {  // the last one publishes to all
      const std::string number = std::to_string(i);
      auto client = connect_client(options_.port, tls, "load-" + number);
      if (!client) return client.error();
      client->topic = (options_.answered ? "q/" : "a/") + number;
      epoll_.add(client->socket.handle(), i);
      clients_.push_back(std::move(*client));
      expected_ += 1;
      if (i < options_.clients) {
        clients_[i].socket.write(mqtt::subscribe_packet("a/" + number));
        clients_[i].socket.write(mqtt::subscribe_packet(kEveryone));
        expected_ += 2;
      }
      // A broker's backlog is short.
      if (i % 64 == 63) serve(0);
    }
    return wait_for([&] { return confirmed_ >= expected_; }, "a confirmation");
  }

  Result<Json> echo(double seconds, double rate) {
    times_ = {};
    received_ = 0;
    const std::size_t count = options_.clients;
    const double per_second = rate * static_cast<double>(count);
    const auto total = static_cast<std::uint64_t>(per_second * seconds);
    const std::int64_t begin = now_ns();
    const Pace pace(begin, per_second);
    std::string body(options_.bytes, 'x');
    for (std::uint64_t sent = 0; sent < total;) {
      for (const std::int64_t now = now_ns(); sent < total && pace.due(sent) <= now; ++sent) {
        write_stamp(body, pace.due(sent));
        publish(clients_[sent % count], body);
      }
      if (!serve(sent < total ? pace.wait_ms(sent) : 0)) return fail("the broker hangs up");
    }
    const double passed = static_cast<double>(now_ns() - begin) / kSecond;
    // QoS 0 may lose some: then the counts say so.
    static_cast<void>(wait_for([&] { return received_ >= total; }, "", 2 * kSecond));
    return Json{{"sent", total},
                {"received", received_},
                {"seconds", passed},
                {"p50", times_.percentile(50)},
                {"p99", times_.percentile(99)}};
  }

  Result<Json> fanout(int times) {
    Histogram lasts;
    for (int i = 0; i < times; ++i) {
      received_ = 0;
      times_ = {};
      std::string body(options_.bytes, 'x');
      write_stamp(body, now_ns());
      clients_.back().socket.write(mqtt::publish_packet(kEveryone, body));
      const auto all = wait_for([&] { return received_ >= options_.clients; }, "a message to all");
      if (!all) return all.error();
      lasts.record(times_.max());
      sleep_until_ns(now_ns() + 20 * kMillisecond);
    }
    return Json{{"p50", lasts.percentile(50)}, {"max", lasts.max()}};
  }

 private:
  void publish(Client& client, std::string_view body) {
    client.socket.write(mqtt::publish_packet(client.topic, body));
  }

  bool serve(int timeout_ms) {
    for (const epoll_event& event : epoll_.wait(timeout_ms)) {
      Client& client = clients_[event.data.u64];
      if (client.socket.has_unsent() && !client.socket.write("")) return false;
      const bool there = read_packets(client, [&](const mqtt::Packet& packet) { take(packet); });
      if (!there) return false;
    }
    return true;
  }

  void take(const mqtt::Packet& packet) {
    if (packet.kind != mqtt::Kind::published) {
      ++confirmed_;
      return;
    }
    times_.record(now_ns() - read_stamp(packet.body));
    ++received_;
  }

  template <class Condition>
  Result<void> wait_for(Condition condition, const char* what, std::int64_t most = kPatience) {
    const std::int64_t end = now_ns() + most;
    while (!condition()) {
      if (now_ns() > end) return fail(std::string(what) + " is missing");
      if (!serve(10)) return fail("the broker hangs up");
    }
    return {};
  }

  const MqttOptions options_;
  Epoll epoll_;
  std::vector<Client> clients_;
  Histogram times_;
  std::uint64_t received_ = 0;
  std::uint64_t confirmed_ = 0;
  std::uint64_t expected_ = 0;
};

int failed(const Failure& failure) {
  std::cout << Json{{"error", failure.what}} << std::endl;
  return 1;
}

}  // namespace

int run_mqtt_load(const MqttOptions& options) {
  use_precise_timers();
  if (const auto files = allow_files(options.clients + 64); !files) return failed(files.error());
  MqttLoad load(options);
  if (const auto up = load.connect(); !up) return failed(up.error());
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word;
    double first = 0;
    double second = 0;
    words >> word >> first >> second;
    const Result<Json> result =
        word == "echo" ? load.echo(first, second) : load.fanout(static_cast<int>(first));
    if (!result) return failed(result.error());
    std::cout << *result << std::endl;
  }
  return 0;
}

int run_mqtt_responder(int port) {
  auto client = connect_client(port, nullptr, "responder");
  if (!client) return failed(client.error());
  client->socket.write(mqtt::subscribe_packet("q/#"));
  Epoll epoll;
  epoll.add(client->socket.handle(), 0);
  epoll.add(STDIN_FILENO, 1);
  int confirmed = 0;
  std::string answers;
  for (;;) {
    for (const epoll_event& event : epoll.wait(-1)) {
      if (event.data.u64 == 1) return 0;
      answers.clear();
      const bool there = read_packets(*client, [&](const mqtt::Packet& packet) {
        if (packet.kind != mqtt::Kind::published) {
          if (++confirmed == 2) std::cout << "ready" << std::endl;
          return;
        }
        std::string topic(packet.topic);
        topic[0] = 'a';
        answers += mqtt::publish_packet(topic, packet.body);
      });
      if (!there || !client->socket.write(answers)) return 1;
      epoll.change(client->socket.handle(), 0,
                   client->socket.has_unsent() ? EPOLLIN | EPOLLOUT : EPOLLIN);
    }
  }
}

}  // namespace starbus::bench::gate
