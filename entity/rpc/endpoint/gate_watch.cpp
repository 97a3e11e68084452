#include "entity/rpc/endpoint/gate_watch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "bus/client/lasting_watch.hpp"
#include "entity/rpc/endpoint/loop_clock.hpp"

namespace starbus::entity::rpc {

GateWatch::GateWatch(bus::Bus& bus, boost::asio::io_context& loop) : bus_(bus), loop_(loop) {}

GateWatch::~GateWatch() {
  *self_ = nullptr;
}

void GateWatch::start() {
  thread_.check();
  if (known() || std::exchange(watching_, true)) return;
  watch(bus::kGatePrefix, &GateWatch::update, gates_watch_);
  watch(bus::kServerPrefix, &GateWatch::update_servers, servers_watch_);
}

void GateWatch::watch(std::string_view prefix, Update on_update,
                      std::unique_ptr<bus::LastingWatch>& lasting) {
  lasting = std::make_unique<bus::LastingWatch>(
      bus_, std::string(prefix),
      [this, on_update](const bus::WatchUpdate& shown) {
        (this->*on_update)(shown.changes, shown.complete);
      },
      [this](const bus::Error& error) {
        if (!known()) end_waiting(error);
      });
  if (const auto started = lasting->start(); !started) {
    boost::asio::post(loop_, [self = self_, error = started.error()] {
      if (*self == nullptr) return;
      (*self)->watching_ = false;
      (*self)->end_waiting(error);
    });
  }
}

void GateWatch::when_known(Done done) {
  thread_.check();
  if (known()) return done({});
  waiting_.push_back(std::move(done));
  start();
}

void GateWatch::update(const std::vector<bus::WatchRow>& changes, bool complete) {
  thread_.check();
  const bool before = known();
  gates_.update(changes, complete);
  if (!before && known()) end_waiting({});
}

void GateWatch::update_servers(const std::vector<bus::WatchRow>& changes, bool complete) {
  thread_.check();
  const bool before = known();
  servers_.update(changes, complete, loop_now());
  if (!before && known()) end_waiting({});
}

void GateWatch::end_waiting(const bus::Result<>& result) {
  for (auto& waiting : std::exchange(waiting_, {})) waiting(result);
}

}  // namespace starbus::entity::rpc
