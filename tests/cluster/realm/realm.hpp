/// What tests and the benchmark of shutdowns run as processes of their own: a part of a game whose
/// entities are kept in a database, and those who play.
///
///   heroes = 100                        # hero/NODE.0 ... of this node, loaded when it is ready
///   plays = ["space-1", "space-2"]      # calls the heroes of these, all the time
///   per_node = 100                      # how many those have
///   pace = "2ms"                        # of its calls
///   database = "main"
///   notes = "/tmp/.../notes"            # a line when it drains, and when all is saved
///
/// One that plays writes what was answered into the file `earned` when it drains: the hero, the
/// calls that were answered, and those that were made.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nodes/db/remote/remote_database.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "tests/nodes/hosting/hero.hpp"

namespace starbus::cluster_test {

namespace rpc = entity::rpc;
using nodes::entities::Hero;
using nodes::entities::HeroState;

struct RealmReport {
  std::uint64_t present = 0;
  std::uint64_t moved_in = 0;
  std::uint64_t moved_out = 0;
  std::uint64_t moves_failed = 0;
  std::uint64_t moving = 0;   // begun here, and not ended
  std::uint64_t refused = 0;  // heroes that live elsewhere
  std::uint64_t unsaved = 0;
  bool opened = false;  // all of its own were loaded, and are published or refused

  template <class Archive>
  void serialize(Archive& archive) {
    archive(present, moved_in, moved_out, moves_failed, moving, refused, unsaved, opened);
  }
};

class Realm final : public nodes::App, public rpc::Callable<Realm> {
 public:
  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(nodes::Node& node) override;

  RealmReport report(rpc::Caller& from);
  /// Begins to move all that are here to another process.
  std::uint64_t move_all(rpc::Caller& from, std::string target);
  static constexpr auto kRpc = rpc::methods("test_realm", rpc::method<&Realm::report>("report"),
                                            rpc::method<&Realm::move_all>("move_all"));

  static std::string hero_name(const std::string& node, std::uint64_t number) {
    return "hero/" + node + "." + std::to_string(number);
  }

 private:
  struct Played {
    std::uint64_t asked = 0;
    std::uint64_t answered = 0;
  };
  void open();
  void enter(std::string name, std::optional<bus::Bytes> saved);
  void play();
  void write_down(const nodes::Done& done);
  void note(const std::string& what) const;

  nodes::Node* node_ = nullptr;
  std::uint64_t heroes_ = 0;
  std::vector<std::string> plays_;
  std::uint64_t per_node_ = 0;
  std::chrono::milliseconds pace_{};
  std::string database_name_;
  std::string notes_;

  std::optional<nodes::db::RemoteDatabase> database_;
  std::optional<nodes::entities::DbSaver> saver_;
  std::optional<nodes::entities::EntityHost> host_;
  std::uint64_t entered_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t moving_ = 0;
  bool draining_ = false;
  std::uint64_t next_ = 0;  // whose turn it is
  std::map<std::string, Played> played_;
  entity::TimerOwner timers_;
};

}  // namespace starbus::cluster_test
