#include "tests/cluster/players/player_town.hpp"

#include <utility>

#include "nodes/login/accounts/ticket_check.hpp"

namespace starbus::cluster_test {

using nodes::entities::SaveWhen;

void PlayerTown::configure(daemon::ConfigReader& reader) {
  ticket_keys_ = reader.strings("ticket_keys");
}

bus::Result<> PlayerTown::start(nodes::Node& node) {
  node_ = &node;
  auto keys = nodes::login::VerifyingKeys::read(ticket_keys_);
  if (!keys) return bus::Error(bus::Errc::bad_config, keys.error().to_string());
  database_.emplace(node.bus(), nodes::db::RemoteOptions{});
  nodes::entities::DbSaverOptions saving;
  saving.checkout = [this](const std::string& type, const std::string& id) {
    return node_->bus().epoch((type == "citizen" ? "account/" : "player/") + id).value;
  };
  saver_.emplace(*database_, saving);
  nodes::entities::HostOptions options;
  options.save = saver_->store();
  options.load = saver_->loader();
  options.take_in = {"player/", "account/"};
  host_.emplace(node.rpc(), node.timers(), node.name(), std::move(options));
  host_->declare<Citizen>({.save_when = SaveWhen::at_end});
  host_->declare<Fighter>({.save_when = SaveWhen::every_change});
  around_.load = players::load_here<Fighter>(*host_);
  around_.ticket = nodes::login::ticket_check(std::move(*keys));
  host_->world().add(around_);
  loader_.emplace(players::load_account_here<Citizen>(*host_));
  node.offer(std::string(players::kAccountService), *loader_);
  return host_->join(node);
}

}  // namespace starbus::cluster_test
