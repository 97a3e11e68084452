#include "entity/client/announcement.hpp"

#include <atomic>

#include "entity/client/fields.hpp"

namespace starbus::entity::sessions {
namespace {

constexpr std::uint8_t kAnnouncement = 0xdf;

template <class A, class V>
void announcement_of(A& a, V& v) {
  a.number(v.number, kAnyNumber);
  a.text(v.group, kGroupName);
  a.text(v.by, kOperatorName);
  a.bytes(v.body, kPartBytes);
}

}  // namespace

std::uint64_t next_announcement() {
  // Of the process, and not of a Bus: gates tell doubles by process and number, and gaps are no
  // fault.
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void encode(const Announcement& word, Bytes& out) {
  Encoder to(out);
  to.byte(kAnnouncement);
  FieldWriter writer(to);
  announcement_of(writer, word);
}

DataResult<Announcement> decode_announcement(ByteView bytes) {
  Decoder in(bytes);
  Announcement word;
  if (in.byte() != kAnnouncement) in.fail(DataErrc::malformed);
  FieldReader reader(in);
  if (in.ok()) announcement_of(reader, word);
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok) return DataError(bad);
  return {in_place_value, std::move(word)};
}

}  // namespace starbus::entity::sessions
