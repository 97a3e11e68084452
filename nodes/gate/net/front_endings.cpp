/// How connections end, and the turns of the loop.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "nodes/gate/net/front.hpp"

namespace starbus::nodes::gate::net {

Body Front::farewell_of(const Connection& connection, Ending ending) {
  const EndingInfo& info = info_of(ending);
  if (!is_refusal(ending) || connection.phase() != Connection::Phase::open) return nullptr;
  return std::make_shared<const bus::Bytes>(
      handler_.farewell({info.reason, info.retry_ms, std::string(info.text)}));
}

void Front::log(const Connection& connection, Ending ending) {
  if (!is_refusal(ending) || !limited_.allow_stranger(connection.address().host())) return;
  spdlog::info("client {}: {}: {}", connection.address().to_string(), name_of(ending),
               info_of(ending).text);
}

void Front::end(Connection& connection, Ending ending) {
  if (connection.is_ending()) return;
  ++counters_.of(ending);
  log(connection, ending);
  const bool told = std::exchange(connection.notes().told, false);
  if (told) --counters_.open[index_of(connection.rules())];
  connection.close(farewell_of(connection, ending), is_refusal(ending), now_);
  touch(connection);
  if (told) handler_.on_closed(connection.id(), ending);
}

void Front::settle(Connection& connection) {
  count_held(connection);
  if (is_over_share(connection)) end(connection, Ending::too_slow);
  if (connection.phase() == Connection::Phase::over) return bury(connection);
  Connection::Notes& notes = connection.notes();
  const std::uint32_t events = connection.wants();
  if (events != notes.watched) {
    poller_.change(connection.descriptor(), connection.id(), events);
    notes.watched = events;
  }
  const Time due = connection.due(settings_.limits).at;
  if (due == Time::max() || (notes.alarm != Time{} && notes.alarm <= due)) return;
  notes.alarm = due;
  alarms_.set(due, connection.id());
  set_timer();
}

void Front::bury(Connection& connection) {
  const auto at = connections_.find(connection.id());
  if (at == connections_.end()) return;
  poller_.remove(connection.descriptor());
  admission_.leave(connection);
  held_ -= connection.notes().counted;
  dead_.push_back(std::move(at->second));
  connections_.erase(at);
  if (stopping_) turn_later();
}

void Front::reap() {
  dead_.clear();
}

void Front::turn_later() {
  if (std::exchange(turn_posted_, true)) return;
  boost::asio::post(loop_, [this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) turn();
  });
}

void Front::turn() {
  turn_posted_ = false;
  now_ = std::chrono::steady_clock::now();
  for (std::size_t i = std::min(dirty_.size(), std::size_t{kFlushTurn}); i > 0; --i) {
    Connection* connection = find(dirty_.front());
    dirty_.pop_front();
    if (connection == nullptr) continue;
    connection->notes().dirty = false;
    write(*connection);
    settle(*connection);
  }
  for (std::size_t i = std::min(again_.size(), std::size_t{kFlushTurn}); i > 0; --i) {
    Connection* connection = find(again_.front());
    again_.pop_front();
    if (connection == nullptr) continue;
    connection->notes().again = false;
    serve(*connection);
    settle(*connection);
  }
  turn_tls();
  if (stopping_) turn_stop();
  reap();
  if (!dirty_.empty() || !again_.empty()) turn_later();
}

void Front::turn_tls() {
  const Time until = std::chrono::steady_clock::now() + kTlsTurn;
  while (const auto id = admission_.first_for_tls()) {
    Connection* connection = find(*id);
    const bool waits = connection != nullptr && !connection->is_ending();
    if (waits && !admission_.take_tls(settings_.limits, now_)) break;
    admission_.forget_first();
    if (!waits) continue;
    connection->admit_tls() ? serve(*connection) : end(*connection, Ending::no_room);
    settle(*connection);
    now_ = std::chrono::steady_clock::now();
    if (now_ >= until) break;
  }
  const Time again = admission_.tls_again(settings_.limits, now_);
  if (again <= now_) return turn_later();
  if (again != Time::max()) set_timer();
}

void Front::set_timer() {
  const Time at = std::min(alarms_.first(), admission_.tls_again(settings_.limits, now_));
  if (at >= timer_at_) return;
  timer_at_ = at;
  timer_.expires_at(at);
  timer_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (!error && !alive.expired()) on_timer();
  });
}

void Front::on_timer() {
  timer_at_ = Time::max();
  now_ = std::chrono::steady_clock::now();
  // A slice: thousands may be due at once.
  for (std::uint64_t i = 0; i < kFlushTurn; ++i) {
    const auto alarm = alarms_.take(now_);
    if (!alarm) break;
    Connection* connection = find(alarm->id);
    if (connection == nullptr || connection->notes().alarm != alarm->at) continue;
    connection->notes().alarm = {};
    on_alarm(*connection);
    settle(*connection);
  }
  turn_tls();
  reap();
  set_timer();
}

void Front::on_alarm(Connection& connection) {
  const Connection::Due due = connection.due(settings_.limits);
  if (due.at > now_) return;
  if (connection.is_ending()) return connection.cut();
  end(connection, due.ending);
}

void Front::stop_accepting() {
  thread_.check();
  for (const auto& listener : listeners_) listener->stop();
}

void Front::stop(const Closed& why, std::function<void()> done) {
  stop_accepting();
  if (stopping_) return;
  stopping_ = Stopping{why, std::move(done), {}};
  for (const auto& [id, connection] : connections_) stopping_->rest.push_back(id);
  turn_later();
}

void Front::turn_stop() {
  std::vector<ConnectionId>& rest = stopping_->rest;
  if (!rest.empty()) {
    const auto last = std::make_shared<const bus::Bytes>(handler_.farewell(stopping_->why));
    for (std::size_t i = 0; i < kFlushTurn && !rest.empty(); ++i) {
      const ConnectionId id = rest.back();
      rest.pop_back();
      const Connection* connection = find(id);
      const bool told = connection != nullptr && connection->notes().told;
      close(id, last);
      if (told) handler_.on_closed(id, Ending::owner);
    }
    turn_later();
  } else if (connections_.empty()) {
    boost::asio::post(loop_, std::move(stopping_->done));  // it may destroy this
    stopping_.reset();
  }
}

}  // namespace starbus::nodes::gate::net
