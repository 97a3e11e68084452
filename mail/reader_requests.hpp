#pragma once

#include <deque>
#include <map>
#include <optional>
#include <variant>

#include "bus/core/wire/record_readers.hpp"
#include "mail/readers.hpp"

namespace starbus::bus::busd::mail {

struct Opening {
  ReaderId id;
  MailOpen open;
  ChannelId box;
  bool told = false;  // where it begins; by a batch that was refused
};
struct Acknowledgement {
  ReaderId id;
  MailAck ack;
};

/// What readers have asked for and no batch has taken yet. Those of a process keep their order, and
/// processes take turns: one that asks without end fills its own share, and holds up itself. In
/// memory only; one thread.
class ReaderRequests {
 public:
  using Request = std::variant<Opening, Acknowledgement>;

  /// Of all processes: some 25 MiB, and taken within a second.
  static constexpr std::size_t kMost = 65'536;
  /// Of one: what the library of a busy process opens anew when its store comes back goes in some
  /// rounds; beyond it busy, which libraries ask again after.
  static constexpr std::size_t kMostOfProcess = 8'192;

  /// False: there are too many. An acknowledgement behind another one of its session settles both:
  /// it takes its place.
  bool add(Request request);
  /// The next one; none: nothing waits.
  std::optional<Request> take();
  /// One that was taken, in front of the others of its process. The latest comes first.
  void put_back(Request request);
  /// A process that has something is the next one.
  void give_turn(const Process& process);

  /// What it asked for in vain: it has closed the session, or has ended itself (see
  /// Readers::process_gone). Nobody would ever end the session that an opening makes then.
  void forget(const ReaderId& id);
  void process_gone(const Process& process, bool living);

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }

 private:
  using Queues = std::map<Process, std::deque<Request>>;
  static bool merge(const Request& request, Request& latest);
  void drop_queue(Queues::iterator of);

  Queues of_process_;
  std::deque<Process> turns_;  // all that have something
  std::size_t count_ = 0;
};

}  // namespace starbus::bus::busd::mail
