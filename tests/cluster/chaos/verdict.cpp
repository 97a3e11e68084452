#include "tests/cluster/chaos/verdict.hpp"

#include <sstream>

namespace starbus::cluster_test {
namespace {

using bus::Errc;

/// One life of a sender on one stream: numbers [begin, end).
struct Span {
  std::uint32_t begin;
  std::uint32_t end;
};

/// Of what a killed sender left, a prefix was handled: behind the first that was not, nothing was,
/// by that life of the owner. (A later life follows an owner_lost that the sender was told and
/// could not write down any more.)
std::uint64_t holes_in(std::span<const std::uint8_t> outcomes,
                       std::span<const std::uint8_t> handlers, Span span) {
  std::uint64_t holes = 0;
  std::uint8_t owner = 0;  // of the latest that was handled
  bool open = false;
  for (std::uint32_t number = span.begin; number < span.end; ++number) {
    if (handlers[number] == 0) {
      open |= outcomes[number] == outcome::kCustody;
      continue;
    }
    if (open && handlers[number] == owner) ++holes;
    owner = handlers[number];
    open = false;
  }
  return holes;
}

void judge_message(std::uint8_t end, bool handled, Verdict& verdict) {
  if (end == outcome::kAcknowledged) {
    verdict.lost += handled ? 0 : 1;
  } else if (end == outcome::kCustody) {
    ++verdict.orphans;
  } else {
    const auto code = static_cast<Errc>(end);
    ++verdict.failures[std::string(bus::name_of(code))];
    const bool may_be_handled = code == Errc::owner_lost || code == Errc::expired;
    if (handled && !may_be_handled) ++verdict.untrue;
  }
}

void judge_stream(const Board& board, std::uint32_t id, Verdict& verdict) {
  const StreamAccount& stream = board.stream(id);
  const auto outcomes = board.outcomes(id);
  const auto handlers = board.handlers(id);
  verdict.sent += stream.sent;
  verdict.handled += stream.handled;
  verdict.doubled += stream.doubled;
  verdict.disordered += stream.disordered;
  for (std::uint32_t number = 0; number < stream.sent; ++number) {
    judge_message(outcomes[number], handlers[number] != 0, verdict);
  }
  const std::uint32_t lives = board.node(Board::sender_of(id)).life;
  for (std::uint32_t life = 1; life <= lives; ++life) {
    const std::uint32_t end = life < lives ? stream.first[life + 1] : stream.sent.load();
    verdict.holes += holes_in(outcomes, handlers, {stream.first[life], end});
  }
}

}  // namespace

Verdict judge(const Board& board) {
  Verdict verdict;
  for (std::uint32_t id = 0; id < kStreams; ++id) judge_stream(board, id, verdict);
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    verdict.foreign += board.node(node).foreign;
    verdict.leases_lost += board.node(node).leases_lost;
  }
  return verdict;
}

std::string Verdict::to_string() const {
  std::ostringstream text;
  text << sent << " sent, " << handled << " handled, " << lost << " lost, " << doubled
       << " doubled, " << disordered << " out of order, " << untrue << " untrue, " << holes
       << " holes, " << foreign << " foreign, " << leases_lost << " leases lost, " << orphans
       << " orphans";
  for (const auto& [name, count] : failures) text << ", " << count << " " << name;
  return text.str();
}

}  // namespace starbus::cluster_test
