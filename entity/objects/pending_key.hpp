#pragma once

#include <stdexcept>
#include <utility>

namespace starbus::entity::objects_detail {

/// The key of the object that is being made, for a class whose constructor takes none: its base
/// takes it, first of all, so an object that its constructor makes has a key of its own. On the
/// stack of construct(), which outlives the constructor. Each thread has its own.
template <class Key>
class PendingKey {
 public:
  explicit PendingKey(const Key& key) : outer_(std::exchange(pending_, &key)) {}
  ~PendingKey() { pending_ = outer_; }
  PendingKey(const PendingKey&) = delete;
  PendingKey& operator=(const PendingKey&) = delete;

  /// Throws std::logic_error if no manager makes an object now.
  static const Key& take() {
    const Key* const key = std::exchange(pending_, nullptr);
    if (key == nullptr) throw std::logic_error("entities and components are made by their manager");
    return *key;
  }

 private:
  const Key* const outer_;
  static inline thread_local const Key* pending_ = nullptr;
};

}  // namespace starbus::entity::objects_detail
