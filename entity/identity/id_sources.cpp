#include "entity/identity/id_sources.hpp"

#include <charconv>
#include <limits>

namespace starbus::entity {
namespace {

void append_hex(std::string& text, std::uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
  text.append(digits, end);
}

}  // namespace

void OnlineIdSource::start() {
  ask_if_low();
}

IdentityResult<> OnlineIdSource::grant(IdRange range) {
  const bool fits = range.count > 0 && range.first >= end_ &&
                    range.count - 1 < std::numeric_limits<std::uint64_t>::max() - range.first;
  if (!fits || ready_.size() == kMaxRanges) return IdentityErrc::bad_range;
  end_ = range.first + range.count;
  waiting_ = false;
  if (present_.count == 0 && ready_.empty()) {
    present_ = range;
    low_ = range.count / 4;
  } else {
    ready_.push_back(range);
  }
  ask_if_low();
  return {};
}

IdentityResult<OnlineId> OnlineIdSource::next() {
  if (present_.count == 0) {
    ask_if_low();
    return IdentityErrc::no_ids;
  }
  const OnlineId id{present_.first++};
  if (--present_.count == 0 && !ready_.empty()) {
    present_ = ready_.front();
    ready_.erase(ready_.begin());
    low_ = present_.count / 4;
  }
  ask_if_low();
  return id;
}

std::uint64_t OnlineIdSource::left() const {
  std::uint64_t sum = present_.count;
  for (const IdRange& range : ready_) sum += range.count;
  return sum;
}

void OnlineIdSource::ask_if_low() {
  if (waiting_ || left() > low_) return;
  waiting_ = true;
  ask_();  // last: the answer may come within
}

PersistentIdSource::PersistentIdSource(std::string_view node, std::uint64_t start) : prefix_(node) {
  prefix_ += '.';
  append_hex(prefix_, start);
  prefix_ += '.';
}

std::string PersistentIdSource::next() {
  std::string id = prefix_;
  append_hex(id, ++counter_);
  return id;
}

std::string PersistentIdSource::of(OnlineId id) const {
  std::string text = prefix_ + 'o';
  append_hex(text, static_cast<std::uint64_t>(id));
  return text;
}

std::optional<OnlineId> PersistentIdSource::read(std::string_view id) const {
  if (!id.starts_with(prefix_) || id.size() < prefix_.size() + 2) return std::nullopt;
  std::uint64_t number = 0;
  const char* const begin = id.data() + prefix_.size() + 1;
  const auto parsed = std::from_chars(begin, id.data() + id.size(), number, 16);
  const OnlineId found{number};
  // The form that of() writes, and no other.
  if (parsed.ec != std::errc() || of(found) != id) return std::nullopt;
  return found;
}

}  // namespace starbus::entity
