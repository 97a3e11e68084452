#include "bus/io/strangers/stranger_table.hpp"

#include <algorithm>
#include <utility>

namespace starbus::bus::io {

std::optional<StrangerTable::Connection> StrangerTable::add(const Connection& connection,
                                                            Clock::time_point now) {
  remove(connection.descriptor);
  if (is_full(connection.source)) {
    shut(connection.source, now);
    return connection;
  }
  std::optional<Connection> ended;
  if (open_.size() >= kStrangers) {
    ended = oldest_of_greatest();
    remove(ended->descriptor);
  }
  const std::uint64_t number = ++arrived_;
  open_.emplace(connection.descriptor, Open{connection.source, number});
  change(connection.source,
         [&](Numbers& numbers) { numbers.emplace(number, connection.descriptor); });
  return ended;
}

void StrangerTable::remove(int descriptor) {
  const auto found = open_.find(descriptor);
  if (found == open_.end()) return;
  const Open open = found->second;
  open_.erase(found);
  change(open.source, [&](Numbers& numbers) { numbers.erase(open.number); });
}

template <class Change>
void StrangerTable::change(const Source& source, const Change& change) {
  const auto numbers = by_source_.try_emplace(source).first;
  by_count_.erase({numbers->second.size(), source});
  change(numbers->second);
  if (numbers->second.empty()) {
    by_source_.erase(numbers);
  } else {
    by_count_.emplace(numbers->second.size(), source);
  }
}

bool StrangerTable::is_full(const Source& source) const {
  const auto numbers = by_source_.find(source);
  return numbers != by_source_.end() && numbers->second.size() >= kStrangersOfAddress;
}

void StrangerTable::review(const Source& source, const std::function<bool(int descriptor)>& lives) {
  const auto numbers = by_source_.find(source);
  if (numbers == by_source_.end()) return;
  std::vector<int> gone;
  for (const auto& [number, descriptor] : numbers->second) {
    if (!lives(descriptor)) gone.push_back(descriptor);
  }
  for (const int descriptor : gone) remove(descriptor);
}

StrangerTable::Connection StrangerTable::oldest_of_greatest() const {
  const Source& source = by_count_.rbegin()->second;
  return {by_source_.at(source).begin()->second, source};
}

void StrangerTable::shut(const Source& source, Clock::time_point now) {
  std::erase_if(shut_out_, [&](const ShutOut& other) { return other.source == source; });
  if (shut_out_.size() >= kShutOutAddresses) shut_out_.pop_front();
  shut_out_.push_back({source, now + kShutOut});
}

bool StrangerTable::is_shut_out(const Source& source) const {
  return std::ranges::find(shut_out_, source, &ShutOut::source) != shut_out_.end();
}

std::vector<Source> StrangerTable::shut_out() const {
  std::vector<Source> sources;
  for (const ShutOut& one : shut_out_) sources.push_back(one.source);
  return sources;
}

bool StrangerTable::hear_again(Clock::time_point now) {
  return std::erase_if(shut_out_, [&](const ShutOut& one) { return one.until <= now; }) > 0;
}

}  // namespace starbus::bus::io
