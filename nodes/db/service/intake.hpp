#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "bus/client/message.hpp"

namespace starbus::nodes::db {

/// The figures of an Intake, for metrics.
struct IntakeFigures {
  std::size_t requests = 0;   // not answered yet
  std::size_t bytes = 0;      // of these
  std::size_t callers = 0;    // of these
  std::uint64_t refused = 0;  // for want of room
  std::size_t unsent = 0;     // answers whose callers' windows are full
  std::size_t unsent_bytes = 0;
  std::uint64_t dropped = 0;  // answers that could not be sent
};

/// The loop's side of a database: takes calls of the bus, hands them on, and brings the answers
/// back. Bounded per calling process and for all together; what is beyond is refused as `busy` at
/// once. Answers wait for the callers' windows; one that waits too long is dropped, and its caller
/// asks again. Belongs to the loop's thread, but for answer().
class Intake {
 public:
  /// A request for the database, and the number that its answer must name.
  using Handle = std::function<void(bus::Bytes body, std::uint64_t number)>;

  Intake(boost::asio::io_context& loop, Handle handle);

  /// Takes a call over, and answers it later; `busy` at once if there is no room.
  void take(bus::Call& call);
  /// **From any thread**, also when the object is gone.
  std::function<void(std::uint64_t number, bus::Bytes answer)> answer();

  /// Calls `done` when nothing is unanswered: at once, or later.
  void when_idle(std::function<void()> done);
  IntakeFigures figures() const;

 private:
  struct Waiting {
    bus::Responder responder;
    bus::Process caller;
    std::size_t bytes = 0;
  };
  struct Share {
    std::size_t requests = 0;
    std::size_t bytes = 0;
  };
  struct Unsent {
    bus::Responder responder;
    bus::Bytes answer;
    std::chrono::steady_clock::time_point since;
  };
  /// Answers on their way from the engine's thread.
  struct Outbox {
    std::mutex mutex;
    std::vector<std::pair<std::uint64_t, bus::Bytes>> answers;
    bool posted = false;
  };

  bool has_room(const bus::Process& caller, std::size_t bytes) const;
  void collect();
  void answered(std::uint64_t number, bus::Bytes answer);
  void send(const bus::Process& caller, bus::Responder responder, bus::Bytes answer);
  void retry();
  void retry_later();
  void tell_idle();

  boost::asio::io_context& loop_;
  const Handle handle_;
  std::uint64_t next_ = 1;
  std::unordered_map<std::uint64_t, Waiting> waiting_;  // by number
  std::size_t waiting_bytes_ = 0;
  std::map<bus::Process, Share> shares_;
  std::map<bus::Process, std::deque<Unsent>> unsent_;
  std::size_t unsent_bytes_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t dropped_ = 0;
  boost::asio::steady_timer timer_;
  bool retrying_ = false;
  std::function<void()> idle_;
  std::shared_ptr<Outbox> outbox_ = std::make_shared<Outbox>();
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace starbus::nodes::db
