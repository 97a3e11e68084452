#include "storage/batch.hpp"

#include <utility>

#include "storage/envelope.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {

bool Batch::accept_key(std::string_view key) {
  Error wrong;
  if (key.empty() || key.front() == '\0') {
    wrong = Error(Errc::bad_batch, "the key '" + printable(key) + "' is empty or reserved");
  } else if (key.size() > kMaxKey) {
    wrong = Error(Errc::too_large, "a key of " + std::to_string(key.size()) + " bytes");
  }
  if (wrong == Errc::ok) return true;
  if (wrong_ == Errc::ok) wrong_ = std::move(wrong);
  return false;
}

void Batch::put(std::string_view key, std::string_view value) {
  if (!accept_key(key)) return;
  if (value.size() > kMaxValue) {
    if (wrong_ == Errc::ok) {
      wrong_ = Error(Errc::too_large,
                     printable(key) + ": a value of " + std::to_string(value.size()) + " bytes");
    }
    return;
  }
  bytes_ += key;
  seal(key, value, bytes_);
  operations_.push_back({Kind::put, key.size(), kEnvelope + value.size()});
  ++puts_;
  put_bytes_ += key.size() + kEnvelope + value.size() + sizeof(Operation);
}

void Batch::erase(std::string_view key) {
  if (!accept_key(key)) return;
  bytes_ += key;
  operations_.push_back({Kind::erase, key.size(), 0});
}

void Batch::erase_range(std::string_view from, std::string_view to) {
  if (!accept_key(from) || !accept_key(to) || from >= to) return;
  bytes_ += from;
  bytes_ += to;
  operations_.push_back({Kind::erase_range, from.size(), to.size()});
  ++ranges_;
}

bool Batch::fits_reserve() const {
  return put_bytes_ <= kReserveBatch;
}

bool Batch::puts_into_its_ranges() const {
  if (ranges_ == 0 || puts_ == 0) return false;
  std::vector<std::pair<std::string_view, std::string_view>> ranges;
  for_each([&](Kind kind, std::string_view from, std::string_view to) {
    if (kind == Kind::erase_range) ranges.emplace_back(from, to);
  });
  bool found = false;
  for_each([&](Kind kind, std::string_view key, std::string_view) {
    if (kind != Kind::put) return;
    for (const auto& [from, to] : ranges) found = found || (key >= from && key < to);
  });
  return found;
}

Result<> Batch::check() const {
  if (wrong_.code != Errc::ok) return wrong_;
  if (bytes() > kMaxBatch) {
    return Error(Errc::too_large, "a batch of " + std::to_string(bytes()) + " bytes");
  }
  if (uses_reserve_ && !fits_reserve()) {
    return Error(Errc::too_large,
                 "a batch that uses the reserve and puts " + std::to_string(put_bytes_) + " bytes");
  }
  if (ranges_ > kMaxBatchRanges) {
    return Error(Errc::too_large, "a batch that erases " + std::to_string(ranges_) + " ranges");
  }
  if (puts_into_its_ranges()) return Error(Errc::bad_batch, "puts into a range that it erases");
  return {};
}

}  // namespace starbus::storage
