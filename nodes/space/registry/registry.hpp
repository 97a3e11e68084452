/// Decides which spaces there are and where, who may enter which, and when one ends: the service of
/// spaces without I/O. Read this header first; docs/guide/spaces.md has the contract.
///
/// Input: the directory, what nodes say, requests, and the time. Output: orders to nodes and
/// answers, which the caller takes after each call and sends in their order. It stores nothing: a
/// registry that begins asks all nodes what they run, and grants nothing until they have said so.
///
/// Promises. Each request gets one answer, by its deadline at the latest, unless it is cancelled.
/// Seats that are taken or asked for never exceed the capacity of a space. No space is ordered
/// under a name that another process has, or may have. A space goes when its node has said that it
/// has ended, or has died.
///
/// Sans-IO; belongs to one thread. Owns all that it knows. Failures are answers.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nodes/space/messages.hpp"
#include "nodes/space/registry/node_book.hpp"
#include "nodes/space/registry/place.hpp"
#include "nodes/space/types/space_type.hpp"

namespace starbus::nodes::space {

class Registry {
 public:
  /// `term`: the epoch of the service's claim, greater than that of every service before.
  Registry(std::uint64_t term, SpaceTypes types, Time now);

  /// The directory: nodes that run spaces, from their start to their end (not their readiness),
  /// and who has which name of a space; then that the snapshots of both are complete.
  void node_came(const std::string& process, Time now);
  void node_left(const std::string& process, Time now);
  void name_held(const SpaceName& name, const std::string& process);
  void name_freed(const SpaceName& name);
  void directory_complete(Time now);

  /// What nodes say. Of an unknown node, or of another term, it is ignored; so is an announcement
  /// that cannot be true (news_check.hpp).
  void announced(const std::string& process, const Announcement& from, Time now);
  void replied(const std::string& process, const Reply& reply, Time now);
  /// The order of this number did not reach its node, and never will.
  void undelivered(const std::string& process, std::uint64_t number, Time now);

  /// It is not known whether this order reached its node, or still will: the node is asked what it
  /// has handled, until it has said so.
  void uncertain(const std::string& process, std::uint64_t number);

  /// Asks for seats; `request` is not 0, and none that waits. Answers: bad_name, unknown_type,
  /// bad_request, would_block, full, line_full, no_such_line, no_node, create_failed, ends,
  /// too_late.
  void enter(std::uint64_t request, EnterRequest ask, Time now);
  /// Who asked has gone: there will be no answer, and no seat is held. A line that starts for it,
  /// and that nobody else wants, ends.
  void cancel(std::uint64_t request, Time now);
  /// Seats of a Grant that no player will take: their node is told, and frees those that are held
  /// still. Ignored if the space is unknown. bad_request: more than kMaxTeam.
  Result<> give_back(const Life& life, std::vector<Ticket> tickets);
  /// The space lets nobody in from now on, and ends after that time, or that of its type.
  /// unknown_space, ends, bad_request.
  Result<> countdown(const SpaceName& name, std::optional<std::chrono::milliseconds> after,
                     Time now);
  /// Ends an empty space now, whatever the minimum of its type. unknown_space, occupied, ends.
  Result<> close(const SpaceName& name, Time now);
  /// Other types from now on. Spaces keep the capacity that they were created with; those of types
  /// that are gone end when they are empty.
  void reload(SpaceTypes types, Time now);

  /// Does what is due. Call it at least every 100 ms.
  void due(Time now);

  /// In the order in which they are to be sent.
  std::vector<Order> take_orders() { return std::exchange(orders_, {}); }
  std::vector<Answer> take_answers() { return std::exchange(answers_, {}); }

  /// A data file has that type.
  bool has_type(std::string_view type) const { return types_.contains(type); }
  /// The lines of a place, in order; empty if none runs.
  std::vector<LineView> lines(const PlaceId& place) const;
  /// All spaces, by name.
  std::vector<LineView> spaces() const;
  /// At most so many of them, from the first one after that name on.
  std::vector<LineView> spaces_after(const SpaceName& name, std::size_t most) const;
  /// How many there are in each state, by SpaceState.
  std::array<std::size_t, kSpaceStates> states() const;
  /// It waits for what nodes announce, and grants nothing.
  bool rebuilding() const { return rebuilding_; }
  /// A node obeys a later service: this one is to end.
  bool superseded() const { return superseded_; }
  std::size_t waiters() const { return waiters_.size(); }
  const NodeBook& nodes() const { return book_; }

 private:
  using Places = std::map<PlaceId, Place>;
  enum class Served : std::uint8_t { under_way, waits, answered };

  // Orders and answers.
  std::uint64_t order(const std::string& node, const Life& life, decltype(Order::what) what);
  void answer(std::uint64_t request, Result<Grant> result);

  // Those who wait (registry_entry.cpp).
  Result<> check(const EnterRequest& ask) const;
  Served serve(std::uint64_t request, Waiter& waiter, Place& place, Time now);
  Space* choose_line(const Waiter& waiter, Place& place, const SpaceType& type, Time now);
  void reserve(std::uint64_t request, Waiter& waiter, Space& space, Time now);
  void serve_all(Place& place, Time now);
  void requeue(std::uint64_t request, const Error& why);
  /// The seats of its Reserve are not wanted any more.
  void release(Waiter& waiter);
  void expire(Time now);
  Error why_late(const Waiter& waiter) const;
  void reserved(Space& space, const Reply& reply, Time now);

  // Lines (registry_lines.cpp).
  const SpaceType* type_of(const PlaceId& place) const;
  bool on_offer(const Space& space) const;
  /// Lines on nodes that drain: they end soon, and others may begin beside them.
  std::size_t leaving(const Place& place) const;
  /// What a place has.
  struct Supply {
    std::size_t open = 0;     // lines that let players in
    std::size_t coming = 0;   // lines that start, or whose node has not announced itself
    std::uint64_t taken = 0;  // seats of the open ones

    std::size_t lines() const { return open + coming; }
  };
  Supply supply_of(const Place& place) const;
  void settle(const PlaceId& id, Time now);
  void settle_soon(const PlaceId& id, Time now);
  void grow(const PlaceId& id, Place& place, Time now);
  bool create(const PlaceId& id, Place& place, const SpaceType& type, Time now);
  void tell_if_no_line_can_come(Place& place, const SpaceType& type);
  void shrink(Place& place, const SpaceType* type, Time now);
  void end_unwanted(Place& place, const SpaceType* type, Time now);
  void end(Space& space, Time now);
  void keep_time(const PlaceId& id, Place& place, Time now);
  void creation_failed(Place& place, const std::string& node, const std::string& why, Time now);
  /// The record of a space begins; gone() ends it.
  void add(Space space);
  /// Its node has started it.
  void started(Space& space, Time now);
  /// The record goes; those who had asked for seats in it wait again.
  void gone(const SpaceName& name, Time now, const std::string& why);

  // The directory and announcements (registry_news.cpp).
  void rebuilt(Time now);
  void try_rebuilt(Time now);
  void adopt(const std::string& process, const SpaceRow& row, Time now);
  static Time end_of(const SpaceRow& row, Time now);
  void compare(const std::string& process, const Announcement& from, Time now);
  void match(Space& space, const SpaceRow& row, Time now);
  void forget_asks(Space& space, std::uint64_t seen, Time now);
  Space* find(const SpaceName& name);
  Space* find(const Life& life);
  void begin_places();

  const std::uint64_t term_;
  const Time began_;
  SpaceTypes types_;
  bool rebuilding_ = true;
  bool directory_ = false;
  bool superseded_ = false;
  NodeBook book_;
  Places places_;
  PlaceId looked_at_;  // by due(), last
  std::map<Life, SpaceName> lives_;
  std::map<std::string, std::set<SpaceName>> by_node_;
  std::map<SpaceName, std::string> held_;  // by the directory
  std::map<std::uint64_t, Waiter> waiters_;
  std::uint64_t orders_made_ = 0;
  std::uint64_t lives_made_ = 0;
  std::uint64_t tickets_made_ = 0;
  std::size_t count_ = 0;  // of spaces
  std::vector<Order> orders_;
  std::vector<Answer> answers_;
};

}  // namespace starbus::nodes::space
