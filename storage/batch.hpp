#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/error.hpp"

namespace starbus::storage {

/// Changes that take effect together or not at all, in the order in which they were added. Owns a
/// copy of all it was given, and the checksum of every value from the moment it was put. Fill it in
/// one thread, then move it into Store::commit. Never fails: what is wrong with it is the answer of
/// commit.
///
/// Keys are 1..kMaxKey bytes, compared byte by byte, and do not begin with a zero byte (the store's
/// own do).
class Batch {
 public:
  /// Adds an operation; keys and values are copied.
  void put(std::string_view key, std::string_view value);
  void erase(std::string_view key);
  /// Erases all keys in [from, to); an empty or reversed range does nothing. Costs the writer a
  /// look at every key in the range, erased ones too until LevelDB has compacted them: let a range
  /// begin where the last one ended. A batch may not put into a range that it erases
  /// (Errc::bad_batch).
  void erase_range(std::string_view from, std::string_view to);

  /// Marks the batch as bookkeeping: a store that runs full takes it as it takes batches that only
  /// erase. For what must be noted so that space can be freed at all: cursors, filters. All that it
  /// puts, with the constant per put, is at most kReserveBatch bytes, also while there is space
  /// (Errc::too_large); what it erases is not counted. Before or after the batch is filled.
  void use_reserve() { uses_reserve_ = true; }

  /// So much will come: what it has need not be copied as it grows.
  void reserve(std::size_t bytes, std::size_t operations) {
    bytes_.reserve(bytes);
    operations_.reserve(operations);
  }

  bool empty() const { return operations_.empty(); }
  bool only_erases() const { return puts_ == 0; }
  bool erases() const { return operations_.size() > puts_; }
  /// True if a store with little space still takes it: it only erases, or was marked.
  bool may_use_reserve() const { return only_erases() || uses_reserve_; }
  /// Whether what it puts is little enough to be marked.
  bool fits_reserve() const;
  std::size_t operations() const { return operations_.size(); }
  /// Its size in queues: keys, values and a constant per operation.
  std::size_t bytes() const { return bytes_.size() + operations_.size() * sizeof(Operation); }
  /// The error with which commit refuses it: too_large or bad_batch.
  Result<> check() const;

  enum class Kind : std::uint8_t { put, erase, erase_range };
  /// visit(kind, key, sealed value) or visit(kind, from, to), in order; the views live as long as
  /// the batch.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    std::string_view rest = bytes_;
    for (const Operation& operation : operations_) {
      visit(operation.kind, rest.substr(0, operation.first),
            rest.substr(operation.first, operation.second));
      rest.remove_prefix(operation.first + operation.second);
    }
  }

 private:
  struct Operation {
    Kind kind;
    std::size_t first;   // bytes of the key, or of where the range begins
    std::size_t second;  // bytes of the sealed value, or of where the range ends
  };
  bool accept_key(std::string_view key);
  bool puts_into_its_ranges() const;

  std::vector<Operation> operations_;
  std::string bytes_;
  std::size_t puts_ = 0;
  std::size_t put_bytes_ = 0;  // as bytes(), of the puts alone
  std::size_t ranges_ = 0;
  bool uses_reserve_ = false;
  Error wrong_;  // the first thing that commit will complain of
};

}  // namespace starbus::storage
