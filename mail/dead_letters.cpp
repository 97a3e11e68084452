#include "mail/dead_letters.hpp"

#include <array>

#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"

namespace starbus::mail {
namespace {

constexpr std::uint8_t kVersion1 = 1;

}  // namespace

const std::string& dead_letters_log(std::uint8_t shard) {
  thread_local std::array<std::string, kShards> names;  // each costs some hundred hashes, once
  std::string& name = names[shard];
  for (unsigned attempt = 0; name.empty(); ++attempt) {
    std::string candidate =
        std::string(kDeadLetters) + std::to_string(shard) + "-" + std::to_string(attempt);
    if (bus::shard_of(channel_id(candidate)) == shard) name = std::move(candidate);
  }
  return name;
}

void encode_dead_letter(const DeadLetter& letter, Bytes& out) {
  bus::Writer writer(out);
  writer.put(kVersion1);
  writer.short_text(letter.mailbox);
  writer.put(letter.number);
  writer.put(letter.time_ms);
  writer.short_text(letter.reason.substr(0, bus::kMaxName));
  writer.bytes(letter.body);
}

Result<DeadLetter> decode_dead_letter(ByteView message) {
  bus::Reader reader(message);
  const auto version = reader.get<std::uint8_t>();
  DeadLetter letter;
  letter.mailbox = reader.short_text();
  letter.number = reader.get<std::uint64_t>();
  letter.time_ms = reader.get<std::uint64_t>();
  letter.reason = reader.short_text();
  letter.body = reader.rest();
  if (!reader.ok() || version != kVersion1) return Error{Errc::bad_bytes, "not a dead letter"};
  return letter;
}

}  // namespace starbus::mail
