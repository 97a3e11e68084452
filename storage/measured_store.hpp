#pragma once

#include <functional>

#include "storage/store.hpp"

namespace starbus::storage {

/// A store whose commits are timed, from the call to the completion. Not owned: the store below.
/// Threads as Store says.
class MeasuredStore final : public Store {
 public:
  struct Commit {
    double seconds = 0;
    std::size_t operations = 0;
    std::size_t bytes = 0;
    bool durable = false;
  };
  /// On the store's thread; must return soon.
  using Measured = std::function<void(const Commit&)>;

  MeasuredStore(Store& store, Measured measured);

  Result<> commit(Batch batch, Completion done) override;
  Result<std::optional<std::string>> get(std::string_view key) const override {
    return store_.get(key);
  }
  Result<std::unique_ptr<Snapshot>> snapshot() const override { return store_.snapshot(); }
  Result<bool> erases(std::string_view from, std::string_view to) const override {
    return store_.erases(from, to);
  }
  void compact(std::string_view from, std::string_view to) override { store_.compact(from, to); }
  Result<> check_files(const FileCheck& check) const override { return store_.check_files(check); }
  Report report() const override { return store_.report(); }
  void close() override { store_.close(); }

 private:
  Store& store_;
  const Measured measured_;
};

}  // namespace starbus::storage
