#include "nodes/replica/position.hpp"

#include "entity/archive/archive.hpp"

namespace starbus::nodes::replica {

entity::DataResult<std::string> pack(const Snapshot& snapshot) {
  const auto& [stream, seq] = snapshot.at;
  const Home& home = snapshot.home;
  const auto bytes = entity::encode(stream.epoch, stream.life, seq, home.host, home.slot,
                                    home.incarnation, home.node, snapshot.state);
  if (!bytes) return bytes.error();
  return std::string(bus::as_text(*bytes));
}

entity::DataResult<Snapshot> unpack_snapshot(std::string_view bytes) {
  using Number = std::uint64_t;
  auto values = entity::decode_all<Number, Number, Number, std::uint32_t, std::uint32_t, Number,
                                   std::string, std::string>(bus::as_bytes(bytes));
  if (!values) return values.error();
  auto& [epoch, life, seq, host, slot, incarnation, node, state] = *values;
  return Snapshot{
      {{epoch, life}, seq}, std::move(state), {host, slot, incarnation, std::move(node)}};
}

}  // namespace starbus::nodes::replica
