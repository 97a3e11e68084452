#include "nodes/players/core/row.hpp"

#include "entity/client/fields.hpp"

namespace starbus::nodes::players {
namespace {

constexpr std::uint8_t kRowForm = 1;

template <class A, class V>
void row_fields(A& a, V& row) {
  a.number(row.drawn, sessions::kAnyNumber);
  a.number(row.login, sessions::kAnyNumber);
  a.key(row.session);
  sessions::gate_of(a, row.gate);
  a.number(row.turn, 0xffff'ffff);
  a.key(row.seal);
  a.text(row.subject, sessions::kChannelBytes);
  sessions::pair_of(a, row.bind);
  a.text(row.next, sessions::kChannelBytes);
  sessions::optional_of(a, row.ends, [&](auto& reason) { sessions::reason_of(a, reason); });
  sessions::optional_of(a, row.closing, [&](auto& word) { sessions::closing_of(a, word); });
}

/// What the account itself never stores.
bool in_order(const AccountRow& row) {
  if (row.login > row.drawn || row.subject.empty()) return false;
  if (row.session) return row.login != 0 && row.bind != Bind{} && !row.gate.channel.empty();
  return !row.unlinking();
}

}  // namespace

void encode(const AccountRow& row, bus::Bytes& out) {
  entity::Encoder to(out);
  to.byte(kRowForm);
  sessions::FieldWriter writer(to);
  row_fields(writer, row);
}

entity::DataResult<AccountRow> decode_row(bus::ByteView bytes) {
  entity::Decoder in(bytes);
  AccountRow row;
  if (in.byte() != kRowForm) in.fail(entity::DataErrc::malformed);
  sessions::FieldReader reader(in);
  if (in.ok()) row_fields(reader, row);
  if (in.ok() && !in_order(row)) in.fail(entity::DataErrc::malformed);
  if (const entity::DataErrc bad = in.finish(); bad != entity::DataErrc::ok) {
    return entity::DataError(bad);
  }
  return {in_place_value, std::move(row)};
}

}  // namespace starbus::nodes::players
