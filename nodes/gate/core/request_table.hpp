/// The requests of a session: which number is next, which have no outcome yet, and which wait for
/// a reply.
///
/// Belongs to the loop's thread. At most sessions::kRequestsOpen wait for a reply; what is beyond
/// is asked again by the client (`busy`).
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <vector>

#include "nodes/gate/wire/frames.hpp"

namespace starbus::nodes::gate {

class RequestTable {
 public:
  enum class Take { taken, dropped, busy };
  /// All of it: what a hand-over carries.
  struct State {
    std::uint64_t seen = 0;  // the last u that was taken
    Bind bind{};             // of the last full state that was put into the window
    // Few, and drawn in their order: both grow at the end.
    boost::container::flat_map<std::uint64_t, bus::Bytes> pending{};  // at the bus, no outcome yet
    boost::container::flat_set<std::uint64_t> open{};  // taken, and no reply was seen
  };
  RequestTable() = default;
  explicit RequestTable(State state) : state_(std::move(state)) {}

  /// A full state goes to the client. Of a new bind: numbers go on from the subject's.
  void full(const Bind& bind, std::uint64_t up_done, const std::vector<std::uint64_t>& open);
  /// A request of the client; taken: hand it to the subject. An empty body waits for no reply.
  Take take(std::uint64_t u, const Bind& bind, const bus::Bytes& body);
  void replied(std::uint64_t u) { state_.open.erase(u); }
  /// The bus has an outcome for this one.
  void ended(std::uint64_t u) { state_.pending.erase(u); }

  std::uint64_t seen() const { return state_.seen; }
  const Bind& bind() const { return state_.bind; }
  const State& state() const { return state_; }

 private:
  State state_;
};

}  // namespace starbus::nodes::gate
