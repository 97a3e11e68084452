#include "examples/plaza/crier.hpp"

#include <chrono>
#include <random>

#include "entity/client/announcement.hpp"
#include "examples/plaza/plaza_client.hpp"

namespace plaza {

namespace bus = starbus::bus;
namespace entity = starbus::entity;

std::uint64_t wall_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

std::uint64_t draw_life() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

bus::Result<> Crier::tell(const std::string& who, const std::string& text, std::uint64_t time) {
  entity::sessions::Announcement word;
  word.number = said_ + 1;
  word.group = kWorld;
  if (entity::encode_client_call<&PlazaClient::said>(word.body, bus_.host() + "." + bus_.node(),
                                                     life_, said_ + 1, time, who,
                                                     text) != entity::DataErrc::ok) {
    return bus::Errc::too_large;
  }
  bus::Bytes message;
  encode(word, message);
  if (auto sent = bus_.announce("group/gates", bus::ByteView(message)); !sent) return sent;
  ++said_;
  return {};
}

}  // namespace plaza
