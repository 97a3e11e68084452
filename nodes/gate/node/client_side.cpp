#include "nodes/gate/node/client_side.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/wall_clock.hpp"
#include "nodes/gate/node/limits.hpp"
#include "nodes/gate/node/packet_frame.hpp"
#include "nodes/gate/wire/limits.hpp"

namespace starbus::nodes::gate {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

Body encoded(const ToClient& frame) {
  bus::Bytes bytes;
  encode(frame, bytes);
  return std::make_shared<const bus::Bytes>(std::move(bytes));
}

}  // namespace

ClientSide::ClientSide(boost::asio::io_context& loop, net::FrontSettings settings,
                       daemon::RateLimited& limited, CoreDriver& driver, std::uint64_t schema,
                       std::size_t deflate)
    : driver_(driver), schema_(schema), front_(loop, std::move(settings), *this, limited) {
  if (deflate > 0) deflated_.emplace(deflate);
}

// --- from clients --------------------------------------------------------------------------------

void ClientSide::on_open(ConnectionId connection, const net::Arrival& arrival) {
  const auto now = Clock::now();
  Client& client = clients_[connection];
  client.said = client.since = now;
  client.kind = arrival.kind;
  client.address = arrival.address.host();
  pings_.emplace_back(now + front_.limits().heartbeat, connection);
  driver_.core().opened(connection, client.address);
  driver_.settle();
}

void ClientSide::on_frame(ConnectionId connection, bus::ByteView bytes) {
  const auto found = clients_.find(connection);
  if (found == clients_.end()) return;
  Client& client = found->second;
  const auto frame = decode_from_client(bytes);
  if (!frame) {
    const bool large = frame.error() == entity::DataErrc::too_large;
    return refuse(connection, {large ? CloseReason::too_large : CloseReason::malformed, 0,
                               "a frame does not decode: " + frame.error().to_string()});
  }
  if (const auto* hello = std::get_if<Hello>(&*frame)) return greet(connection, client, *hello);
  if (!client.greeted) {
    return refuse(connection, {CloseReason::malformed, 0, "the first frame is not Hello"});
  }
  if (const auto* ping = std::get_if<Ping>(&*frame)) {
    return put(connection, Pong{ping->time, wall_ms()});
  }
  if (const auto* pong = std::get_if<Pong>(&*frame)) return on_pong(client, *pong);
  driver_.core().frame(connection, *frame);
  driver_.settle();
  // After the frame: it was taken. Its connection may have ended by it.
  const auto still = clients_.find(connection);
  if (still == clients_.end() || still->second.paused || !driver_.is_full()) return;
  still->second.paused = true;
  ++counters_.paused;
  paused_.push_back(connection);
  front_.pause(connection);
}

void ClientSide::greet(ConnectionId connection, Client& client, const Hello& hello) {
  if (client.greeted) return refuse(connection, {CloseReason::malformed, 0, "a second Hello"});
  if (hello.least > kClientVersion || hello.most < kClientVersion) {
    ++counters_.versions;
    return refuse(connection, {CloseReason::version, 0,
                               "this gate speaks version " + std::to_string(kClientVersion)});
  }
  if (schema_ != 0 && hello.schema != 0 && hello.schema != schema_) ++counters_.schemas;
  client.greeted = true;
  client.program = hello.program;
  client.inflates = deflated_ && (hello.features & kDeflates) != 0;
  Greeting greeting;
  greeting.features = client.inflates ? kDeflates : 0;
  greeting.schema = schema_;
  greeting.here = wall_ms();
  greeting.heartbeat_ms = static_cast<std::uint32_t>(front_.limits().heartbeat.count());
  greeting.frame_bytes = static_cast<std::uint32_t>(net::kFrameBytes);
  front_.allow_frames(connection, net::kEntryFrameBytes);
  put(connection, greeting);
}

void ClientSide::on_pong(Client& client, const Pong& pong) {
  const auto passed = duration_cast<milliseconds>(Clock::now() - began_).count();
  const auto then = static_cast<std::int64_t>(std::min<std::uint64_t>(pong.time, INT64_MAX));
  if (then > passed || passed - then > INT32_MAX) return;  // a lie harms nobody else
  client.round_trip_ms = static_cast<std::int32_t>(passed - then);
}

void ClientSide::on_closed(ConnectionId connection, net::Ending ending) {
  gone(connection, net::name_of(ending));
}

void ClientSide::gone(ConnectionId connection, std::string_view why) {
  if (clients_.erase(connection) == 0) return;
  driver_.core().closed(connection, why);
  driver_.settle();
}

bus::Bytes ClientSide::farewell(const Closed& closed) {
  bus::Bytes bytes;
  encode(ToClient(closed), bytes);
  return bytes;
}

void ClientSide::refuse(ConnectionId connection, Closed why) {
  if (why.reason == CloseReason::malformed || why.reason == CloseReason::too_large) {
    ++counters_.malformed;
  }
  why.text.resize(std::min<std::size_t>(why.text.size(), kCloseTextBytes));
  front_.close(connection, encoded(why));
  gone(connection, name_of(why.reason));
}

// --- to clients ----------------------------------------------------------------------------------

void ClientSide::put(ConnectionId connection, const ToClient& frame) {
  const Body bytes = encoded(frame);
  if (!front_.send(connection, bytes)) return;
  const auto found = clients_.find(connection);
  if (found == clients_.end()) return;
  found->second.said = Clock::now();
  found->second.control_bytes += bytes->size();
}

void ClientSide::send(const SendFrame& effect) {
  if (std::holds_alternative<Welcome>(effect.frame))
    front_.allow_frames(effect.to, net::kFrameBytes);
  put(effect.to, effect.frame);
}

void ClientSide::send(const SendPacket& effect) {
  const auto client = clients_.find(effect.to);
  const bool deflates = client != clients_.end() && client->second.inflates;
  const PacketFrame frame =
      deflates ? deflated_->frame(effect.packet) : packet_frame(effect.packet);
  ++counters_.packets;
  counters_.packet_bytes += frame.head.size() + frame.body->size();
  // A connection that ends by this is told later: `client` is still there.
  if (front_.send(effect.to, frame.body, frame.head) && client != clients_.end()) {
    client->second.said = Clock::now();
  }
}

void ClientSide::hang_up(ConnectionId connection) {
  clients_.erase(connection);
  front_.close(connection, nullptr);
}

void ClientSide::hang_up_all() {
  const Body last = encoded(Closed{CloseReason::fault, 0, "the gate has lost the cluster"});
  for (const auto& each : std::exchange(clients_, {})) front_.close(each.first, last);
  pings_.clear();
  paused_.clear();
}

// --- time ----------------------------------------------------------------------------------------

bool ClientSide::tick(Clock::time_point now) {
  if (!driver_.is_full()) {
    for (const ConnectionId connection : std::exchange(paused_, {})) {
      const auto found = clients_.find(connection);
      if (found == clients_.end()) continue;
      found->second.paused = false;
      front_.resume(connection);
    }
  }
  const auto heartbeat = front_.limits().heartbeat;
  for (std::size_t left = kPingsTurn; left > 0; --left) {
    if (pings_.empty() || pings_.front().first > now) return false;
    const ConnectionId connection = pings_.front().second;
    pings_.pop_front();
    const auto found = clients_.find(connection);
    if (found == clients_.end()) continue;
    pings_.emplace_back(now + heartbeat, connection);
    if (now - found->second.said < heartbeat / 2) continue;
    const auto passed = duration_cast<milliseconds>(now - began_).count();
    put(connection, Ping{static_cast<std::uint64_t>(passed)});
  }
  return !pings_.empty() && pings_.front().first <= now;
}

std::optional<ClientView> ClientSide::view(ConnectionId connection) const {
  const auto found = clients_.find(connection);
  if (found == clients_.end()) return std::nullopt;
  const Client& client = found->second;
  ClientView view;
  view.program = client.program;
  view.address = client.address;
  view.kind = client.kind;
  view.connected = duration_cast<milliseconds>(Clock::now() - client.since);
  view.round_trip = milliseconds(client.round_trip_ms);
  view.queued = front_.queued_bytes(connection);
  view.control_bytes = client.control_bytes;
  return view;
}

}  // namespace starbus::nodes::gate
