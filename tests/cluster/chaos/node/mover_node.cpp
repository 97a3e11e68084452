#include "tests/cluster/chaos/node/mover_node.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>

namespace starbus::cluster_test {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

constexpr auto kTick = 2ms;
constexpr int kBurst = 4;

/// Who sends, and which of its messages to this channel it is.
struct MoverLetter {
  std::uint32_t from;
  std::uint32_t number;
};

std::uint32_t mover_of(std::string_view channel) {
  return static_cast<std::uint32_t>(std::stoul(std::string(channel.substr(sizeof "mover"))));
}

}  // namespace

MoverNode::MoverNode(boost::asio::io_context& loop, MoveBoard& board, std::uint32_t index,
                     std::string endpoint)
    : loop_(loop),
      board_(board),
      index_(index),
      account_(board->nodes[index]),
      bus_(loop, {.node = "n" + std::to_string(index), .endpoint = std::move(endpoint)}),
      random_(std::random_device{}()) {
  bus_.on_lease_lost([this] { ++account_.leases_lost; });
  bus_.on_undelivered([this](const bus::Undelivered&) { ++account_.undelivered; });
  bus_.on_arrival("mover/",
                  {.arrived = [this](bus::Arrival& arrival) { return arrived(arrival); }});
}

boost::asio::awaitable<void> MoverNode::run() {
  if (auto up = co_await bus_.connect(use_awaitable); !up) throw bus::BadResult(up.error());
  co_await place();
  account_.state = MoverState::ready;
  boost::asio::steady_timer timer(loop_);
  bool flushing = false;
  while (board_->phase != MovePhase::leave) {
    if (board_->phase == MovePhase::go) {
      send_some();
      move_some();
    } else if (board_->phase == MovePhase::halt) {
      const auto moving = [](const auto& entry) { return entry.second.moving; };
      if (std::none_of(hosted_.begin(), hosted_.end(), moving)) account_.state = MoverState::halted;
    } else if (board_->phase == MovePhase::flush && !std::exchange(flushing, true)) {
      bus_.flush(20s, [this](const bus::Result<>& end) {
        if (end) account_.state = MoverState::flushed;
      });
    }
    timer.expires_after(kTick);
    co_await timer.async_wait(use_awaitable);
  }
  (void)co_await bus_.close(1s, use_awaitable);
}

std::uint32_t MoverNode::below(std::uint32_t bound) {
  return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random_);
}

/// The movers begin at the first nodes.
boost::asio::awaitable<void> MoverNode::place() {
  if (index_ >= kMovers) co_return;
  hosted_[index_];
  bus::Handlers own = handlers(index_);
  const auto bound = co_await bus_.bind(MoveBoard::channel_of(index_), own, use_awaitable);
  if (!bound) throw bus::BadResult(bound.error());
  activate(index_);
}

void MoverNode::send_some() {
  for (int i = 0; i < kBurst; ++i) {
    send(kMovers + index_, below(kMovers));
    for (const auto& [mover, hosted] : hosted_) {
      const std::uint32_t to = below(kMovers);
      if (!hosted.frozen && to != mover) send(mover, to);
    }
  }
}

/// A full window is no mistake: the number is taken again later.
bool MoverNode::send(std::uint32_t from, std::uint32_t to) {
  Wander& wander = board_->wanders[from][to];
  const MoverLetter letter{from, wander.sent};
  bus::SendOptions options;
  if (from < kMovers) options.from = bus::channel_id(MoveBoard::channel_of(from));
  const auto body = std::as_bytes(std::span(&letter, 1));
  if (!bus_.send(MoveBoard::channel_of(to), body, options)) return false;
  ++wander.sent;
  if (from < kMovers) ++hosted_.at(from).mover.sent[to];
  return true;
}

void MoverNode::move_some() {
  for (auto& [mover, hosted] : hosted_) {
    if (hosted.moving || below(4) != 0 || board_->begun >= board_->wanted) continue;
    ++board_->begun;
    hosted.moving = true;
    const std::uint32_t target = (index_ + 1 + below(kNodes - 1)) % kNodes;
    bus_.move(
        MoveBoard::channel_of(mover), MoveBoard::process_of(target),
        [this, which = mover] { return freeze(which); },
        [this, which = mover](const bus::Result<>& end) { on_moved(which, end); });
  }
}

bus::Bytes MoverNode::freeze(std::uint32_t mover) {
  Hosted& hosted = hosted_.at(mover);
  hosted.frozen = true;
  --board_->movers[mover].owners;
  const auto bytes = std::as_bytes(std::span(&hosted.mover, 1));
  return {bytes.begin(), bytes.end()};
}

void MoverNode::on_moved(std::uint32_t mover, const bus::Result<>& end) {
  if (end) {
    ++board_->done;
    hosted_.erase(mover);
    return;
  }
  ++board_->failures[end.error().code.number()];
  Hosted& hosted = hosted_.at(mover);
  hosted.moving = false;
  if (std::exchange(hosted.frozen, false)) activate(mover);
}

bus::Handlers MoverNode::arrived(const bus::Arrival& arrival) {
  const std::uint32_t mover = mover_of(arrival.name);
  Hosted& hosted = hosted_[mover] = {};
  MoverAccount& account = board_->movers[mover];
  bool same = arrival.state.size() == sizeof hosted.mover;
  if (same) std::memcpy(&hosted.mover, arrival.state.data(), sizeof hosted.mover);
  // The board knows what was handled and sent, wherever that was.
  for (std::uint32_t i = 0; i < kSenders; ++i) {
    same &= hosted.mover.expected[i] == board_->wanders[i][mover].handled;
  }
  for (std::uint32_t i = 0; i < kMovers; ++i) {
    same &= hosted.mover.sent[i] == board_->wanders[mover][i].sent;
  }
  if (!same) ++account.stale_state;
  ++account.arrivals;
  activate(mover);
  return handlers(mover);
}

void MoverNode::activate(std::uint32_t mover) {
  if (board_->movers[mover].owners.fetch_add(1) != 0) ++board_->movers[mover].two_owners;
}

bus::Handlers MoverNode::handlers(std::uint32_t mover) {
  return {.on_message = [this, mover](bus::Message& message) { take(mover, message); }};
}

void MoverNode::take(std::uint32_t mover, const bus::Message& message) {
  MoverLetter letter{};
  if (message.body().size() != sizeof letter) return;
  std::memcpy(&letter, message.body().data(), sizeof letter);
  if (letter.from >= kSenders) return;
  Wander& wander = board_->wanders[letter.from][mover];
  if (letter.number != wander.handled) {
    ++wander.wrong;
    return;
  }
  ++wander.handled;
  ++hosted_.at(mover).mover.expected[letter.from];
}

}  // namespace starbus::cluster_test
