/// The names that a node owns while it is ready, and only then.
///
/// Belongs to the loop's thread; owns no objects: they live until the node has stopped. All or
/// nothing: bind() asks in stages, and when a name is refused gives back what was granted, so that
/// nobody is routed to a node that is not ready. The first name that only one can have comes alone:
/// one that stands by for another is refused there, and then nothing of it comes and goes. Behind
/// it the other such names, then memberships of services and groups, then the last one, by which
/// others see that the rest is there. A name that was granted too late, behind withdraw() or
/// forget(), is given back.
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

  /// `done` comes once; with an error nothing is bound, and this may be called again.
  void bind(std::string last, Done done);
  /// Gives all up at once, `last` first. Nothing is handed to the objects from now on.
  void withdraw();
  /// They are lost: the lease has ended.
  void forget();

  struct Row {
    std::string name;   // as offered
    std::string bound;  // as owned, empty while it is not
  };
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
