/// A hostile program with many sessions: each does one thing that its role allows, as fast as busd
/// takes it, and all of them at once. One thread, no waiting; owns its sessions.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/cluster/intruder/node/raw_session.hpp"

namespace starbus::cluster_test {

struct IntruderOptions {
  std::string socket;  // path of busd's
  std::string host;    // of that busd
  std::string victim;  // prefix of names that honest processes own
  std::size_t sessions = 512;
  std::chrono::milliseconds pace{};  // between two acts of a session; 0: as busd takes them
  std::size_t names = 200;           // that each of its binders takes and frees, again and again
};

class Intruder {
 public:
  explicit Intruder(IntruderOptions options);

  /// Opens sessions until each was welcomed once, or was refused, or the time is over.
  void open_all(std::chrono::milliseconds limit);
  /// One pass over all sessions.
  void pass();
  std::size_t open_sessions() const;

 private:
  /// What a session does.
  enum class Habit { bind, watch, flood, deaf, acknowledge, half, come_and_go, ask };
  static constexpr std::size_t kHabits = 8;
  struct Member {
    std::unique_ptr<RawSession> session;
    Habit habit{};
    std::uint64_t step = 0;
    std::chrono::steady_clock::time_point beaten{};  // the latest heartbeat
    std::chrono::steady_clock::time_point opened{};
    std::chrono::steady_clock::time_point acted{};
  };

  void serve(Member& member);
  void act(Member& member);
  void bind_and_free(Member& member);
  void watch_and_unwatch(Member& member);
  void flood(Member& member);
  void acknowledge(Member& member);
  void begin_a_record(Member& member);
  void ask(Member& member);
  /// The own channel of one of the sessions that never read.
  bus::ChannelId deaf_channel(std::uint64_t number) const;

  const IntruderOptions options_;
  std::vector<Member> members_;
  std::chrono::steady_clock::time_point now_{};
  bus::Bytes body_;
};

}  // namespace starbus::cluster_test
