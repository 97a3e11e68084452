#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bus/core/ends/mail_reader.hpp"
#include "bus/core/ends/process_core.hpp"

namespace starbus::bus {

/// The mailboxes and logs that one process reads: a MailReader each, and the pending operations of
/// its user. Belongs to the loop's thread and to BusParts, which hands it all events. Completions
/// run on a later turn of the loop.
class MailReaders {
 public:
  using Id = std::uint64_t;
  template <class T>
  using Done = std::function<void(Result<T>)>;
  struct Access {
    ProcessCore& process;
    std::function<void(std::size_t bytes)> request_send;
    std::function<void(std::function<void()>)> later;
    std::function<Result<>()> watch_stores;  // idempotent
  };
  explicit MailReaders(Access access);

  /// Completes when the first session has begun, with the reason why none will, or at the deadline.
  void open(MailReader::Settings settings, Time deadline, Done<Id> done);
  /// Completes with at least one and at most `max` messages, as soon as one has come. busy: an
  /// earlier call has not completed.
  void next(Id id, std::size_t max, Done<std::vector<MailItem>> done);
  /// Completes when the settlement is on the disk of the store.
  void acknowledge(Id id, std::uint64_t upto, const std::string& reject, Done<void> done);
  void close(Id id);
  /// Null if it is closed.
  const MailReader* find(Id id) const;

  // --- events ---
  void on_mail(const Process& from, Kind kind, ByteView payload);
  void on_lost(const ChannelId& process);  // see ProcessEvents::on_mail_lost
  /// Rows of the watch of stores have changed.
  void stores_changed(const std::vector<WatchRow>& changes);
  /// A name is owned here under this epoch; 0: not now, since it moves.
  void owned(const ChannelId& channel, Epoch epoch);
  /// A name is not owned here any more.
  void disowned(const ChannelId& channel, const Error& reason);
  /// All names are gone, and this process has become a new one.
  void lease_lost(const Error& reason);
  void tick();
  void shut(const Error& reason);

 private:
  struct Ack {
    std::uint64_t upto = 0;
    bool reject = false;
    Done<void> done;
  };
  struct Reader {
    std::unique_ptr<MailReader> machine;
    ChannelId channel;
    std::uint8_t shard = 0;
    std::uint64_t token = 0;  // under which the machine's session is known in sessions_
    Time deadline{};
    Done<Id> opened;
    std::size_t most = 0;
    Done<std::vector<MailItem>> next;
    std::deque<Ack> acks;
  };

  void begin(Reader& reader);
  void tell_store(Reader& reader);
  void serve(Id id, Reader& reader);
  void refuse(Reader& reader, const MailRefused& refused);
  void fail(Id id, Reader& reader, const Error& reason);
  template <class Record>
  void end_forgotten(const Process& store, const Record& record);
  template <class T>
  void complete(Done<T>& done, Result<T> result);
  std::vector<Id> mailboxes_of(const ChannelId& channel) const;
  void erase(Id id);
  static Time now();

  Access access_;
  std::map<Id, Reader> readers_;
  Id next_id_ = 1;
  std::uint64_t next_token_;  // no record for an earlier incarnation matches a session
  boost::unordered_flat_map<std::uint64_t, Id> sessions_;  // by token
  std::set<Id> waiting_;                                   // without a session: their deadlines run
  std::vector<Id> failed_;  // failed to open: no handle refers to them
  boost::unordered_flat_map<ChannelId, std::vector<Id>> by_channel_;
  std::map<std::string, std::set<Id>, std::less<>> by_store_;  // by the name of the shard
};

}  // namespace starbus::bus
