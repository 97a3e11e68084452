#include "busd/pid_watch.hpp"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include "busd/process_start.hpp"

namespace starbus::busd {

namespace asio = boost::asio;

namespace {

/// A pidfd; -1 if the system gives none; closed if the process that was there at `seen` has ended.
Result<int> open_by_number(std::int64_t pid, bus::Time seen) {
  const auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0));
  const int error = errno;
  if (pidfd < 0 && error == ESRCH) return Error{bus::Errc::closed, "the process has ended"};
  if (pidfd < 0) {
    spdlog::warn("pid {}: cannot be watched; its names stay bound for the lease: {}", pid,
                 std::strerror(error));
    return -1;
  }
  const auto begun = start_of(pid);
  if (begun && *begun <= seen) return pidfd;
  ::close(pidfd);
  return Error{bus::Errc::closed, "another process has its number"};
}

}  // namespace

/// Shared with the handler that waits. Without a descriptor the process has ended already.
class PidWatch::Watched : public std::enable_shared_from_this<Watched> {
 public:
  Watched(asio::io_context& loop, std::function<void()> ended)
      : descriptor_(loop), ended_(std::move(ended)) {}

  void watch(int pidfd) {
    descriptor_.assign(pidfd);
    descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                           [self = shared_from_this()](const boost::system::error_code& error) {
                             if (!error) self->report();
                           });
  }
  void report_soon() {
    asio::post(descriptor_.get_executor(), [self = shared_from_this()] { self->report(); });
  }
  bool has_ended() {
    if (!descriptor_.is_open()) return true;
    pollfd poll{descriptor_.native_handle(), POLLIN, 0};
    return ::poll(&poll, 1, 0) > 0;
  }
  void cancel() {
    ended_ = nullptr;
    boost::system::error_code ignored;
    descriptor_.close(ignored);
  }

 private:
  void report() {
    if (const auto ended = std::exchange(ended_, nullptr)) ended();
  }

  asio::posix::stream_descriptor descriptor_;
  std::function<void()> ended_;
};

PidWatch::PidWatch(asio::io_context& loop, Ended ended) : loop_(loop), ended_(std::move(ended)) {}

PidWatch::~PidWatch() {
  for (auto& [pid, watched] : watched_) watched->cancel();
}

void PidWatch::add(std::int64_t pid, const Result<int>& pidfd, bus::Time seen) {
  thread_.check();
  assert(pid > 0);
  remove(pid);
  const Result<int> found = pidfd && *pidfd < 0 ? open_by_number(pid, seen) : pidfd;
  if (found && *found < 0) return;
  auto watched = std::make_shared<Watched>(loop_, [this, pid] {
    watched_.erase(pid);
    ended_(pid);
  });
  watched_[pid] = watched;
  if (found) {
    watched->watch(*found);
  } else {
    watched->report_soon();
  }
}

bool PidWatch::has_ended(std::int64_t pid) const {
  const auto found = watched_.find(pid);
  return found != watched_.end() && found->second->has_ended();
}

void PidWatch::remove(std::int64_t pid) {
  thread_.check();
  const auto found = watched_.find(pid);
  if (found == watched_.end()) return;
  found->second->cancel();
  watched_.erase(found);
}

}  // namespace starbus::busd
