/// A watch that outlives its refusal: it keeps the rows that it saw, asks again, and then passes on
/// the difference. For programs that must not end because a prefix has too many names for a while.
///
/// Belongs to the loop's thread; the Bus outlives it. Its rows are a copy: up to kMaxWatchRows.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "bus/client/bus.hpp"
#include "bus/core/routers/row_set.hpp"

namespace starbus::bus {

class LastingWatch {
 public:
  using Changed = std::function<void(const WatchUpdate&)>;
  /// The watch was refused, for this reason: what is known may be outdated until the next change.
  using Lapsed = std::function<void(const Error&)>;

  /// Both functions are called on the loop, and never after the end of this object. `lapsed` may be
  /// null.
  LastingWatch(Bus& bus, std::string prefix, Changed changed, Lapsed lapsed);
  LastingWatch(const LastingWatch&) = delete;
  LastingWatch& operator=(const LastingWatch&) = delete;

  /// Begins. bad_name and closed, as of Bus::watch; anything else is tried again after
  /// kWatchRetryFirst, then after longer pauses up to kWatchRetryLongest.
  Result<> start();
  /// False from a refusal until the rows are whole again.
  bool current() const { return current_; }

 private:
  Result<> watch();
  void update(const WatchUpdate& update);
  void lapse(const Error& why);

  Bus& bus_;
  const std::string prefix_;
  const Changed changed_;
  const Lapsed lapsed_;
  RowSet rows_;
  WatchHandle handle_;
  bool first_ = true;  // of the present watch: a snapshot begins
  bool current_ = false;
  std::chrono::milliseconds pause_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::bus
