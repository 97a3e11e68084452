#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace starbus::entity {

/// What was changed so far by something that may fail later: how to take each change back. Unless
/// commit() was called, the destructor does, the last change first. Owns old values that were moved
/// out of the way. Lives on the stack of one call.
class Transaction {
 public:
  Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    while (!steps_.empty()) {
      steps_.back()->undo();
      steps_.pop_back();
    }
  }
  /// `undo` may not fail.
  template <class Undo>
  void on_rollback(Undo undo) {
    steps_.push_back(std::make_unique<Taken<Undo>>(std::move(undo)));
  }
  void commit() { steps_.clear(); }

 private:
  struct Step {
    virtual ~Step() = default;
    virtual void undo() noexcept = 0;
  };
  template <class Undo>
  struct Taken : Step {
    explicit Taken(Undo u) : undo_(std::move(u)) {}
    void undo() noexcept override { undo_(); }
    Undo undo_;
  };
  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace starbus::entity
