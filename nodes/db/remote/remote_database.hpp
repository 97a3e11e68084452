/// A database of a db node, over the bus: what the embedded one is within a process.
///
///   db::RemoteDatabase database(node.bus(), {.database = "main"});
///   database.write({.writes = {db::Update{"players", "42", changes}}}, done);
///
/// **What is lost is repeated**, until the deadline: through the end and the restart of the node,
/// of busds and of busroot. Each write has a request id, the caller's or one that is drawn here, so
/// it takes effect once. Then `outcome_unknown` says that it may be there, and any other code that
/// it is not (docs/guide/db.md, "Over the bus").
///
/// **Order.** Requests about one document (or one index) take effect in the order of the calls,
/// also when some have to be repeated: the next one is sent when the one before it has ended.
/// Requests about different documents do not wait for each other, and have no order.
///
/// Belongs to the loop's thread; its end drops what has not been answered. The bus outlives it.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "nodes/db/limits.hpp"
#include "nodes/db/remote/remote_link.hpp"
#include "nodes/db/remote/wire.hpp"

namespace starbus::bus {
class Bus;
}

namespace starbus::nodes::db {

/// Which database, and for how long a request is tried.
struct RemoteOptions {
  std::string database = "main";
  /// How long a request is tried; at most kLongestDeadline.
  std::chrono::milliseconds deadline{kRemoteDeadline};
};

struct RemoteCounters {
  std::uint64_t answered = 0;
  std::uint64_t failed = 0;  // ended without an answer
  std::uint64_t sent = 0;    // repeated ones included
};

class RemoteDatabase final : public Database {
 public:
  RemoteDatabase(bus::Bus& bus, RemoteOptions options = {});
  RemoteDatabase(std::unique_ptr<RemoteLink> link, RemoteOptions options);

  /// bad_request, bad_document, wrong_type, too_large; busy: kOutstandingRequests, ...Bytes.
  Result<> write(WriteRequest request, Done<Written> done) override;
  Result<> find(Find request, Done<std::optional<Json>> done) override;
  Result<> query(Query request, Done<Page> done) override;
  Result<> count(Count request, Done<Counted> done) override;
  Result<> declare_index(DeclareIndex request, Done<> done) override;
  Result<> drop_index(DropIndex request, Done<> done) override;
  Result<> indexes(std::string collection, Done<std::vector<IndexInfo>> done) override;
  Result<> collections(Done<std::vector<CollectionInfo>> done) override;

  /// Requests that have no answer yet.
  std::size_t outstanding() const { return pending_.size(); }
  const RemoteCounters& counters() const { return counters_; }

 private:
  using Milliseconds = RemoteLink::Milliseconds;
  /// With the bytes of an answer, or why there is none; whether an attempt may have been carried
  /// out whose answer was lost.
  using End = std::function<void(const Result<bus::ByteView>&, bool maybe_done)>;
  struct Pending {
    bus::Bytes arguments;
    std::vector<std::string> keys;  // what it is about, each once
    std::size_t behind = 0;         // of these, those that it is not the first of
    Milliseconds born{};
    std::uint64_t age_ms = 0;  // when it was born
    std::uint64_t attempt = 0;
    bool changes = false;  // not a read
    bool in_flight = false;
    bool maybe_done = false;
    Error reason;  // why it has no answer yet
    End end;
  };
  using Queue = std::map<std::uint64_t, Pending>;  // by number: oldest first

  template <class T, class Finish>
  Result<> ask(const Arguments& arguments, std::vector<std::string> keys, Finish finish);
  template <class T>
  Result<> ask(const Arguments& arguments, std::vector<std::string> keys, Done<T> done);
  Result<> take(Pending pending);

  void pump();
  void send(std::uint64_t number, Pending& pending, Milliseconds left);
  void replied(std::uint64_t number, std::uint64_t attempt, const bus::Result<bus::Bytes>& result);
  void judge(Queue::iterator at, const Verdicted& verdicted);
  void lost(Queue::iterator at, const bus::Error& error);
  void landed(std::uint64_t number, Pending& pending);
  void rest();
  void resume();
  void owner_changed(bool first);
  Milliseconds left_of(const Pending& pending) const;
  Pending remove(Queue::iterator at);
  void end(Queue::iterator at, const Result<bus::ByteView>& result);
  void end_all(std::vector<Pending> expired);

  const RemoteOptions options_;
  const std::unique_ptr<RemoteLink> link_;
  std::string id_prefix_;  // of request ids
  std::uint64_t next_id_ = 1;
  Queue pending_;
  std::size_t pending_bytes_ = 0;
  std::uint64_t next_number_ = 1;
  std::unordered_map<std::string, std::deque<std::uint64_t>> by_key_;  // requests, in order
  std::set<std::uint64_t> ready_;  // may be sent, and are not on their way
  std::size_t flight_bytes_ = 0;
  bool resting_ = false;
  Milliseconds pause_{kRepeatFirst};
  RemoteCounters counters_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace starbus::nodes::db
