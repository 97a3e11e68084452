/// Bundles as the simulation sees them: their records one by one, in words, and without some.
#pragma once

#include <functional>
#include <string>

#include "bus/core/wire/bundle.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_moves.hpp"

namespace starbus::sim {

using bus::Bytes;
using bus::ByteView;
using bus::Kind;

/// Calls `visit(kind, payload)` for every record of a bundle that a core has sealed.
template <class Visit>
void for_each_record(ByteView bundle, Visit&& visit) {
  for (ByteView rest = bundle.subspan(bus::kBundleHeaderSize); !rest.empty();) {
    const std::size_t size = bus::load<std::uint32_t>(rest.data());
    visit(static_cast<Kind>(bus::load<std::uint8_t>(rest.data() + 4)),
          rest.subspan(bus::kRecordHeader, size - 1));
    rest = rest.subspan(sizeof(std::uint32_t) + size);
  }
}

bool contains(ByteView bundle, Kind kind);

/// Which side of a link a bundle goes to: the listener (busd or busroot) or the connector.
enum class Toward { listener, connector };

/// Overwrites every record that `lose` picks with one of the same size that means nothing to its
/// receiver (unwatch, or watch_refused, of a prefix that nobody watches). So a record can be lost
/// although its session lives, and the counts of bytes stay true. Returns how many were lost.
int lose_records(Bytes& bundle, Toward toward,
                 const std::function<bool(Kind kind, ByteView payload)>& lose);

/// Channel ids and processes by name, for people.
using NameChannel = std::function<std::string(const bus::ChannelId&)>;
using NameProcess = std::function<std::string(const bus::Process&)>;
/// "data entity/a.1 <- b.2 call 5..7 prev 4 lineage 1.3" and the like.
std::string describe(Kind kind, ByteView payload, const NameChannel& channel,
                     const NameProcess& process);

/// Fast hash of a bundle for the run's fingerprint; not for hostile input.
std::uint64_t fingerprint(ByteView bytes, std::uint64_t seed);

}  // namespace starbus::sim
