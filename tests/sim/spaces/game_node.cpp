#include "tests/sim/spaces/game_node.hpp"

namespace starbus::sim {
namespace {

constexpr Time kAgain = bus::from_ms(200);

bus::Options options_of(const WheelNode& node) {
  bus::Options options;
  options.node = node.node();
  options.endpoint = "simulated";
  return options;
}

}  // namespace

GameProgram::GameProgram(WheelNode& node, boost::asio::io_context& loop)
    : bus(loop, options_of(node)), wheel(node.machine_time()) {
  node.drive(wheel);
}

void GameNode::begin(boost::asio::io_context& loop) {
  program_ = make(loop);
  program_->endpoint.on_lease_lost([this] {
    ++leases_lost_;
    world_.note(name(), "has lost its lease");
    program_->ready = false;
    program_->lease = std::make_shared<bool>(true);
    lose();
    try_open();
  });
  program_->bus.on_ended([this](const bus::Error& reason) { refused(reason); });
  program_->bus.connect([](const bus::Result<>&) {});
  try_open();
}

void GameNode::end(std::unique_ptr<boost::asio::io_context> loop) {
  ends();
  wheel_ends();
  program_.reset();
  loop.reset();
}

/// Names have the host of a process in them, and gates its number, which a lost lease takes away:
/// not before these are known.
void GameNode::try_open() {
  const auto done = still([this](const bus::Result<>& opened) {
    if (opened) {
      program_->ready = true;
      return world_.note(name(), "is ready");
    }
    world_.note(name(), [&] { return "is not ready: " + opened.error().to_string(); });
    later(kAgain, still([this] { try_open(); }));
  });
  endpoint().ready(still([this, done](const bus::Result<>& connected) {
    if (connected && program_->bus.self() != bus::Process{}) return open(done);
    done(connected ? bus::Result<>(bus::Errc::unreachable) : connected);
  }));
}

/// The name of its former life is not free yet: another program is started.
void GameNode::refused(const bus::Error& reason) {
  world_.note(name(), [&] { return "was refused: " + reason.to_string(); });
  after(Time{}, [this] {
    crash();
    world_.timeline.after(kAgain, [this] { start(); });
  });
}

}  // namespace starbus::sim
