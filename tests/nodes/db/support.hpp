/// What the tests of the document store share: a loop, a database on a disk that can fail, calls
/// that are waited for, and a look at whether documents and indexes agree.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "nodes/db/store_database.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/nodes/test_loop.hpp"
#include "tests/storage/support.hpp"

namespace starbus::nodes::db {

namespace test {

using nodes::test::Loop;

/// Calls and waits for the answer.
template <class T, class Request>
Result<T> ask(Loop& loop, Database& database,
              Result<> (Database::*call)(Request, Database::Done<T>), Request request) {
  std::optional<Result<T>> answer;
  const auto taken =
      (database.*call)(std::move(request), [&](Result<T> result) { answer = std::move(result); });
  if (!taken) return taken.error();
  if (!loop.run_until([&] { return answer.has_value(); })) ADD_FAILURE() << "no answer";
  return *std::move(answer);
}

/// A database over a store over FaultEnv, which can crash.
class World {
 public:
  World() { open(); }
  ~World() { close(); }

  void open() {
    store_ = storage::test::open_or_fail({.folder = folder_.path() / "s",
                                          .env = &env_,
                                          .headroom = 1 << 20,
                                          .write_buffer = 65536,
                                          .space_retry = std::chrono::milliseconds(5)});
    if (store_ == nullptr) return;
    auto opened = StoreDatabase::open(*store_, loop_, options_);
    ASSERT_TRUE(opened) << opened.error().to_string();
    database_ = std::move(*opened);
  }
  void close() {
    if (store_) store_->close();
    database_.reset();
    store_.reset();
  }
  void crash(storage::testing::FaultEnv::Loss loss, std::uint64_t seed) {
    close();
    env_.lose_unsynced(loss, seed);
    env_.heal();
    open();
  }

  Result<Written> write(WriteRequest request) {
    return ask(loop_, *database_, &Database::write, std::move(request));
  }
  Result<Written> write(Write one) { return write({.writes = {std::move(one)}}); }
  Result<std::optional<Json>> find(Find request) {
    return ask(loop_, *database_, &Database::find, std::move(request));
  }
  Result<Page> query(Query request) {
    return ask(loop_, *database_, &Database::query, std::move(request));
  }
  Result<Counted> count(Count request) {
    return ask(loop_, *database_, &Database::count, std::move(request));
  }
  Result<> declare(DeclareIndex request) {
    return ask(loop_, *database_, &Database::declare_index, std::move(request));
  }
  Result<> drop(DropIndex request) {
    return ask(loop_, *database_, &Database::drop_index, std::move(request));
  }
  std::vector<IndexInfo> indexes(const std::string& collection) {
    return ask(loop_, *database_, &Database::indexes, collection).value();
  }
  void wait_for_indexes(const std::string& collection) {
    const auto complete = [](const IndexInfo& info) { return info.complete; };
    for (int i = 0; i < 10'000; ++i) {
      if (std::ranges::all_of(indexes(collection), complete)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    FAIL() << "an index stays incomplete";
  }

  /// All pages of a range, each of so many.
  std::vector<Found> all(const Range& range, std::uint64_t limit = 100) {
    std::vector<Found> found;
    Query query{.range = range, .limit = limit};
    do {
      auto page = this->query(query);
      if (!page) {
        ADD_FAILURE() << page.error().to_string();
        return found;
      }
      for (const Error& damage : page->damage) ADD_FAILURE() << damage.to_string();
      std::ranges::move(page->found, std::back_inserter(found));
      query.token = std::move(page->next);
    } while (query.token);
    return found;
  }

  using Documents = std::map<std::string, Json>;
  /// By ids; every index that is complete must show the same, in its order, and the counter too.
  Documents documents(const std::string& collection) {
    Documents documents;
    for (Found& found : all({.collection = collection})) documents[found.id] = found.document;
    EXPECT_EQ(count({.range = {.collection = collection}}).value().count, documents.size());
    for (const IndexInfo& info : indexes(collection)) {
      if (info.complete) expect_agrees(collection, info, documents);
    }
    return documents;
  }

  Loop& loop() { return loop_; }
  StoreDatabase& database() { return *database_; }
  storage::Store& store() { return *store_; }
  storage::testing::FaultEnv& disk() { return env_; }
  bool is_open() const { return database_ != nullptr; }
  StoreDatabaseOptions& options() { return options_; }

 private:
  void expect_agrees(const std::string& collection, const IndexInfo& info,
                     const Documents& documents) {
    const IndexShape shape(info.fields);
    std::vector<std::pair<std::string, std::string>> wanted;
    for (const auto& [id, document] : documents) wanted.emplace_back(shape.key_of(document), id);
    std::ranges::sort(wanted);
    const auto found = all({.collection = collection, .index = info.name}, 7);
    ASSERT_EQ(found.size(), wanted.size()) << info.name;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].id, wanted[i].second);
      EXPECT_EQ(found[i].document, documents.at(found[i].id));
    }
  }

  storage::test::TempFolder folder_;
  storage::testing::FaultEnv env_;
  Loop loop_;
  StoreDatabaseOptions options_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<StoreDatabase> database_;
};

}  // namespace test
}  // namespace starbus::nodes::db
