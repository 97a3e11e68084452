#include "entity/client/announcement.hpp"

#include "entity/client/fields.hpp"

namespace starbus::entity::sessions {
namespace {

constexpr std::uint8_t kAnnouncement = 0xdf;

template <class A, class V>
void announcement_of(A& a, V& v) {
  a.number(v.number, kAnyNumber);
  a.text(v.group, kGroupName);
  a.bytes(v.body, kPartBytes);
}

}  // namespace

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
