/// What replicas and loads read: the first byte chooses delta, body of a tick behind a good header,
/// snapshot, body of a snapshot, saved form, path or newest values behind a good header. What is
/// refused must leave no trace.
#include "tests/entity/properties/world.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace starbus::entity::test {
namespace {

using bus::require;

void fill(Hero& hero) {
  hero.gold = 5;
  (void)hero.marks.push_back(1);
  (void)hero.prices.put("a", 2);
  Item item;
  (void)item.marks.push_back(4);
  (void)item.gems.insert("x");
  (void)hero.items.insert(1, item);
}

Bytes snapshot_of(Hero& hero, View view) {
  Bytes bytes;
  require(hero.encode_snapshot(view, bytes).has_value());
  return bytes;
}

enum class Header { in_body, of_tick, of_newest };

void apply_delta(ByteView body, Header header) {
  Hero real;
  real.watch(Audience::own_client);
  fill(real);
  Hero copy;
  copy.become_replica(Audience::own_client);
  require(copy.apply_snapshot(snapshot_of(real, View::own_client)).has_value());
  const Version version = copy.version(Audience::own_client);
  constexpr std::size_t kLineage = 2;  // where it stands
  Bytes bytes;
  if (header != Header::in_body) {
    const bool newest = header == Header::of_newest;
    bytes.resize(kLineage + sizeof version.lineage);
    bytes[0] = std::byte{0xd2};
    bytes[1] = newest ? std::byte{0x82} : std::byte{2};
    Encoder out(bytes);
    out.varint(version.stamp);
    out.varint(1);
    if (!newest) {
      out.varint(1);
      out.varint(body.size());
    }
  }
  bytes.insert(bytes.end(), body.begin(), body.end());
  // Nobody can guess it: 0 stands for the right one.
  bool foreign = false;
  if (bytes.size() >= kLineage + sizeof version.lineage) {
    std::byte* const lineage = bytes.data() + kLineage;
    if (bus::load<std::uint32_t>(lineage) == 0) bus::store(lineage, version.lineage);
    foreign = bus::load<std::uint32_t>(lineage) != version.lineage;
  }
  const std::string before =
      copy.to_json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (copy.apply_delta(bytes)) return require(!foreign);
  require(copy.to_json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) == before);
}

void apply_snapshot(ByteView body, bool with_header) {
  Hero hero;
  const Bytes empty = snapshot_of(hero, View::migration);
  fill(hero);
  const std::string before = hero.to_json().dump();
  constexpr std::size_t kHeader = 2 + 8 + 4 + 1 + 6;  // of one that was never watched
  Bytes bytes;
  if (!with_header) bytes.assign(empty.begin(), empty.begin() + kHeader);
  bytes.insert(bytes.end(), body.begin(), body.end());
  if (!hero.apply_snapshot(bytes)) require(hero.to_json().dump() == before);
}

void load(ByteView bytes) {
  Hero hero;
  fill(hero);
  const std::string before = hero.to_json().dump();
  if (!hero.load_saved(bytes)) require(hero.to_json().dump() == before);
}

}  // namespace
}  // namespace starbus::entity::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::entity::test;
  if (size == 0) return 0;
  const starbus::bus::ByteView bytes = starbus::bus::fuzz_input(data + 1, size - 1);
  switch (data[0] % 7) {
    case 0:
      apply_delta(bytes, Header::in_body);
      break;
    case 1:
      apply_delta(bytes, Header::of_tick);
      break;
    case 6:
      apply_delta(bytes, Header::of_newest);
      break;
    case 2:
      apply_snapshot(bytes, true);
      break;
    case 3:
      apply_snapshot(bytes, false);
      break;
    case 4:
      load(bytes);
      break;
    default: {
      Hero hero;
      fill(hero);
      (void)hero.get(starbus::bus::as_text(bytes));
      (void)hero.set(starbus::bus::as_text(bytes), 1);
      break;
    }
  }
  return 0;
}
