// The node that runs the game: accounts, heroes and fields. One on each host; starbus-spaces says
// which field runs where.
#include <filesystem>
#include <map>
#include <optional>

#include "field.hpp"
#include "nodes/db/remote/remote_database.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "nodes/login/accounts/ticket_check.hpp"
#include "nodes/players/account_loader.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/space/node/space_app.hpp"
#include "nodes/space/scene/scene_file.hpp"

namespace game {
namespace {

class Game final : public space::SpaceApp {
 public:
  Game() {
    entity<Account>({.save_when = nodes::entities::SaveWhen::at_end});
    entity<Hero>({.save_every = 1s});  // what a crash may take
    entity<Sheep>({.stays = true});    // it ends with its space
  }
  void configure(starbus::daemon::ConfigReader& reader) override {
    SpaceApp::configure(reader);
    ticket_keys_ = reader.strings("ticket_keys");
    scenes_ = reader.required_string("scenes");
  }
  bus::Result<> start(nodes::Node& node) override {
    if (auto read = declare_fields(); !read) return read;
    auto keys = nodes::login::VerifyingKeys::read(ticket_keys_);
    if (!keys) return bus::Error(bus::Errc::bad_config, keys.error().to_string());
    around_.ticket = nodes::login::ticket_check(std::move(*keys));
    node.require("service/db");  // accounts and heroes are loaded from it, and saved to it
    if (auto started = SpaceApp::start(node); !started) return started;
    around_.load = players::load_at<Hero>(entities(), node.role());
    entities().world().add(around_);
    // Gates and logins have an account loaded in one of the nodes that offer this.
    loader_.emplace(players::load_account_here<Account>(entities()));
    node.offer(std::string(players::kAccountService), *loader_);
    return {};
  }

 private:
  /// A type of spaces for each file of the folder.
  bus::Result<> declare_fields() {
    std::error_code missing;
    for (const auto& file : std::filesystem::directory_iterator(scenes_, missing)) {
      if (file.path().extension() != ".toml") continue;
      auto scene = space::load_scene(file.path());
      if (!scene) return bus::Error(bus::Errc::bad_config, scene.error().detail);
      declare<Field>(file.path().stem(),
                     [scene = std::move(*scene)](space::SpaceInit init, nodes::Node&) {
                       return std::make_unique<Field>(std::move(init), scene);
                     });
    }
    if (missing) return bus::Error(bus::Errc::bad_config, scenes_ + ": " + missing.message());
    return {};
  }
  nodes::entities::HostOptions entity_options(nodes::Node& node) override {
    database_.emplace(node.bus(), nodes::db::RemoteOptions{.database = "main"});
    nodes::entities::DbSaverOptions saving;
    // Only the present owner of a name may save what is kept under it.
    saving.checkout = [&node](const std::string& type, const std::string& id) {
      return node.bus().epoch((type == "account" ? "account/" : "player/") + id).value;
    };
    saver_.emplace(*database_, saving);
    nodes::entities::HostOptions options;
    options.save = saver_->store();
    options.load = saver_->loader();
    options.take_in = {"player/", "account/"};  // from a host that drains
    return options;
  }

  std::vector<std::string> ticket_keys_;  // files
  std::string scenes_;                    // a folder
  players::AccountWorld around_;
  std::optional<nodes::db::RemoteDatabase> database_;
  std::optional<nodes::entities::DbSaver> saver_;
  std::optional<players::AccountLoader> loader_;
};

}  // namespace
}  // namespace game

int main(int argc, char** argv) {
  return starbus::nodes::run_node({.role = "space",
                                   .version = "0.1",
                                   .description = "Runs fields, and has accounts and heroes.",
                                   .program = "game-host"},
                                  std::make_unique<game::Game>(), argc, argv);
}
