/// A bad network for one TCP connection at a time or many: listens on a port of 127.0.0.1, passes
/// bytes on to another, and can delay, swallow, cut and reset them.
///
/// A thread of its own does the work; the methods may be called from any.
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <thread>
#include <vector>

namespace starbus::cluster_test {

class Relay {
 public:
  enum class Mode : std::uint8_t {
    pass,
    swallow,  // what is sent vanishes and nobody is told; such a connection never recovers
    refuse,   // whoever connects is hung up on
  };

  explicit Relay(int to_port);
  ~Relay();

  int port() const { return port_; }
  void set(Mode mode) { mode_ = mode; }
  /// One way, for what is received from now on.
  void delay(std::chrono::milliseconds time) { delay_ms_ = time.count(); }
  /// Ends all connections, with RST: what was under way is lost.
  void reset() { ++resets_; }
  std::uint64_t connections() const { return connections_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Parcel {
    Clock::time_point due;
    std::string bytes;
  };
  struct Way {
    int from = -1;
    int to = -1;
    std::deque<Parcel> parcels;
    std::size_t waiting = 0;  // bytes
  };
  struct Pair {
    Way ways[2];
    bool half_open = false;  // bytes are missing: to pass later ones would be no TCP
    bool over = false;
  };

  void run();
  void accept_one();
  void receive(Pair& pair, Way& way);
  void forward(Pair& pair, Way& way);
  static void end(Pair& pair);

  const int to_port_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<Mode> mode_ = Mode::pass;
  std::atomic<std::int64_t> delay_ms_ = 0;
  std::atomic<std::uint64_t> resets_ = 0;
  std::atomic<std::uint64_t> connections_ = 0;
  std::uint64_t resets_done_ = 0;
  std::list<Pair> pairs_;
  std::thread thread_;
};

}  // namespace starbus::cluster_test
