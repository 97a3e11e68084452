#include "tests/sim/clients/forgery.hpp"

#include "bus/client/envelope.hpp"
#include "bus/client/parts/bus_parts.hpp"

namespace starbus::sim {

void forge_reply(ClientNode& forger, const bus::Process& caller, bus::Lane lane,
                 std::uint64_t number, ClientOracle::Id id) {
  bus::Envelope envelope;
  envelope.kind = bus::EnvelopeKind::reply;
  envelope.call = number;
  bus::Bytes head;
  bus::encode_envelope(envelope, head);
  const bus::Bytes body = encode_reply(id, 0, 0);  // no handler has this number
  bus::BusParts& parts = forger.parts();
  (void)parts.process.origin().send({caller.channel(), {}, {}}, lane, head, body, 0, {});
  parts.link.request_send(body.size());
}

}  // namespace starbus::sim
