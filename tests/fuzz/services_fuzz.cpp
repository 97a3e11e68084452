/// What hosts, managers and publishers of services say: names of claims and partitions, orders,
/// reports, packed snapshots, and what a mirror makes of any of them. The first byte of the input
/// chooses.
#include "entity/archive/archive.hpp"
#include "nodes/replica/mirror_core.hpp"
#include "nodes/service/host_report.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus;
namespace replica = nodes::replica;
namespace service = nodes::service;

void check_name(std::string_view text) {
  for (const auto& id : {service::instance_of_claim(text), service::instance_of_partition(text)}) {
    if (!id) continue;
    bus::require(service::check_instance(*id).has_value());
    bus::require(text == service::claim_name(*id) || text == service::channel_name(*id));
  }
}

/// What is accepted is written as the same again.
template <class Value>
void check_value(bus::ByteView bytes) {
  const auto value = entity::decode<Value>(bytes);
  if (!value) return;
  const auto written = entity::encode(*value);
  bus::require(written.has_value() && entity::decode<Value>(*written).has_value());
}

struct Bytes final : replica::Replica {
  bool restore(bus::ByteView snapshot) override {
    count = snapshot.size();
    return count != 3;
  }
  bool apply(bus::ByteView delta) override {
    count += delta.size();
    return delta.size() != 3;
  }
  std::size_t count = 0;
};

/// Each two bytes are something that is told; positions never go back.
void run_mirror(bus::ByteView bytes) {
  Bytes state;
  replica::MirrorCore core(state);
  replica::Position before;
  entity::Time now = std::chrono::seconds(1);
  std::uint64_t question = 0;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto what = std::to_integer<unsigned>(bytes[i]);
    const auto value = std::to_integer<unsigned>(bytes[i + 1]);
    const replica::Position at{{value >> 6, (value >> 5) & 1}, value & 31};
    const bus::ByteView some = bytes.subspan(0, what >> 5);
    switch (what % 5) {
      case 0:
        core.delta(at, some, now);
        break;
      case 1:
        core.position(at, now);
        break;
      case 2:
        core.snapshot(question, at, some, now);
        break;
      case 3:
        core.no_snapshot(question, replica::Errc::unreachable, now);
        break;
      default:
        now += std::chrono::milliseconds(value * 20);
    }
    if (core.should_ask(now)) question = core.asked();
    if (core.has_state()) {
      bus::require(core.at() >= before);
      before = core.at();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bus::ByteView rest = bus::fuzz_input(data + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      check_name(bus::as_text(rest));
      break;
    case 1:
      check_value<service::Order>(rest);
      break;
    case 2:
      check_value<service::HostReport>(rest);
      break;
    case 3:
      (void)replica::unpack_snapshot(bus::as_text(rest));
      break;
    default:
      run_mirror(rest);
  }
  return 0;
}
