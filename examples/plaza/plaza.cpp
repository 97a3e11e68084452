// A small game with accounts and players: who comes in can hear an echo, ask for a stream of calls,
// and speak to everybody. docs/guide/players.md explains what it uses; `run` starts it with all
// that it needs; starbus-bots (docs/operate/bots.md) plays it by the thousand.
//
//   plaza --config plaza.toml
#include <optional>

#include "examples/plaza/crier.hpp"
#include "examples/plaza/plaza_player.hpp"
#include "nodes/db/remote/remote_database.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/login/accounts/ticket_check.hpp"
#include "nodes/players/account_loader.hpp"
#include "nodes/runtime/node.hpp"

namespace plaza {
namespace {

namespace nodes = starbus::nodes;
using namespace std::chrono_literals;

class Plaza final : public nodes::App {
 public:
  void configure(starbus::daemon::ConfigReader& reader) override {
    ticket_keys_ = reader.strings("ticket_keys");
    news_per_second_ = reader.integer<unsigned>("news_per_second", 0, 0, 1'000);
    news_.assign(reader.integer<unsigned>("news_bytes", 64, 0, 65'536), 'n');
  }

  bus::Result<> start(nodes::Node& node) override {
    auto keys = nodes::login::VerifyingKeys::read(ticket_keys_);
    if (!keys) return bus::Error(bus::Errc::bad_config, keys.error().to_string());
    around_.ticket = nodes::login::ticket_check(std::move(*keys));
    crier_.emplace(node.bus());
    open_database(node);
    make_host(node);
    node.require("service/db");
    // Gates and logins ask here for an account that lives nowhere.
    loader_.emplace(players::load_account_here<PlazaAccount>(*host_));
    node.offer(std::string(players::kAccountService), *loader_);
    if (auto started = start_news(node); !started) return started;
    return host_->join(node);
  }
  std::string status() const override {
    return std::to_string(host_ ? host_->entities().size() : 0) + " entities";
  }

 private:
  void open_database(nodes::Node& node) {
    database_.emplace(node.bus(), nodes::db::RemoteOptions{});
    nodes::entities::DbSaverOptions saving;
    // Only the present owner of a name may save what is kept under it.
    saving.checkout = [&node](const std::string& type, const std::string& id) {
      const bool account = type == PlazaAccount::kTypeName;
      return node.bus().epoch((account ? "account/" : "player/") + id).value;
    };
    saver_.emplace(*database_, saving);
  }

  void make_host(nodes::Node& node) {
    nodes::entities::HostOptions options;
    options.save = saver_->store();
    options.load = saver_->loader();
    options.take_in = {"player/", "account/"};
    host_.emplace(node.rpc(), node.timers(), node.name(), std::move(options));
    host_->declare<PlazaAccount>({.save_when = nodes::entities::SaveWhen::at_end});
    host_->declare<PlazaPlayer>({.save_every = 30s});
    around_.load = players::load_at<PlazaPlayer>(*host_, node.role());
    host_->world().add(around_);
    host_->world().add(*crier_);
  }

  bus::Result<> start_news(nodes::Node& node) {
    if (news_per_second_ == 0) return {};
    const auto timer =
        node.timers().every(timers_, 1s, entity::Time(1s) / news_per_second_, entity::CatchUp::all,
                            [this](const entity::TimerFiring&) {
                              static_cast<void>(crier_->tell("plaza", news_, wall_time()));
                            });
    return timer ? bus::Result<>() : bus::Result<>(bus::Errc::io_error);
  }

  std::vector<std::string> ticket_keys_;
  unsigned news_per_second_ = 0;
  std::string news_;
  players::AccountWorld around_;
  std::optional<Crier> crier_;
  std::optional<nodes::db::RemoteDatabase> database_;
  std::optional<nodes::entities::DbSaver> saver_;
  std::optional<nodes::entities::EntityHost> host_;
  std::optional<players::AccountLoader> loader_;
  entity::TimerOwner timers_;
};

}  // namespace
}  // namespace plaza

int main(int argc, char** argv) {
  return starbus::nodes::run_node(
      {.role = "plaza", .version = "1.0", .description = "A place to meet."},
      std::make_unique<plaza::Plaza>(), argc, argv);
}
