#include "nodes/db/service/db_node.hpp"

#include <utility>

#include "nodes/db/remote/bus_link.hpp"
#include "nodes/db/service/db_admin.hpp"

namespace starbus::nodes::db {

void DbNode::configure(daemon::ConfigReader& reader) {
  fresh_ = read_db_settings(reader);
}

bus::Result<> DbNode::reload() {
  if (fresh_ == settings_) return {};
  return bus::Error(bus::Errc::bad_config,
                    "database, folder, collections, headroom, identity, replaces and [[index]] "
                    "take a restart");
}

bus::Result<> DbNode::start(Node& node) {
  node_ = &node;
  settings_ = fresh_;
  if (settings_.folder.empty()) {
    settings_.folder = node.process_context().state.path() / "documents";
    fresh_.folder = settings_.folder;
  }
  intake_ = std::make_unique<Intake>(node.loop(), [this](bus::Bytes body, std::uint64_t number) {
    engine_->handle(std::move(body), [answer = intake_->answer(), number](bus::Bytes bytes) {
      answer(number, std::move(bytes));
    });
  });
  make_engine();
  bus::Handlers handlers;
  handlers.on_call = [this](bus::Call& call) { intake_->take(call); };
  node.before_ready("store", [this](Done done) { open(std::move(done)); });
  if (settings_.check_identity) {
    identity_.emplace(settings_.database, settings_.replaces,
                      identity_log(node.bus(), settings_.database), node.timers());
    node.before_ready("identity", [this](Done done) { check_identity(std::move(done)); });
  }
  node.offer(channel_of(settings_.database), handlers);
  node.offer("service/db", handlers);
  node.on_drain("answers",
                [this](Done done) { intake_->when_idle([done = std::move(done)] { done({}); }); });
  return {};
}

void DbNode::make_engine() {
  Engine::Settings settings{.folder = settings_.folder,
                            .scope = {settings_.database, settings_.collections},
                            .indexes = settings_.indexes,
                            .headroom = settings_.headroom,
                            .env = env_};
  Engine::Hooks hooks;
  hooks.measured = add_db_admin(*node_, settings_.database, [this] {
    return DbFigures{engine_->figures(), intake_->figures()};
  });
  hooks.stopped = [node = node_](const storage::Error& reason) {
    node->stop(bus::Error(bus::Errc::io_error,
                          "the store has stopped: " + reason.to_string() +
                              "; start the node again, which reads what is on the disk"));
  };
  engine_ = std::make_unique<Engine>(std::move(settings), std::move(hooks));
}

void DbNode::open(Done done) {
  const auto folder = settings_.folder.string();
  engine_->open([node = node_, folder, done = std::move(done)](const Result<>& opened) {
    bus::Result<> result;
    if (!opened)
      result = bus::Error(bus::Errc::io_error, folder + ": " + opened.error().to_string());
    // The loop may have ended, and no caller waits for it then.
    (void)node->post("the store is open", [done, result] { done(result); });
  });
}

/// After the store is open, and again after a lost lease: another store may have taken its place.
void DbNode::check_identity(Done done) {
  identity_->run(engine_->figures().identity, std::move(done));
}

std::string DbNode::status() const {
  const EngineFigures figures = engine_ ? engine_->figures() : EngineFigures();
  if (!figures.open) return settings_.database + ": not open";
  if (identity_ && !identity_->waits_for().empty()) {
    return settings_.database + ": waits for " + identity_->waits_for();
  }
  std::string text =
      settings_.database + ": " + std::to_string(figures.database.documents) + " documents";
  if (figures.storage.state != storage::State::running) {
    text += ", " + std::string(storage::name_of(figures.storage.state)) + ": " +
            figures.storage.reason.to_string();
  }
  return text;
}

}  // namespace starbus::nodes::db
