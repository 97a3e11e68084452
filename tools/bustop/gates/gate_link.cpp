#include "tools/bustop/gates/gate_link.hpp"

#include <memory>
#include <optional>

#include "entity/client/announcement.hpp"
#include "tools/bustop/bus_link.hpp"

namespace starbus::bustop {

namespace sessions = entity::sessions;

bus::Result<Announced> GateLink::announce(const std::string& group, const std::string& by,
                                          const std::string& call) {
  const bus::ByteView body = bus::as_bytes(call);
  const std::uint64_t number = sessions::next_announcement();
  bus::Bytes word;
  sessions::encode(sessions::Announcement{number, group, by, {body.begin(), body.end()}}, word);
  bus::SendOptions options;
  options.lane = bus::Lane::sync;
  options.ttl = timeout();
  struct Ended {
    std::optional<bus::Result<bus::GroupOutcome>> outcome;
    bool done = false;
  };
  const auto ended = std::make_shared<Ended>();
  link().bus().announce_acknowledged(std::string(sessions::kGatesGroup), std::move(word), options,
                                     [ended](const bus::Result<bus::GroupOutcome>& outcome) {
                                       ended->outcome = outcome;
                                       ended->done = true;
                                     });
  link().run(2 * timeout(), ended->done);
  if (!ended->done) return bus::Error(bus::Errc::deadline, "group/gates: no answer");
  if (!*ended->outcome) return ended->outcome->error();
  const bus::GroupOutcome& outcome = **ended->outcome;
  Announced announced;
  announced.taken = outcome.handled;
  for (const auto& each : outcome.failed) {
    announced.failed.push_back(each.name + ": " + each.reason.to_string());
  }
  const bus::Process self = link().bus().self();
  announced.number = "host=" + std::to_string(self.host) + "&slot=" + std::to_string(self.slot) +
                     "&incarnation=" + std::to_string(self.incarnation) +
                     "&number=" + std::to_string(number);
  return announced;
}

}  // namespace starbus::bustop
