#include "tests/cluster/chaos/stalls.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace starbus::cluster_test {
namespace {

// Silence that begins later than this after a blow has another reason.
constexpr std::int64_t kAround = 3'000'000'000;

bool leads_through(const std::string& daemon, std::uint32_t from, std::uint32_t to) {
  if (daemon == "root") return from != to;
  return daemon == Board::host_name(from) || daemon == Board::host_name(to);
}

struct Sample {
  std::int64_t length = 0;
  std::int64_t begin = 0;  // since the blow
  std::uint32_t from = 0;
};

Sample longest(const NodeAccount& node, std::uint32_t host, const Blow& blow) {
  Sample sample;
  for (std::uint32_t i = 0; i < node.silence_count; ++i) {
    const Silence& silence = node.silences[i];
    if (silence.end < blow.at || silence.begin > blow.at + kAround) continue;
    if (!leads_through(blow.daemon, silence.from_host, host)) continue;
    const std::int64_t length = silence.end - silence.begin;
    if (length > sample.length) sample = {length, silence.begin - blow.at, silence.from_host};
  }
  return sample;
}

}  // namespace

Stalls::Stalls(const Board& board, const std::vector<Blow>& blows) {
  std::vector<std::pair<std::int64_t, std::string>> described;
  for (const Blow& blow : blows) {
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      const NodeAccount& account = board.node(node);
      if (account.silence_count > kMaxSilences) throw std::runtime_error("too many silences");
      const Sample sample = longest(account, Board::host_of(node), blow);
      sorted_.push_back(sample.length);
      std::ostringstream text;
      text << "  " << Board::channel_of(node) << " from " << Board::host_name(sample.from) << ": "
           << sample.length / 1'000'000 << " ms, beginning " << sample.begin / 1'000'000
           << " ms after " << blow.daemon << " at " << (blow.at - board.plan().begin) / 1'000'000
           << " ms\n";
      described.emplace_back(sample.length, text.str());
    }
  }
  std::sort(sorted_.begin(), sorted_.end());
  std::sort(described.rbegin(), described.rend());
  for (std::size_t i = 0; i < std::min<std::size_t>(5, described.size()); ++i) {
    details_ += described[i].second;
  }
}

std::chrono::milliseconds Stalls::at(double quantile) const {
  if (sorted_.empty()) return {};
  const double rank = std::ceil(quantile * static_cast<double>(sorted_.size()));
  const std::size_t index = rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1;
  return std::chrono::milliseconds(sorted_[index] / 1'000'000);
}

std::string Stalls::to_string() const {
  std::ostringstream text;
  text << samples() << " stalls (0: shorter than " << kSilence / 1'000'000 << " ms): median "
       << at(0.5).count() << " ms, p99 " << at(0.99).count() << " ms, worst " << worst().count()
       << " ms\n"
       << details_;
  return text.str();
}

}  // namespace starbus::cluster_test
