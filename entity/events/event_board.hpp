/// Announces events at a place to those of its subjects that listen to them.
///
/// One per place and process: a space, or one cell of it. For each key, and type of data, it lists
/// the BoardListeners that wait for it, in the order in which they came; a round costs what those
/// cost, however many subjects the place has. Used by one thread. Owns no listener; its end
/// detaches them. Failures are values; an exception of a listener leaves announce().
/// docs/guide/events.md has the promises.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "entity/events/keyed_dispatcher.hpp"
#include "entity/identity/id_sources.hpp"

namespace starbus::entity {

/// As it is handed to those that a board lists.
template <class Data>
struct Announcement {
  const Data& data;
  std::uint64_t number;
  std::size_t& told;
};

/// Outlives its board while a listener is attached or a round runs.
struct BoardState : boost::intrusive_ref_counter<BoardState, boost::thread_unsafe_counter> {
  BoardState(OnlineId of, std::uint64_t last)
      : place(of), number(last), lists(std::make_unique<KeyedDispatcher>()) {}
  /// Numbers up to this one are not delivered any more.
  std::uint64_t told() const { return rounds == 0 ? number : outermost - 1; }

  const OnlineId place;
  std::uint64_t number;
  std::uint64_t outermost = 0;  // number of the outermost round that runs, which is the lowest
  std::size_t rounds = 0;       // that run
  std::unique_ptr<KeyedDispatcher> lists;  // null: the board has ended
};

class EventBoard {
 public:
  /// `place` is one id for all cells of a place, and never one of a former life of it, which had
  /// numbers of its own. `number` is the last one of the place: a cell that comes late goes on
  /// there.
  explicit EventBoard(OnlineId place, std::uint64_t number = 0)
      : state_(new BoardState(place, number)) {}
  ~EventBoard() {
    state_->number = state_->told();  // ends the rounds that run
    state_->lists.reset();
  }
  EventBoard(const EventBoard&) = delete;
  EventBoard& operator=(const EventBoard&) = delete;

  OnlineId place() const { return state_->place; }
  /// The number of the last announcement.
  std::uint64_t number() const { return state_->number; }
  /// How many it lists, of all keys.
  std::size_t size() const { return state_->lists->size(); }

  /// Announces it with the next number; returns how many subjects were called. Only one process
  /// draws the numbers of a place. Errors: as relay(). The board may have ended when it returns.
  template <class Data>
  EventResult<std::size_t> announce(const EventKey& key, const Data& data) {
    return relay(number() + 1, key, data);  // no number follows the last one: refused
  }
  /// Announces an event that has its number already: another cell has drawn it. Numbers come in
  /// order, and may have gaps. Errors: already_announced; too_deep, and the number is as unused as
  /// before.
  template <class Data>
  EventResult<std::size_t> relay(std::uint64_t number, const EventKey& key, const Data& data) {
    if (number <= state_->number) return EventErrc::already_announced;
    const Round round(state_, number);
    std::size_t told = 0;
    const auto listed = round.state->lists->dispatch(key, Announcement<Data>{data, number, told});
    if (!listed) {
      round.state->number = round.before;
      return listed.error();
    }
    return told;
  }

 private:
  friend class BoardListener;
  struct Round {
    Round(boost::intrusive_ptr<BoardState> of, std::uint64_t number)
        : state(std::move(of)), before(state->number) {
      state->number = number;
      if (state->rounds++ == 0) state->outermost = number;
    }
    ~Round() { --state->rounds; }
    Round(const Round&) = delete;
    Round& operator=(const Round&) = delete;
    const boost::intrusive_ptr<BoardState> state;
    const std::uint64_t before;
  };

  boost::intrusive_ptr<BoardState> state_;
};

}  // namespace starbus::entity
