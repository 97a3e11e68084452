#include "nodes/db/store_database.hpp"

#include "base/wall_clock.hpp"
#include "nodes/db/names.hpp"
#include "nodes/db/ranges.hpp"

namespace starbus::nodes::db {
namespace {

StoreDatabaseOptions completed(StoreDatabaseOptions options) {
  if (!options.wall_ms) options.wall_ms = wall_ms;
  return options;
}

Result<> check_index(const std::string& collection, const std::string& name) {
  if (const auto checked = check_name(collection); !checked) return checked;
  return check_name(name);
}

}  // namespace

Result<std::unique_ptr<StoreDatabase>> StoreDatabase::open(storage::Store& store,
                                                           Executor& executor,
                                                           StoreDatabaseOptions options) {
  auto catalogue = load_catalogue(store);
  if (!catalogue) return catalogue.error();
  std::unique_ptr<StoreDatabase> database(
      new StoreDatabase(store, executor, completed(std::move(options)), std::move(*catalogue)));
  database->flush();  // goes on with indexes that are not complete
  return database;
}

StoreDatabase::StoreDatabase(storage::Store& store, Executor& executor,
                             StoreDatabaseOptions options, Catalogue catalogue)
    : store_(store),
      executor_(executor),
      options_(std::move(options)),
      catalogue_(std::move(catalogue)) {}

// --- requests ------------------------------------------------------------------------------------

template <class T, class Run>
StoreDatabase::Item StoreDatabase::item(bool writes, Done<T> done, Run run) {
  const auto told = std::make_shared<const Done<T>>(std::move(done));
  Item item;
  item.writes = writes;
  item.run = [told, run = std::move(run)](Draft& draft) -> Answer {
    return [told, result = run(draft)] { (*told)(result); };
  };
  item.refuse = [told](const Error& error) -> Answer { return [told, error] { (*told)(error); }; };
  return item;
}

/// Never within the call.
template <class T>
Result<> StoreDatabase::answer(Done<T> done, Result<T> result) {
  ++unanswered_;
  executor_.run_later("answers of documents", [this, weak = std::weak_ptr(alive_),
                                               done = std::move(done), result = std::move(result)] {
    if (weak.expired()) return;
    --unanswered_;
    done(result);
  });
  return {};
}

template <class T, class Read>
Result<> StoreDatabase::read(Done<T> done, Read read) {
  if (const auto may = may_take(0); !may) return may;
  const auto snapshot = store_.snapshot();
  if (!snapshot) return answer<T>(std::move(done), error_of(snapshot.error()));
  return answer<T>(std::move(done), read(**snapshot));
}

Result<> StoreDatabase::may_take(std::size_t bytes) const {
  const bool full = unanswered_ >= kWaitingRequests ||
                    (waiting_bytes_ != 0 && waiting_bytes_ + bytes > kWaitingBytes);
  if (full) return Error(Errc::busy, "too many bytes wait for the disk; ask again later");
  return {};
}

Result<> StoreDatabase::may_write(std::size_t bytes) const {
  if (stopped_) return *stopped_;
  return may_take(bytes);
}

Result<> StoreDatabase::take(Item item) {
  ++unanswered_;
  waiting_bytes_ += item.bytes;
  for (const std::string& key : item.keys) ++writing_[key];
  waiting_.push_back(std::move(item));
  build_rests_ = false;
  flush();
  return {};
}

Result<> StoreDatabase::write(WriteRequest request, Done<Written> done) {
  const auto bytes = check_request(request);
  if (!bytes) return bytes.error();
  if (const auto may = may_write(*bytes); !may) return may;
  std::vector<std::string> keys;
  for (const Write& write : request.writes) {
    std::visit([&](const auto& one) { keys.push_back(document_key(one.collection, one.id)); },
               write);
  }
  const auto shared = std::make_shared<const WriteRequest>(std::move(request));
  auto counted = [this, done = std::move(done)](const Result<Written>& written) {
    ++(!written ? counters_.refused : written->repeated ? counters_.repeated : counters_.written);
    done(written);
  };
  const auto run = [shared](Draft& draft) { return draft.write(*shared); };
  Item waiting = item<Written>(true, std::move(counted), run);
  waiting.bytes = *bytes;
  waiting.keys = std::move(keys);
  return take(std::move(waiting));
}

Result<> StoreDatabase::find(Find request, Done<std::optional<Json>> done) {
  if (const auto name = check_name(request.collection); !name) return name;
  if (const auto id = check_id(request.id); !id) return id;
  if (const auto paths = check_paths(request.paths); !paths) return paths.error();
  if (const auto may = may_take(0); !may) return may;
  if (writing_.contains(document_key(request.collection, request.id))) {
    const auto run = [request = std::move(request)](Draft& draft) { return draft.find(request); };
    return take(item<std::optional<Json>>(false, std::move(done), run));
  }
  Draft empty(store_, catalogue_, {}, 0);
  return answer<std::optional<Json>>(std::move(done), empty.find(request));
}

Result<> StoreDatabase::query(Query request, Done<Page> done) {
  return read<Page>(std::move(done), [&](const storage::Snapshot& snapshot) {
    return read_page(snapshot, catalogue_, request);
  });
}

Result<> StoreDatabase::count(Count request, Done<Counted> done) {
  return read<Counted>(std::move(done), [&](const storage::Snapshot& snapshot) {
    return count_rows(snapshot, catalogue_, request);
  });
}

Result<> StoreDatabase::declare_index(DeclareIndex request, Done<> done) {
  if (const auto checked = check_index(request.collection, request.name); !checked) return checked;
  if (const auto checked = check_fields(request.fields); !checked) return checked;
  if (const auto may = may_write(0); !may) return may;
  const auto run = [request = std::move(request)](Draft& draft) { return draft.declare(request); };
  return take(item<void>(true, std::move(done), run));
}

Result<> StoreDatabase::drop_index(DropIndex request, Done<> done) {
  if (const auto checked = check_index(request.collection, request.name); !checked) return checked;
  if (const auto may = may_write(0); !may) return may;
  const auto run = [request = std::move(request)](Draft& draft) { return draft.drop(request); };
  return take(item<void>(true, std::move(done), run));
}

Result<> StoreDatabase::indexes(std::string collection, Done<std::vector<IndexInfo>> done) {
  if (const auto name = check_name(collection); !name) return name;
  if (const auto may = may_take(0); !may) return may;
  std::vector<IndexInfo> infos;
  if (const Collection* const owner = catalogue_.find(collection)) {
    for (const auto& [name, index] : owner->indexes) {
      infos.push_back({name, index.shape->fields(), index.complete});
    }
  }
  return answer<std::vector<IndexInfo>>(std::move(done), std::move(infos));
}

Result<> StoreDatabase::collections(Done<std::vector<CollectionInfo>> done) {
  if (const auto may = may_take(0); !may) return may;
  std::vector<CollectionInfo> infos;
  for (const auto& [name, collection] : catalogue_.collections) {
    infos.push_back({name, collection.documents, collection.indexes.size()});
  }
  return answer<std::vector<CollectionInfo>>(std::move(done), std::move(infos));
}

DatabaseReport StoreDatabase::report() const {
  DatabaseReport report = counters_;
  report.collections = catalogue_.collections.size();
  for (const auto& [name, collection] : catalogue_.collections) {
    report.documents += collection.documents;
  }
  report.waiting = unanswered_;
  report.stopped = stopped_.has_value();
  return report;
}

}  // namespace starbus::nodes::db
