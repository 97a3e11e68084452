#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "base/loop_thread.hpp"
#include "bus/core/error.hpp"
#include "bus/core/lanes.hpp"

namespace starbus::busd {

/// Reports the end of processes, by pidfd: no polling, and no mistake when a pid is used again,
/// also between connect(2) and add(). Belongs to the loop's thread and owns the descriptors. If the
/// system gives no pidfd, nothing is reported: then the lease of the process decides.
class PidWatch {
 public:
  using Ended = std::function<void(std::int64_t pid)>;
  PidWatch(boost::asio::io_context& loop, Ended ended);
  ~PidWatch();

  /// `ended` is called once, from the loop, even if the process has ended already. `pidfd` is what
  /// the socket of the process says (bus::io::Link::open_process), and ends with this. If it says
  /// nothing (-1), the process that has the number now must have begun before `seen`, when the
  /// socket was there; else the other one has ended.
  void add(std::int64_t pid, const Result<int>& pidfd = -1, bus::Time seen = bus::Time::max());
  void remove(std::int64_t pid);
  /// Asks the system; false for a process that is not watched.
  bool has_ended(std::int64_t pid) const;

 private:
  class Watched;
  LoopThread thread_;
  boost::asio::io_context& loop_;
  Ended ended_;
  std::map<std::int64_t, std::shared_ptr<Watched>> watched_;
};

}  // namespace starbus::busd
