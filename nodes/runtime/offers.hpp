/// The names that a node owns while it is ready, and only then.
///
/// Belongs to the loop's thread; owns no objects: they live until the node has stopped. All or
/// nothing: bind() asks in stages, and releases the granted names when one is refused, so that
/// nothing is routed to a node that is not ready. The first owned name is bound alone: a standby is
/// refused there, before its other names appear. Then come the other owned names, then memberships
/// of services and groups, then the last name, which shows that all others are bound. A name that
/// is granted too late, after withdraw() or forget(), is released.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/client/bus.hpp"
#include "entity/rpc/endpoint.hpp"
#include "nodes/runtime/steps.hpp"

namespace starbus::nodes {

class Offers {
 public:
  explicit Offers(entity::rpc::Endpoint& endpoint) : endpoint_(endpoint) {}
  Offers(const Offers&) = delete;
  Offers& operator=(const Offers&) = delete;

  /// bad_name; bad_config: more than kMaxOffers, or a name twice.
  bus::Result<> add(std::string name, entity::rpc::CallableBase& host);
  bus::Result<> add(std::string name, bus::Handlers handlers);

  /// Calls `done` once. After an error nothing is bound, and bind() may be called again.
  void bind(std::string last, Done done);
  /// Releases all names at once, `last` first. The objects receive nothing any more.
  void withdraw();
  /// The lease has ended: the names are lost.
  void forget();

  struct Row {
    std::string name;   // as offered
    std::string bound;  // as owned, empty while it is not
  };
  /// All offers, in the order of their registration; and how many of them are owned.
  std::vector<Row> rows() const;
  std::size_t bound() const;
  std::size_t size() const { return offers_.size(); }

 private:
  enum class Stage : std::uint8_t { first, owned, shared, last, end };
  struct Offer {
    std::string name;
    Stage stage = Stage::last;
    entity::rpc::CallableBase* host = nullptr;  // null: handlers
    bus::Handlers handlers;
    std::string bound;
    bool asked = false;
  };
  struct Round {
    Stage stage = Stage::first;
    std::size_t waiting = 0;  // of this stage
    bus::Result<> result;
    Done done;
  };
  bus::Result<> add(Offer offer);
  void ask(Offer& offer, const std::shared_ptr<Round>& round);
  void granted(Offer& offer, const std::shared_ptr<Round>& round, bus::Result<bus::Bound> bound);
  void ask_stage(const std::shared_ptr<Round>& round);
  void answered(const std::shared_ptr<Round>& round);
  void give_up(Offer& offer);
  void give_up_all();

  entity::rpc::Endpoint& endpoint_;
  std::vector<std::unique_ptr<Offer>> offers_;
  Offer last_;
  std::shared_ptr<Round> round_;  // the present one: an earlier one ends without a word
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes
