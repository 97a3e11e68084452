#include "tools/bustop/gates/gate_link.hpp"

#include <map>

#include "entity/client/announcement.hpp"
#include "nodes/runtime/node_control.hpp"
#include "nodes/runtime/presence.hpp"
#include "tools/bustop/bus_link.hpp"

namespace starbus::bustop {

namespace rpc = entity::rpc;
namespace sessions = entity::sessions;

namespace {

constexpr unsigned kGood = 200;
constexpr unsigned kNotFound = 404;

/// In words of the bus.
bus::Error error_of(const std::string& process, const rpc::Error& error) {
  if (rpc::is_absent(error)) return {bus::Errc::no_owner, process + ": is no node, or has ended"};
  if (error == rpc::Errc::deadline) return {bus::Errc::deadline, process + " does not answer"};
  if (error == rpc::Errc::not_permitted) {
    return {bus::Errc::denied, process + ": the role of this user is not one of servers"};
  }
  if (error == rpc::Errc::rpc_not_found) {
    return {bus::Errc::no_handler, process + ": an earlier version, which does not answer this"};
  }
  if (error.code.is_of<bus::Errc>()) return error;
  return {bus::Errc::handler_failed, process + ": " + error.to_string()};
}

}  // namespace

GateLink::GateLink(const std::string& endpoint, const std::string& role,
                   std::chrono::milliseconds timeout)
    : link_(std::make_unique<BusLink>(endpoint, role)), timeout_(timeout) {}
GateLink::~GateLink() = default;

bus::Result<> GateLink::connect() {
  return link_->connect(timeout_);
}

void GateLink::wait(std::chrono::milliseconds time) {
  link_->run(time, false);
}

bus::Result<std::vector<std::string>> GateLink::names(const std::string& prefix) {
  struct Seen {
    std::map<std::string, bool> present;
    bool done = false;
    bus::Error refused;
  };
  const auto seen = std::make_shared<Seen>();
  auto handle = link_->bus().watch(
      prefix,
      [seen](const bus::WatchUpdate& update) {
        for (const bus::WatchRow& row : update.changes) seen->present[row.name] = row.present;
        seen->done = seen->done || update.complete;
      },
      [seen](const bus::Error& error) {
        seen->refused = error;
        seen->done = true;
      });
  if (!handle) return handle.error();
  link_->run(timeout_, seen->done);
  if (seen->refused.code != bus::Errc::ok) return seen->refused;
  if (!seen->done) return bus::Error(bus::Errc::deadline, "names of " + prefix + ": no answer");
  std::vector<std::string> names;
  for (const auto& [name, present] : seen->present) {
    if (present) names.push_back(name.substr(prefix.size()));
  }
  return names;
}

bus::Result<nlohmann::json> GateLink::look(const std::string& process, const std::string& target) {
  auto reply = link_->end(rpc::call<&nodes::NodeControl::look>(
      link_->rpc(), nodes::presence_name(process), {.deadline = timeout_}, target));
  if (!reply) return bus::Error(bus::Errc::closed);
  if (!*reply) return error_of(process, reply->error());
  const nodes::NodeAnswer& answer = **reply;
  auto json = nlohmann::json::parse(answer.body, nullptr, false);
  if (answer.status == kGood && !json.is_discarded()) return json;
  if (answer.status == kGood) return bus::Error(bus::Errc::bad_bytes, process + ": no JSON");
  const std::string why =
      text_at(json, "detail").empty() ? text_at(json, "error") : text_at(json, "detail");
  return bus::Error(answer.status == kNotFound ? bus::Errc::no_handler : bus::Errc::handler_failed,
                    process + ": " + std::to_string(answer.status) + " " + why);
}

NodeLook GateLink::looker() {
  return [this](const std::string& process, const std::string& target) {
    return look(process, target);
  };
}

bus::Result<Announced> GateLink::announce(const std::string& group, const std::string& by,
                                          const std::string& call) {
  const bus::ByteView body = bus::as_bytes(call);
  const std::uint64_t number = sessions::next_announcement();
  bus::Bytes word;
  sessions::encode(sessions::Announcement{number, group, by, {body.begin(), body.end()}}, word);
  bus::SendOptions options;
  options.lane = bus::Lane::sync;
  options.ttl = timeout_;
  struct Ended {
    std::optional<bus::Result<bus::GroupOutcome>> outcome;
    bool done = false;
  };
  const auto ended = std::make_shared<Ended>();
  link_->bus().announce_acknowledged(std::string(sessions::kGatesGroup), std::move(word), options,
                                     [ended](const bus::Result<bus::GroupOutcome>& outcome) {
                                       ended->outcome = outcome;
                                       ended->done = true;
                                     });
  link_->run(2 * timeout_, ended->done);
  if (!ended->done) return bus::Error(bus::Errc::deadline, "group/gates: no answer");
  if (!*ended->outcome) return ended->outcome->error();
  const bus::GroupOutcome& outcome = **ended->outcome;
  Announced announced;
  announced.taken = outcome.handled;
  for (const auto& each : outcome.failed) {
    announced.failed.push_back(each.name + ": " + each.reason.to_string());
  }
  const bus::Process self = link_->bus().self();
  announced.number = "host=" + std::to_string(self.host) + "&slot=" + std::to_string(self.slot) +
                     "&incarnation=" + std::to_string(self.incarnation) +
                     "&number=" + std::to_string(number);
  return announced;
}

}  // namespace starbus::bustop
