#include "tests/cluster/travel/pilot.hpp"

#include <utility>

#include "nodes/login/accounts/ticket_check.hpp"

namespace starbus::cluster_test {

using nodes::entities::SaveWhen;
using namespace std::chrono_literals;

entity::EntityResult<> Pilot::on_activate() {
  if (const auto base = EntityOf::on_activate(); !base) return base;
  return run_every<&Pilot::count>(entity::Time(world().get<PilotWays>().count_every));
}

/// Not said, and not numbered, if there is no client.
void Pilot::count() {
  if (client().call<&PilotClient::number>(state.counted.get() + 1)) state.counted += 1U;
  state.shown = state.counted.get();
}

void Pilot::on_online(bool back) {
  const std::string& enter = world().get<PilotWays>().enter;
  if (!back && !enter.empty()) go(enter);
}

void Pilot::go(std::string type) {
  nodes::space::Wish wish;
  wish.place.type = std::move(type);
  world().get<nodes::space::Travels>().travel(
      *this, wish, [](const nodes::space::Result<nodes::space::Travelled>&) {});
}

std::uint64_t Pilot::ask(rpc::Caller&, std::uint64_t number) {
  asked_.take(number);
  return number;
}

void Pilot::hear(rpc::Caller&, std::uint32_t sender, std::uint64_t number) {
  heard_[sender].take(number);
  static_cast<void>(client().call<&PilotClient::word>(sender, number));
}

void Pilot::on_travel_ended(const nodes::space::Result<nodes::space::Travelled>& end) {
  state.where = end ? to_string(end->space) : end.error().to_string();
  static_cast<void>(client().call<&PilotClient::landed>(state.where.get()));
}

entity::EntityResult<> Pilot::on_before_move(entity::Encoder& out) {
  entity::put_value(out, asked_);
  entity::put_value(out, heard_);
  return {};
}

entity::EntityResult<> Pilot::on_after_move(entity::Decoder* arrived) {
  if (arrived == nullptr) return {};
  entity::get_value(*arrived, asked_);
  entity::get_value(*arrived, heard_);
  if (!arrived->ok()) return entity::EntityErrc::bad_state;
  return {};
}

PilotApp::PilotApp() {
  declare<Sky>("low");
  declare<Sky>("high");
  entity<Crew>({.save_when = SaveWhen::at_end});
  entity<Pilot>();
}

void PilotApp::configure(daemon::ConfigReader& reader) {
  SpaceApp::configure(reader);
  ticket_keys_ = reader.strings("ticket_keys");
  accounts_ = reader.boolean("accounts", false);
  pilots_.count_every = reader.duration("count_every", 5ms);
  pilots_.enter = reader.string("enter", "");
}

nodes::entities::HostOptions PilotApp::entity_options(nodes::Node& node) {
  database_.emplace(node.bus(), nodes::db::RemoteOptions{});
  nodes::entities::DbSaverOptions saving;
  saving.checkout = [&node](const std::string& type, const std::string& id) {
    return node.bus().epoch((type == "crew" ? "account/" : "player/") + id).value;
  };
  saver_.emplace(*database_, saving);
  nodes::entities::HostOptions options;
  options.save = saver_->store();
  options.load = saver_->loader();
  options.take_in = {"player/", "account/"};
  return options;
}

bus::Result<> PilotApp::start(nodes::Node& node) {
  auto keys = nodes::login::VerifyingKeys::read(ticket_keys_);
  if (!keys) return bus::Error(bus::Errc::bad_config, keys.error().to_string());
  if (auto started = SpaceApp::start(node); !started) return started;
  around_.load = players::load_here<Pilot>(entities());
  around_.ticket = nodes::login::ticket_check(std::move(*keys));
  entities().world().add(around_);
  entities().world().add(pilots_);
  loader_.emplace(players::load_account_here<Crew>(entities()));
  if (accounts_) node.offer(std::string(players::kAccountService), *loader_);
  return {};
}

}  // namespace starbus::cluster_test
