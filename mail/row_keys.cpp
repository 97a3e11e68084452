#include "mail/row_keys.hpp"

#include "bus/core/bytes.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/wire/post_head.hpp"
#include "storage/error.hpp"

namespace starbus::mail {
namespace {

constexpr std::size_t kIdAt = 2;
constexpr std::size_t kBoxKey = kIdAt + 16;
constexpr std::size_t kMessageKey = kBoxKey + 8;

bool is_of_its_form(std::string_view key) {
  switch (key.front()) {
    case kBoxRows:
      return key.size() == kBoxKey;
    case kMessageRows:
      return key.size() == kMessageKey;
    case kPostKeyRows:
      return key.size() > kBoxKey && key.size() <= kBoxKey + bus::kMaxPostKey;
    default:
      return false;
  }
}

}  // namespace

std::optional<MailKey> read_mail_key(std::string_view key) {
  if (key.empty() || !is_of_its_form(key)) return std::nullopt;
  MailKey read;
  read.kind = key.front();
  read.shard = static_cast<std::uint8_t>(key[1]);
  const std::byte* const id = as_bytes(key).data() + kIdAt;
  read.id = {bus::load<std::uint64_t>(id), bus::load<std::uint64_t>(id + 8)};
  if (read.kind == kMessageRows) {
    for (const char byte : key.substr(kBoxKey)) {
      read.number = read.number << 8 | static_cast<unsigned char>(byte);
    }
  }
  return read;
}

std::string describe_key(std::string_view key) {
  // Where a scan goes on behind a row a zero byte is added.
  const bool behind = key.ends_with('\0') && !read_mail_key(key);
  const auto read = read_mail_key(behind ? key.substr(0, key.size() - 1) : key);
  const std::string after = behind ? "after " : "";
  if (read) {
    const std::string box = "mailbox " + read->id.to_string();
    if (read->kind == kBoxRows) return after + "the row of " + box;
    if (read->kind == kPostKeyRows) return after + "an idempotency key of " + box;
    return after + "message " + std::to_string(read->number) + " of " + box;
  }
  if (key.size() < 2) return "the rows of kind '" + storage::printable(key) + "'";
  const std::string shard = shard_name(static_cast<std::uint8_t>(key[1]));
  if (key[0] == kStreamRows || key[0] == kResultsRows) return "the senders to " + shard;
  return "the rows of kind '" + storage::printable(key.substr(0, 1)) + "' of " + shard;
}

}  // namespace starbus::mail
