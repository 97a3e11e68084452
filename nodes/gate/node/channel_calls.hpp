/// Calls to many channels, each in the order of asking, never more at the bus than it takes.
///
/// The bus refuses a call beyond its windows, and would take the next one: for requests of a
/// client, whose numbers must come in order, that would be a hole. So calls wait here, and the bus
/// is given less than its windows hold. Belongs to the loop's thread; the function that calls is
/// its owner's. Failures come as outcomes.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "nodes/gate/core/effects.hpp"

namespace starbus::nodes::gate {

class ChannelCalls {
 public:
  /// The bytes are those of the answer, if the outcome is ok. May be empty.
  using Done = std::function<void(Outcome, bus::ByteView)>;
  /// Begins a call; `done` is called once, in a later turn of the loop.
  using Begin = std::function<void(const std::string& channel, const std::string& word, Done done)>;

  explicit ChannelCalls(Begin begin) : begin_(std::move(begin)) {}
  ChannelCalls(const ChannelCalls&) = delete;
  ChannelCalls& operator=(const ChannelCalls&) = delete;

  /// At once if its windows allow it, else in its turn.
  void call(const std::string& channel, std::string word, Done done);

  /// Bytes of calls that wait for a window.
  std::size_t waiting() const { return waiting_; }
  /// Bytes of calls that are not answered.
  std::size_t under_way() const { return under_way_; }
  std::size_t channels() const { return lines_.size(); }

 private:
  struct Call {
    std::string word;
    Done done;
  };
  struct Line {
    std::list<Call> calls{};    // that wait: as a rule none, and then nothing is allocated
    std::size_t under_way = 0;  // bytes
    bool starved = false;       // is in starved_
  };
  using Lines = std::unordered_map<std::string, Line>;
  using Row = Lines::value_type;  // stays in its place, as long as it has something

  bool fits(const Line& line, std::size_t bytes) const;
  void start(Row& row, Call call);
  void ended(Row& row, std::size_t bytes);
  /// Starts what the windows allow; forgets a line that has nothing left.
  void serve(Row& row);

  const Begin begin_;
  Lines lines_;                      // with something
  std::deque<std::string> starved_;  // wait for the window of all, each in its turn
  std::size_t under_way_ = 0;
  std::size_t waiting_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::gate
