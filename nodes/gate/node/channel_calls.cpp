#include "nodes/gate/node/channel_calls.hpp"

#include <utility>

#include "nodes/gate/node/limits.hpp"

namespace starbus::nodes::gate {
namespace {

std::size_t cost_of(const std::string& word) {
  return word.size() + kCallHead;
}

}  // namespace

/// One call is always allowed, so that a large one is not stuck.
bool ChannelCalls::fits(const Line& line, std::size_t bytes) const {
  return (line.under_way == 0 || line.under_way + bytes <= kCallWindow) &&
         (under_way_ == 0 || under_way_ + bytes <= kCallsWindow);
}

void ChannelCalls::call(const std::string& channel, std::string word, Done done) {
  Row& row = *lines_.try_emplace(channel).first;
  Call call{std::move(word), std::move(done)};
  if (row.second.calls.empty() && fits(row.second, cost_of(call.word))) {
    return start(row, std::move(call));
  }
  waiting_ += cost_of(call.word);
  row.second.calls.push_back(std::move(call));
  serve(row);
}

void ChannelCalls::serve(Row& row) {
  Line& line = row.second;
  while (!line.calls.empty() && fits(line, cost_of(line.calls.front().word))) {
    Call call = std::move(line.calls.front());
    line.calls.pop_front();
    waiting_ -= cost_of(call.word);
    start(row, std::move(call));
  }
  if (line.calls.empty()) {
    if (line.under_way == 0 && !line.starved) lines_.erase(lines_.find(row.first));
    return;
  }
  // Its own calls that end serve it again; without any, it is the window of all that is full.
  if (line.under_way == 0 && !std::exchange(line.starved, true)) starved_.push_back(row.first);
}

/// The row stays while the call is under way.
void ChannelCalls::start(Row& row, Call call) {
  const std::size_t bytes = cost_of(call.word);
  under_way_ += bytes;
  row.second.under_way += bytes;
  begin_(row.first, call.word,
         [this, alive = std::weak_ptr(alive_), &row, bytes, done = std::move(call.done)](
             Outcome outcome, bus::ByteView answer) {
           if (alive.expired()) return;
           ended(row, bytes);
           if (done) done(outcome, answer);
         });
}

void ChannelCalls::ended(Row& row, std::size_t bytes) {
  under_way_ -= bytes;
  row.second.under_way -= bytes;
  serve(row);
  // One of those that wait for the others, each in its turn.
  for (std::size_t left = starved_.size(); left > 0 && under_way_ < kCallsWindow; --left) {
    const auto next = lines_.find(starved_.front());
    starved_.pop_front();
    next->second.starved = false;
    serve(*next);
  }
}

}  // namespace starbus::nodes::gate
