#include "tools/bustop/node_link.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "nodes/runtime/node_control.hpp"
#include "nodes/runtime/presence.hpp"
#include "tools/bustop/bus_link.hpp"

namespace starbus::bustop {

namespace rpc = entity::rpc;

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

NodeLink::NodeLink(const std::string& endpoint, const std::string& role,
                   std::chrono::milliseconds timeout)
    : link_(std::make_unique<BusLink>(endpoint, role)), timeout_(timeout) {}
NodeLink::~NodeLink() = default;

bus::Result<> NodeLink::connect() {
  return link_->connect(timeout_);
}

void NodeLink::wait(std::chrono::milliseconds time) {
  link_->run(time, false);
}

bus::Result<std::vector<bus::WatchRow>> NodeLink::rows(const std::string& prefix) {
  struct Seen {
    std::map<std::string, bus::WatchRow> present;
    bool done = false;
    bus::Error refused;
  };
  const auto seen = std::make_shared<Seen>();
  auto handle = link_->bus().watch(
      prefix,
      [seen](const bus::WatchUpdate& update) {
        for (const bus::WatchRow& row : update.changes) seen->present[row.name] = row;
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
  std::vector<bus::WatchRow> rows;
  for (auto& [name, row] : seen->present) {
    if (row.present) rows.push_back(std::move(row));
  }
  return rows;
}

bus::Result<std::vector<std::string>> NodeLink::names(const std::string& prefix) {
  const auto rows = this->rows(prefix);
  if (!rows) return rows.error();
  std::vector<std::string> names;
  for (const bus::WatchRow& row : *rows) names.push_back(row.name.substr(prefix.size()));
  return names;
}

bus::Result<std::string> NodeLink::owner_of(const std::string& name) {
  const auto rows = this->rows(name);
  if (!rows) return rows.error();
  const auto found = std::ranges::find(*rows, name, &bus::WatchRow::name);
  if (found == rows->end()) return bus::Error(bus::Errc::no_owner, name + ": nobody owns it");
  return found->owner_name;
}

bus::Result<nlohmann::json> NodeLink::look(const std::string& process, const std::string& target) {
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

NodeLook NodeLink::looker() {
  return [this](const std::string& process, const std::string& target) {
    return look(process, target);
  };
}

}  // namespace starbus::bustop
