#include "daemon/persistent_counter.hpp"

#include <algorithm>
#include <fstream>

#include "base/numbers.hpp"

namespace starbus::daemon {
namespace {

std::string noted_name(const std::string& name) {
  return name + ".noted";
}

}  // namespace

const std::string& boot_id() {
  static const std::string id = [] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string line;
    std::getline(file, line);
    return line;
  }();
  return id;
}

Result<std::uint64_t> PersistentCounter::durable() const {
  const auto text = state_->read(name_);
  if (!text) return text.error();
  if (!*text) return std::uint64_t{0};
  std::string_view digits = **text;
  if (digits.ends_with('\n')) digits.remove_suffix(1);
  const auto value = parse_number<std::uint64_t>(digits);
  if (!value || *value >= end_) {
    return Error{bus::Errc::io_error, (state_->path() / name_).string() +
                                          " does not hold a number below " + std::to_string(end_)};
  }
  return *value;
}

std::uint64_t PersistentCounter::noted() const {
  const auto text = state_->read(noted_name(name_));
  if (!text || !*text || boot_id().empty()) return 0;
  // A power cut has destroyed a note that cannot be decoded.
  const std::string_view line = **text;
  const std::string_view boot = boot_id();
  if (!line.starts_with(boot) || !line.ends_with('\n')) return 0;
  const std::string_view rest = line.substr(boot.size(), line.size() - boot.size() - 1);
  if (!rest.starts_with(' ')) return 0;
  const auto value = parse_number<std::uint64_t>(rest.substr(1));
  return value && *value < end_ ? *value : 0;
}

Result<std::uint64_t> PersistentCounter::read() const {
  auto stored = durable();
  if (!stored) return stored;
  return std::max(*stored, noted());
}

Result<> PersistentCounter::note(std::uint64_t value) {
  return state_->note(noted_name(name_), boot_id() + ' ' + std::to_string(value) + '\n');
}

Result<> PersistentCounter::store(std::uint64_t value) {
  return state_->write(name_, std::to_string(value) + '\n');
}

Result<std::uint64_t> PersistentCounter::next(std::uint64_t least, std::uint64_t reserve) {
  auto reserved = durable();
  if (!reserved) return reserved;
  // Without a note of this boot, any number up to the reserved one may have been given out.
  const std::uint64_t last = noted();
  const std::uint64_t value = std::max((last != 0 ? last : *reserved) + 1, least);
  if (value >= end_) {
    return Error{bus::Errc::io_error, (state_->path() / name_).string() +
                                          ": no number is left below " + std::to_string(end_)};
  }
  if (value > *reserved) {
    if (auto stored = store(std::min(value + reserve, end_ - 1)); !stored) return stored.error();
  }
  if (auto known = note(value); !known) return known.error();
  return value;
}

}  // namespace starbus::daemon
