#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "base/loop_thread.hpp"
#include "daemon/admin/admin_http.hpp"

namespace starbus::daemon {

/// Admin requests whose answers cost the loop time, answered one after the other. Every observer of
/// any host may ask, and a page of names takes milliseconds; so after each answer the queue rests
/// three times as long as that answer took, and the loop serves messages. Requests of this host and
/// those that came over the bus are answered in turn: a host that asks much does not shut out the
/// operator here. Belongs to the loop's thread; destroy it before the loop.
class QueryQueue {
 public:
  enum class From { here, bus };
  using Make = std::function<Response()>;
  static constexpr std::size_t kWaiting = 256;  // of each origin; beyond it: 503, busy
  /// Times the duration of an answer.
  static constexpr int kRest = 3;

  explicit QueryQueue(boost::asio::io_context& loop);

  /// Calls `make` and then `reply` later, never from within this call.
  void push(From from, Make make, Reply reply);

 private:
  struct Question {
    Make make;
    Reply reply;
  };
  struct Line {
    std::deque<Question> waiting;
    std::deque<Reply> refused;
  };

  void wake(std::chrono::nanoseconds after);
  void serve();
  bool is_empty() const;

  LoopThread thread_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Line lines_[2];  // by From
  std::size_t next_ = 0;
  bool awake_ = false;
};

}  // namespace starbus::daemon
