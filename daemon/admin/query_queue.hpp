#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "base/loop_thread.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "daemon/admin/admin_http.hpp"

namespace starbus::daemon {

/// Admin requests that came over the bus, answered one after the other from the loop. Every user of
/// an admin port of any host may ask, and a page of names takes milliseconds; so after each answer
/// the queue rests three times as long as that answer took, and the loop serves messages. Belongs
/// to the loop's thread; destroy it before the loop.
class QueryQueue {
 public:
  using Answer = std::function<Response(const std::string& path_and_query)>;
  using Send = std::function<void(const bus::Answer&)>;
  static constexpr std::size_t kWaiting = 256;  // beyond it: 503, busy
  /// Times the duration of an answer.
  static constexpr int kRest = 3;

  QueryQueue(boost::asio::io_context& loop, Answer answer, Send send);

  /// Answers later, never from within this call.
  void push(bus::Query query);

 private:
  void wake(std::chrono::nanoseconds after);
  void serve();
  void reply(const bus::Query& query, const Response& response);

  LoopThread thread_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Answer answer_;
  Send send_;
  std::deque<bus::Query> waiting_;
  std::deque<bus::Query> refused_;
  bool awake_ = false;
};

}  // namespace starbus::daemon
