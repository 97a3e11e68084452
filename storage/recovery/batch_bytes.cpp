#include "storage/recovery/batch_bytes.hpp"

#include "base/little_endian.hpp"
#include "storage/check/varint.hpp"
#include "storage/envelope.hpp"

namespace starbus::storage {
namespace {

constexpr std::size_t kBatchHead = 12;

bool take_entry(std::string_view& bytes, BatchEntry& entry) {
  if (bytes.empty()) return false;
  const char type = bytes.front();
  if (type != 0 && type != 1) return false;
  bytes.remove_prefix(1);
  entry.put = type == 1;
  entry.value = {};
  return take_slice(bytes, entry.key) && (!entry.put || take_slice(bytes, entry.value));
}

}  // namespace

std::optional<BatchHead> read_batch(std::string_view bytes,
                                    const std::function<void(const BatchEntry&)>& visit) {
  if (bytes.size() < kBatchHead) return std::nullopt;
  const BatchHead head{load<std::uint64_t>(bytes, 0), load<std::uint32_t>(bytes, 8)};
  bytes.remove_prefix(kBatchHead);
  std::uint64_t count = 0;
  BatchEntry entry;
  for (; !bytes.empty(); ++count) {
    if (!take_entry(bytes, entry)) return std::nullopt;
    if (visit) visit(entry);
  }
  if (count != head.count) return std::nullopt;
  return head;
}

bool is_sound_batch(std::string_view bytes) {
  bool sound = true;
  const auto head = read_batch(bytes, [&](const BatchEntry& entry) {
    sound = sound && (!entry.put || unseal(entry.key, entry.value).has_value());
  });
  return sound && head.has_value();
}

}  // namespace starbus::storage
