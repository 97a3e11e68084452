/// What the tests of storage/ share: folders, commits that are waited for, the content of a store.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "storage/recovery/repair.hpp"
#include "storage/store.hpp"

namespace starbus::storage {

namespace test {

using Content = std::map<std::string, std::string>;

/// In memory where there is such a file system: what a power cut leaves is FaultEnv's to say, and
/// on a disk with other users these tests last minutes.
class TempFolder {
 public:
  TempFolder() {
    const bool in_memory = ::access("/dev/shm", W_OK) == 0 && ::getenv("TMPDIR") == nullptr;
    const std::filesystem::path parent =
        in_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (parent / "starbus-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Collects completions; the n-th of next() is told apart by its number.
class Outcomes {
 public:
  Store::Completion next() {
    const std::lock_guard lock(mutex_);
    const std::size_t number = results_.size();
    results_.emplace_back();
    return [this, number](const Result<>& result) {
      const std::lock_guard inner(mutex_);
      results_[number].push_back(result);
      order_.push_back(number);
      changed_.notify_all();
    };
  }
  /// Waits for the first n.
  void wait(std::size_t n) {
    std::unique_lock lock(mutex_);
    const auto done = [&] {
      for (std::size_t i = 0; i < n; ++i) {
        if (results_[i].empty()) return false;
      }
      return true;
    };
    ASSERT_TRUE(changed_.wait_for(lock, std::chrono::seconds(60), done)) << "no completion";
  }
  Result<> at(std::size_t i) {
    const std::lock_guard lock(mutex_);
    return results_.at(i).at(0);
  }
  /// Every one was called exactly once, and in the order of the commits.
  void expect_once_in_order() {
    const std::lock_guard lock(mutex_);
    for (const auto& calls : results_) EXPECT_EQ(calls.size(), 1u);
    for (std::size_t i = 0; i < order_.size(); ++i) EXPECT_EQ(order_[i], i);
  }
  /// How many of the first were acknowledged, up to the first that was not.
  std::size_t acknowledged() {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    while (count < results_.size() && !results_[count].empty() && results_[count][0]) ++count;
    return count;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::vector<Result<>>> results_;
  std::vector<std::size_t> order_;
};

inline Batch put(std::string_view key, std::string_view value) {
  Batch batch;
  batch.put(key, value);
  return batch;
}

inline Batch erase_range(std::string_view from, std::string_view to) {
  Batch batch;
  batch.erase_range(from, to);
  return batch;
}

/// Commits and waits for the outcome.
inline Result<> commit(Store& store, Batch batch) {
  std::promise<Result<>> promise;
  auto outcome = promise.get_future();
  const auto queued =
      store.commit(std::move(batch), [&](const Result<>& result) { promise.set_value(result); });
  if (!queued) return queued.error();
  return outcome.get();
}

/// Commits `batch` and keeps the writer within its completion, so that what is committed meanwhile
/// waits. The completion may outlive this object.
class HeldWriter {
 public:
  HeldWriter(Store& store, Batch batch) {
    auto held = std::make_shared<std::promise<void>>();
    auto is_held = held->get_future();
    const auto queued =
        store.commit(std::move(batch),
                     [held, released = released_.get_future().share()](const Result<>& result) {
                       EXPECT_TRUE(result);
                       held->set_value();
                       released.wait();
                     });
    EXPECT_TRUE(queued) << queued.error().to_string();
    if (queued) is_held.wait();
  }
  void release() { released_.set_value(); }

 private:
  std::promise<void> released_;
};

struct Found {
  Content content;
  std::vector<Error> damage;
};

/// Everything, page by page.
inline Found read_all(const Store& store, PageLimit limit = {}) {
  Found found;
  const auto snapshot = store.snapshot();
  if (!snapshot) {
    ADD_FAILURE() << snapshot.error().to_string();
    return found;
  }
  std::string from;
  for (int pages = 0; pages < 100'000; ++pages) {
    auto page = (*snapshot)->scan(from, "", limit);
    if (!page) {
      ADD_FAILURE() << page.error().to_string();
      return found;
    }
    for (Record& record : page->records) {
      EXPECT_TRUE(found.content.emplace(std::move(record.key), std::move(record.value)).second);
    }
    for (Error& error : page->damage) found.damage.push_back(std::move(error));
    if (!page->next) return found;
    EXPECT_GT(*page->next, from);
    from = *page->next;
  }
  ADD_FAILURE() << "the scan does not end";
  return found;
}

inline Content content_of(const Store& store) {
  Found found = read_all(store);
  EXPECT_TRUE(found.damage.empty()) << found.damage.front().to_string();
  return std::move(found.content);
}

/// Also repairs the logs, as programs do.
inline std::unique_ptr<Store> open_or_fail(StoreOptions options) {
  options.repair_logs = repair_logs;
  auto store = open_store(options);
  if (!store) {
    ADD_FAILURE() << store.error().to_string();
    return nullptr;
  }
  return std::move(*store);
}

/// Waits until the store says that it is in this state.
inline bool reaches(const Store& store, State state) {
  for (int i = 0; i < 6000; ++i) {
    if (store.report().state == state) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace test
}  // namespace starbus::storage
