#include "tests/cluster/chaos/node/load_node.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>
#include <iostream>

namespace starbus::cluster_test {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

constexpr auto kTick = 2ms;
constexpr std::uint32_t kInFlight = 256;  // per stream: far below a window, so never would_block
constexpr std::size_t kSmall = 200;
constexpr std::size_t kLarge = 100'000;  // travels in chunks
constexpr std::uint32_t kLargeEvery = 512;

std::size_t body_size(const Letter& letter) {
  const bool bulk = Board::lane_of(letter.stream) == bus::Lane::bulk;
  if (bulk && letter.number % kLargeEvery == kLargeEvery - 1) return kLarge;
  return sizeof letter + (letter.number * 37) % kSmall;
}

}  // namespace

LoadNode::LoadNode(boost::asio::io_context& loop, Board& board, std::uint32_t index,
                   std::string endpoint)
    : loop_(loop),
      board_(board),
      index_(index),
      account_(board.node(index)),
      bus_(loop, {.node = "n" + std::to_string(index), .endpoint = std::move(endpoint)}) {
  bus_.on_lease_lost([this] { ++account_.leases_lost; });
  for (std::uint32_t own = 0; own < kStreamsPerNode; ++own) {
    StreamAccount& stream = board_.stream(index_ * kStreamsPerNode + own);
    stream.first[account_.life] = stream.sent;
  }
}

boost::asio::awaitable<void> LoadNode::run() {
  co_await take_channel();
  account_.state = NodeState::ready;
  while (board_.plan().phase != Phase::leave) {
    if (board_.plan().phase == Phase::go) send_due();
    if (all_settled()) account_.state = NodeState::done;
    co_await pause(kTick);
  }
  (void)co_await bus_.close(1s, use_awaitable);
  account_.state = NodeState::left;
}

/// Until the channel is ours: busd may have yet to notice that the life before has ended.
boost::asio::awaitable<void> LoadNode::take_channel() {
  for (;;) {
    const auto connected = co_await bus_.connect(use_awaitable);
    if (connected) break;
    std::cerr << "connect: " << connected.error().to_string() << std::endl;
    co_await pause(20ms);
  }
  for (;;) {
    const bus::Handlers handlers{.on_message = [this](bus::Message& m) { take(m); }};
    const auto bound = co_await bus_.bind(Board::channel_of(index_), handlers, use_awaitable);
    if (bound) break;
    std::cerr << "bind: " << bound.error().to_string() << std::endl;
    co_await pause(20ms);
  }
}

boost::asio::awaitable<void> LoadNode::pause(std::chrono::milliseconds time) {
  boost::asio::steady_timer timer(loop_, time);
  co_await timer.async_wait(use_awaitable);
}

/// Message k of a stream is due at k parts of the span, a little later in each stream, so that
/// there is always something under way everywhere.
void LoadNode::send_due() {
  const Plan& plan = board_.plan();
  const double parts = static_cast<double>(now_ns() - plan.begin) /
                       (static_cast<double>(plan.span_ms) * 1e6) * plan.messages;
  for (std::uint32_t own = 0; own < kStreamsPerNode; ++own) {
    const std::uint32_t id = index_ * kStreamsPerNode + own;
    const double due = parts - static_cast<double>(id * 29 % kStreams) / kStreams;
    while (static_cast<double>(board_.stream(id).sent) < due && send_next(own)) {
    }
  }
}

bool LoadNode::send_next(std::uint32_t own) {
  const std::uint32_t id = index_ * kStreamsPerNode + own;
  StreamAccount& stream = board_.stream(id);
  if (stream.sent >= board_.plan().messages || in_flight_[own] >= kInFlight) return false;
  const Letter letter{id, account_.life, stream.sent};
  bus::Bytes body(body_size(letter), static_cast<bus::Bytes::value_type>(letter.number));
  std::memcpy(body.data(), &letter, sizeof letter);
  // Written first: a message of a killed process is either not sent, or known.
  std::uint8_t& outcome = board_.outcomes(id)[letter.number];
  outcome = outcome::kCustody;
  ++stream.sent;
  ++in_flight_[own];
  bus_.send_acknowledged(
      Board::channel_of(Board::receiver_of(id)), std::move(body), {.lane = Board::lane_of(id)},
      [this, &outcome, own](const bus::Result<>& end) {
        outcome = end ? outcome::kAcknowledged : outcome::of(bus::errc_of(end.error()));
        --in_flight_[own];
      });
  return true;
}

bool LoadNode::all_settled() const {
  for (std::uint32_t own = 0; own < kStreamsPerNode; ++own) {
    const auto& stream = board_.stream(index_ * kStreamsPerNode + own);
    if (stream.sent < board_.plan().messages || in_flight_[own] != 0) return false;
  }
  return true;
}

void LoadNode::take(const bus::Message& message) {
  Letter letter{};
  const auto body = message.body();
  if (body.size() >= sizeof letter) std::memcpy(&letter, body.data(), sizeof letter);
  const bool ours = body.size() == body_size(letter) && letter.stream < kStreams &&
                    Board::receiver_of(letter.stream) == index_ &&
                    Board::lane_of(letter.stream) == message.lane() && letter.life < kMaxLives &&
                    letter.number < board_.plan().messages &&
                    (body.size() == sizeof letter ||
                     body.back() == static_cast<bus::Bytes::value_type>(letter.number));
  if (!ours) {
    ++account_.foreign;
    return;
  }
  StreamAccount& stream = board_.stream(letter.stream);
  std::uint8_t& handler = board_.handlers(letter.stream)[letter.number];
  if (handler != 0) ++stream.doubled;
  handler = static_cast<std::uint8_t>(account_.life);
  if (letter.number < stream.next[letter.life]) ++stream.disordered;
  stream.next[letter.life] = letter.number + 1;
  ++stream.handled;
  note_silence(Board::host_of(Board::sender_of(letter.stream)));
}

void LoadNode::note_silence(std::uint32_t host) {
  const std::int64_t now = now_ns();
  const std::int64_t before = std::exchange(heard_[host], now);
  if (before == 0 || now - before < kSilence) return;
  if (account_.silence_count < kMaxSilences) {
    account_.silences[account_.silence_count] = {host, before, now};
  }
  ++account_.silence_count;
}

}  // namespace starbus::cluster_test
