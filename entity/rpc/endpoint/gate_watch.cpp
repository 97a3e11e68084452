#include "entity/rpc/endpoint/gate_watch.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "bus/client/lasting_watch.hpp"

namespace starbus::entity::rpc {

GateWatch::GateWatch(bus::Bus& bus, boost::asio::io_context& loop) : bus_(bus), loop_(loop) {}

GateWatch::~GateWatch() {
  *self_ = nullptr;
}

void GateWatch::start() {
  thread_.check();
  if (gates_.known() || watching_) return;
  watching_ = true;
  watch_ = std::make_unique<bus::LastingWatch>(
      bus_, std::string(Gates::kPrefix),
      [this](const bus::WatchUpdate& shown) { update(shown.changes, shown.complete); }, nullptr);
  if (const auto started = watch_->start(); !started) {
    boost::asio::post(loop_, [self = self_, error = started.error()] {
      if (*self != nullptr) (*self)->finish(error);
    });
  }
}

void GateWatch::when_known(Done done) {
  thread_.check();
  if (gates_.known()) return done({});
  waiting_.push_back(std::move(done));
  start();
}

void GateWatch::update(const std::vector<bus::WatchRow>& changes, bool complete) {
  thread_.check();
  const bool before = gates_.known();
  gates_.update(changes, complete);
  if (!before && gates_.known()) finish({});
}

void GateWatch::finish(const bus::Result<>& result) {
  if (!result) watching_ = false;
  for (auto& waiting : std::exchange(waiting_, {})) waiting(result);
}

}  // namespace starbus::entity::rpc
