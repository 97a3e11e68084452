#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace starbus::entity {

/// The changes so far of an operation that may fail later, and how to take each back. Unless
/// commit() was called, the destructor does, the last change first. Owns old values that were moved
/// out of the way. Lives on the stack of one call.
class Transaction {
 public:
  Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  /// Nothing is destroyed before all is taken back: an earlier step may refer to what a later one
  /// has moved out of the way.
  ~Transaction() {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) (*step)->undo();
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
