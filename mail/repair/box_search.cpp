#include "mail/repair/box_search.hpp"

#include <algorithm>
#include <bit>
#include <fstream>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"
#include "storage/envelope.hpp"

namespace starbus::mail {
namespace {

constexpr std::size_t kFixed = 1 + 5 * 8;  // of a row, before the length of its name
constexpr std::size_t kLongest = storage::kEnvelope + kFixed + 1 + bus::kMaxName;
constexpr std::size_t kChunk = 1024 * 1024;  // read at once

constexpr std::size_t kLooked = 4;  // bytes of a name: "play"

/// Cheap, and true of every row that there will be, also with one flipped bit: sums stay below
/// 2^48, in their order; names are text with a slash.
bool looks_like_row(std::string_view row) {
  const auto length = static_cast<unsigned char>(row[kFixed]);
  if (length == 0 || row.size() < kFixed + 1 + length) return false;
  const auto kind = static_cast<unsigned char>(row[0]);
  int wrong = std::min(std::popcount(kind ^ 1U), std::popcount(kind ^ 2U));
  for (std::size_t at = 1; at < 33 && wrong <= 1; at += 16) {
    const std::uint64_t all = load<std::uint64_t>(row, at);
    const std::uint64_t part = load<std::uint64_t>(row, at + 8);
    const int high = std::popcount(all >> 48) + std::popcount(part >> 48);
    wrong += high != 0 ? high : part > all ? 1 : 0;
  }
  const std::string_view name = row.substr(kFixed + 1, length);
  for (const char c : name.substr(0, kLooked)) wrong += c > ' ' && c < '\x7f' ? 0 : 1;
  if (wrong <= 1 && name.find('/') == std::string_view::npos) ++wrong;
  return wrong <= 1;
}

/// Envelope and row, with the checksum of a row of the name that is in it.
bool is_verified(std::string_view sealed) {
  const std::string_view name = sealed.substr(storage::kEnvelope + kFixed + 1);
  const ChannelId id = channel_id(name);
  return storage::unseal(box_key(shard_of(id), id), sealed).has_value();
}

}  // namespace

void BoxSearch::read_folder(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& place : {folder, folder / "lost"}) {
    for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
      if (entry.is_regular_file(error)) read_file(entry.path());
    }
  }
}

void BoxSearch::read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  while (file) {
    // What a row may need of the chunk before.
    bytes.erase(0, bytes.size() - std::min(bytes.size(), kLongest));
    const std::size_t kept = bytes.size();
    bytes.resize(kept + kChunk);
    file.read(bytes.data() + kept, kChunk);
    bytes.resize(kept + static_cast<std::size_t>(file.gcount()));
    read(bytes);
  }
}

void BoxSearch::read(std::string_view bytes) {
  for (std::size_t at = 0; at + kFixed + 1 < bytes.size(); ++at) {
    if (looks_like_row(bytes.substr(at))) try_at(bytes, at);
  }
}

void BoxSearch::try_at(std::string_view bytes, std::size_t at) {
  const std::size_t size = kFixed + 1 + static_cast<unsigned char>(bytes[at + kFixed]);
  const std::string_view row = bytes.substr(at, size);
  const std::string_view name = row.substr(kFixed + 1);
  const bool wanted = bus::check_channel_name(name) && wanted_(channel_id(name));
  if (at >= storage::kEnvelope) {
    const std::size_t begin = at - storage::kEnvelope;
    if (is_verified(bytes.substr(begin, storage::kEnvelope + size))) {
      if (auto decoded = wanted ? decode_box(row) : std::nullopt) keep({std::move(*decoded), true});
      return;
    }
    if (correct(std::string(bytes.substr(begin, kLongest)))) return;
  }
  if (!wanted) return;
  auto decoded = decode_box(row);
  if (!decoded) decoded = BoxRow{PostTarget::mailbox, std::string(name)};
  keep({std::move(*decoded), false});
}

/// A row whose checksum is wrong may have one flipped bit: by trying it is found which. True if so.
bool BoxSearch::correct(std::string sealed) {
  if (corrections_ >= kCorrectedRows) return false;
  ++corrections_;
  constexpr std::size_t kLengthAt = storage::kEnvelope + kFixed;
  const auto end = [&] { return kLengthAt + 1 + static_cast<unsigned char>(sealed[kLengthAt]); };
  const std::size_t bits = std::min(sealed.size(), end()) * 8;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    char& byte = sealed[bit / 8];
    byte = static_cast<char>(byte ^ (1 << bit % 8));
    const auto row = std::string_view(sealed).substr(0, end());
    if (end() <= sealed.size() && is_verified(row)) {
      auto decoded = decode_box(row.substr(storage::kEnvelope));
      if (decoded && wanted_(channel_id(decoded->name))) keep({std::move(*decoded), true});
      return true;
    }
    byte = static_cast<char>(byte ^ (1 << bit % 8));
  }
  return false;
}

/// Of several the one that is verified, and of those the latest.
void BoxSearch::keep(FoundBox box) {
  const auto rank = [](const FoundBox& b) {
    return std::tuple(b.verified, b.row.last, b.row.floor);
  };
  const ChannelId id = channel_id(box.row.name);
  const auto known = found_.find(id);
  if (known == found_.end()) {
    if (found_.size() < kFoundBoxes) found_.emplace(id, std::move(box));
  } else if (rank(box) > rank(known->second)) {
    known->second = std::move(box);
  }
}

const FoundBox* BoxSearch::find(const ChannelId& id) const {
  const auto found = found_.find(id);
  return found == found_.end() ? nullptr : &found->second;
}

}  // namespace starbus::mail
