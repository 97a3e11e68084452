/// The embedded Database, over a storage::Store. docs/guide/db.md is the contract.
///
/// One batch at a time: requests that come while the disk works make the next batch (a Draft);
/// their answers come when it is durable. A find waits only if a write of the same document does. A
/// full disk refuses requests that put, and takes those that only erase; any other failure of the
/// disk stops all writing, and reads go on.
///
/// Belongs to one thread, that of the executor; blocks for disk reads. The store and the executor
/// outlive it. The end of it drops what has not been answered.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>

#include "nodes/db/database.hpp"
#include "nodes/db/draft.hpp"
#include "nodes/db/limits.hpp"
#include "nodes/runtime/tasks/executor.hpp"
#include "storage/store.hpp"

namespace starbus::nodes::db {

/// How many request ids are remembered, and for how long.
struct StoreDatabaseOptions {
  /// Milliseconds of the wall clock; empty: the system's.
  std::function<std::uint64_t()> wall_ms;
  std::uint64_t request_age_ms = static_cast<std::uint64_t>(kRequestAge.count());
  std::uint64_t requests = kMaxRequests;
};

/// Since it was opened.
struct DatabaseReport {
  std::uint64_t batches = 0;   ///< commits
  std::uint64_t written = 0;   ///< requests that were carried out
  std::uint64_t repeated = 0;  ///< and that had been before
  std::uint64_t refused = 0;   ///< for any reason
  std::uint64_t waiting = 0;   ///< requests, now
  std::uint64_t collections = 0;
  std::uint64_t documents = 0;
  bool stopped = false;
};

class StoreDatabase final : public Database {
 public:
  /// corrupt, newer_format, io_error, store_full, closed.
  static Result<std::unique_ptr<StoreDatabase>> open(storage::Store& store, Executor& executor,
                                                     StoreDatabaseOptions options = {});

  Result<> write(WriteRequest request, Done<Written> done) override;
  Result<> find(Find request, Done<std::optional<Json>> done) override;
  Result<> query(Query request, Done<Page> done) override;
  Result<> count(Count request, Done<Counted> done) override;
  Result<> declare_index(DeclareIndex request, Done<> done) override;
  Result<> drop_index(DropIndex request, Done<> done) override;
  Result<> indexes(std::string collection, Done<std::vector<IndexInfo>> done) override;
  Result<> collections(Done<std::vector<CollectionInfo>> done) override;

  /// Its present figures, on the database's thread.
  DatabaseReport report() const;

 private:
  using Answer = std::function<void()>;
  /// A request that waits, or is in the batch. May be run again, on another draft.
  struct Item {
    bool writes = false;
    std::size_t bytes = 0;
    std::vector<std::string> keys;  // of documents that it writes
    std::function<Answer(Draft&)> run;
    std::function<Answer(const Error&)> refuse;
  };
  struct Running {
    std::vector<Item> items;
    std::vector<Answer> answers;
    std::optional<Draft> draft;
    std::optional<Error> refusing;  // what puts
    bool refuses_all = false;       // also what only erases
  };

  StoreDatabase(storage::Store& store, Executor& executor, StoreDatabaseOptions options,
                Catalogue catalogue);
  template <class T, class Run>
  Item item(bool writes, Done<T> done, Run run);
  template <class T>
  Result<> answer(Done<T> done, Result<T> result);
  template <class T, class Read>
  Result<> read(Done<T> done, Read read);

  Result<> may_take(std::size_t bytes) const;
  Result<> may_write(std::size_t bytes) const;
  Result<> take(Item item);
  void settle(const Item& item);

  void flush();
  void take_waiting();
  void build();
  void add_items();
  void commit();
  void put_back(std::size_t most);
  void finished(const storage::Result<>& result);
  void refuse(const Error& reason);
  void succeed();
  void stop(const storage::Error& reason);
  void tell(std::vector<Answer> answers);

  storage::Store& store_;
  Executor& executor_;
  const StoreDatabaseOptions options_;
  Catalogue catalogue_;
  std::deque<Item> waiting_;
  std::size_t waiting_bytes_ = 0;  // also of what is in the batch
  std::size_t unanswered_ = 0;
  std::unordered_map<std::string, std::size_t> writing_;  // documents, with unfinished writes
  std::unique_ptr<Running> batch_;
  std::optional<Error> stopped_;
  bool build_rests_ = false;  // the disk was full: until the next request
  DatabaseReport counters_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace starbus::nodes::db
