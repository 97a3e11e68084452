#pragma once

#include <deque>
#include <map>
#include <optional>
#include <variant>

#include "bus/core/wire/record_readers.hpp"
#include "mail/limits.hpp"
#include "mail/readers.hpp"
#include "mail/types.hpp"

namespace starbus::mail {

/// A reader that asks to begin a session; `box` is the id of its mailbox or log.
struct Opening {
  ReaderId id;
  bus::MailOpen open;
  ChannelId box;
  bool told = false;  // where it begins; by a batch that was refused
};
/// A reader that has settled messages.
struct Acknowledgement {
  ReaderId id;
  bus::MailAck ack;
};

/// Requests of readers that no batch has taken yet. Requests of one process keep their order, and
/// processes take turns: a process that floods fills only its own share. In memory only; one
/// thread.
class ReaderRequests {
 public:
  using Request = std::variant<Opening, Acknowledgement>;

  /// Returns false if there are too many. A later acknowledgement of a session replaces the earlier
  /// one.
  bool add(Request request);
  /// The next request; nullopt if none waits.
  std::optional<Request> take();
  /// Puts a taken request back, in front of the others of its process. Put back the latest first.
  void put_back(Request request);
  /// Makes this process the next one, if it has requests.
  void give_turn(const Process& process);

  /// Drops requests of a session that was closed, or of a process that has ended (see
  /// Readers::process_gone): nothing would ever end the session that an opening makes then.
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

}  // namespace starbus::mail
