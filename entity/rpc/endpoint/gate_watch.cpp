#include "entity/rpc/endpoint/gate_watch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "bus/client/bus.hpp"

namespace starbus::entity::rpc {

GateWatch::GateWatch(bus::Bus& bus, boost::asio::io_context& loop) : bus_(bus), loop_(loop) {}

GateWatch::~GateWatch() {
  *self_ = nullptr;
}

void GateWatch::start() {
  thread_.check();
  if (known() || std::exchange(watching_, true)) return;
  if (!gates_.known()) {
    watch(bus::kGatePrefix, &GateWatch::update, &GateWatch::gates_handle_);
  }
  if (!servers_.known()) {
    watch(bus::kServerPrefix, &GateWatch::update_servers, &GateWatch::servers_handle_);
  }
}

void GateWatch::watch(std::string_view prefix, Update on_update, Handle GateWatch::*handle) {
  auto watch = bus_.watch(
      std::string(prefix),
      [self = self_, on_update](const bus::WatchUpdate& shown) {
        if (*self != nullptr) ((*self)->*on_update)(shown.changes, shown.complete);
      },
      [self = self_](const bus::Error& error) {
        if (*self != nullptr) (*self)->finish(error);
      });
  if (watch) {
    this->*handle = std::make_unique<bus::WatchHandle>(std::move(*watch));
  } else {
    boost::asio::post(loop_, [self = self_, error = watch.error()] {
      if (*self != nullptr) (*self)->finish(error);
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
  if (!before && known()) finish({});
}

void GateWatch::update_servers(const std::vector<bus::WatchRow>& changes, bool complete) {
  thread_.check();
  const bool before = known();
  servers_.update(changes, complete, Servers::Clock::now());
  if (!before && known()) finish({});
}

void GateWatch::finish(const bus::Result<>& result) {
  if (!result) watching_ = false;
  for (auto& waiting : std::exchange(waiting_, {})) waiting(result);
}

}  // namespace starbus::entity::rpc
