/// What clients ask of names: what is answered can be read by a client, says the table or an error,
/// and the same to all who do not have this table.
#include <algorithm>

#include "clients/cpp/calls.hpp"
#include "clients/cpp/names.hpp"
#include "entity/objects/names/client_names.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus;
using bus::require;

const entity::ClientTable& table() {
  static const entity::ClientTable made{
      {{entity::ClientSide::asks, "player.buy", 7, "(u32)->{u64}"},
       {entity::ClientSide::hears, "player.told", 8, "(str)->"}},
      {{"game::Player", 9, {{"gold", 1, 10, "i64", "i"}}}},
      77};
  return made;
}

void take(const std::optional<bus::Bytes>& answer, std::uint64_t hash, std::size_t methods) {
  if (!answer) return;
  const auto read = game::read_answer(*answer);
  require(static_cast<bool>(read));
  if (read->kind != game::AnswerKind::value) return;
  const auto names = game::read_names(read->bytes);
  require(static_cast<bool>(names));
  require(names->hash == hash);
  require(names->same ? names->methods.empty() : names->methods.size() == methods);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bus::ByteView input = bus::fuzz_input(data, size);
  const auto answer = entity::answer_names(input, table());
  take(answer, table().hash, table().methods.size());
  // Of this program, which has no classes: as hostile, and asked for by the same requests.
  const auto own = entity::answer_names(input);
  require(own.has_value() == answer.has_value());
  take(own, entity::client_table().hash, entity::client_table().methods.size());
  // Whatever it names, a longer request is another one, and is refused.
  if (answer && game::read_answer(*answer)->kind == game::AnswerKind::value) {
    bus::Bytes longer(input.begin(), input.end());
    longer.push_back(std::byte{0});
    const auto refused = entity::answer_names(longer, table());
    require(refused.has_value());
    require(game::read_answer(*refused)->kind != game::AnswerKind::value);
  }
  return 0;
}
