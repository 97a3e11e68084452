// The arena: a small game over several hosts. Heroes log in through gates, walk, fight monsters,
// talk, and go through portals to fields that may run on another host.
//
//   arena --config arena.toml
//
// One such program on each host has accounts, heroes and fields; starbus-spaces says which field
// runs where.
#include <filesystem>
#include <map>
#include <optional>

#include "examples/arena/field.hpp"
#include "examples/arena/hero.hpp"
#include "examples/arena/monster.hpp"
#include "nodes/db/remote/remote_database.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "nodes/login/accounts/ticket_check.hpp"
#include "nodes/players/account_loader.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/space/node/space_app.hpp"
#include "nodes/space/scene/scene_file.hpp"

namespace arena {
namespace {

using namespace std::chrono_literals;

constexpr const char* kFields[] = {"meadow", "forest", "cave"};

class Arena final : public space::SpaceApp {
 public:
  Arena() {
    for (const std::string type : kFields) {
      declare<Field>(type, [this, type](space::SpaceInit init, nodes::Node&) {
        return std::make_unique<Field>(std::move(init), scenes_[type]);
      });
    }
    entity<ArenaAccount>({.save_when = nodes::entities::SaveWhen::at_end});
    entity<Hero>({.save_every = 10s});
    entity<Monster>({.stays = true});
  }

  void configure(starbus::daemon::ConfigReader& reader) override {
    SpaceApp::configure(reader);
    ticket_keys_ = reader.strings("ticket_keys");
    folder_ = reader.required_string("scenes");
  }

  bus::Result<> start(nodes::Node& node) override {
    for (const std::string type : kFields) {
      auto scene = space::load_scene(std::filesystem::path(folder_) / (type + ".toml"));
      if (!scene) return bus::Error(bus::Errc::bad_config, scene.error().detail);
      scenes_[type] = std::move(*scene);
    }
    auto keys = nodes::login::VerifyingKeys::read(ticket_keys_);
    if (!keys) return bus::Error(bus::Errc::bad_config, keys.error().to_string());
    around_.ticket = nodes::login::ticket_check(std::move(*keys));
    node.require("service/db");
    if (auto started = SpaceApp::start(node); !started) return started;
    around_.load = players::load_at<Hero>(entities(), node.role());
    entities().world().add(around_);
    loader_.emplace(players::load_account_here<ArenaAccount>(entities()));
    node.offer(std::string(players::kAccountService), *loader_);
    return {};
  }

 private:
  nodes::entities::HostOptions entity_options(nodes::Node& node) override {
    database_.emplace(node.bus(), nodes::db::RemoteOptions{});
    nodes::entities::DbSaverOptions saving;
    // Only the present owner of a name may save what is kept under it.
    saving.checkout = [&node](const std::string& type, const std::string& id) {
      const bool account = type == ArenaAccount::kTypeName;
      return node.bus().epoch((account ? "account/" : "player/") + id).value;
    };
    saver_.emplace(*database_, saving);
    nodes::entities::HostOptions options;
    options.save = saver_->store();
    options.load = saver_->loader();
    options.take_in = {"player/", "account/"};
    return options;
  }

  std::vector<std::string> ticket_keys_;
  std::string folder_;
  std::map<std::string, space::SceneData> scenes_;
  players::AccountWorld around_;
  std::optional<nodes::db::RemoteDatabase> database_;
  std::optional<nodes::entities::DbSaver> saver_;
  std::optional<players::AccountLoader> loader_;
};

}  // namespace
}  // namespace arena

int main(int argc, char** argv) {
  return starbus::nodes::run_node(
      {.role = "arena", .version = "1.0", .description = "Fields, and the heroes in them."},
      std::make_unique<arena::Arena>(), argc, argv);
}
