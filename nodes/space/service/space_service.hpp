/// `service/space`: decides which spaces there are, and lets players in. The Registry over the bus.
///
/// Hosted as each service is (nodes/service/service.hpp), with one instance; its term is the epoch
/// of its claim. It stores nothing: a new one asks all nodes what they run, and grants nothing
/// until they have said so. docs/guide/spaces.md has the contract; SpaceCalls is how to ask it.
///
/// Belongs to the loop's thread; the endpoint, the timers and the desk outlive it. Owns the
/// registry. Failures are answers; news that cannot be true is logged and ignored.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/client/initiate.hpp"
#include "entity/rpc/rpc.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/service/service.hpp"
#include "nodes/space/ports.hpp"
#include "nodes/space/registry/registry.hpp"
#include "nodes/space/service/order_sender.hpp"
#include "nodes/space/service/space_desk.hpp"
#include "nodes/space/service/space_directory.hpp"

namespace starbus::nodes::space {

/// Some of all spaces, by name.
struct SpacesPage {
  std::vector<LineView> spaces;
  bool more = false;        // ask again, with the name of the last one
  bool rebuilding = false;  // the service has begun a moment ago: others may run

  template <class Archive>
  void serialize(Archive& archive) {
    archive(spaces, more, rebuilding);
  }
};

class SpaceService final : public service::Service,
                           public entity::rpc::Callable<SpaceService>,
                           private SpaceDirectory::Listener {
 public:
  SpaceService(service::Instance& instance, entity::rpc::Endpoint& endpoint,
               entity::TimerWheel& timers, SpaceDesk& desk);
  ~SpaceService() override;

  // --- of its host ---
  void start(Done done) override;
  void opened() override;

  // --- over the bus, of servers; each may answer stale_service: a later service has begun ---
  /// Seats for players, once they are held. The caller waits for its patience, at most
  /// kLongestPatience; its own deadline should be longer. Errors: those of Registry::enter.
  entity::rpc::Task<Result<Grant>> enter(entity::rpc::Caller& from, EnterRequest ask);
  /// The caller's process does not want this request any more: it ends as canceled, and no space
  /// begins for it. Nothing, if it has been answered.
  Result<> withdraw(entity::rpc::Caller& from, std::uint64_t number);
  /// The lines of a place, in order. bad_name, unknown_type, rebuilding.
  Result<std::vector<LineView>> lines(entity::rpc::Caller& from, PlaceId place);
  /// Those after a name, the first ones after SpaceName{}; at most `most`, and kSpacesPage.
  Result<SpacesPage> spaces(entity::rpc::Caller& from, SpaceName after, std::uint32_t most);
  /// bad_name, rebuilding, and the errors of Registry::countdown.
  Result<> countdown(entity::rpc::Caller& from, SpaceName space,
                     std::optional<std::chrono::milliseconds> after);
  /// bad_name, rebuilding, and the errors of Registry::close.
  Result<> close(entity::rpc::Caller& from, SpaceName space);

  /// Seats of a Grant that no player will take: they are free at once, rather than after
  /// kTicketHold. bad_request, and nothing if the space has gone.
  Result<> give_back(entity::rpc::Caller& from, Life space, std::vector<Ticket> tickets);

  static constexpr auto kRpc =
      entity::rpc::methods<&SpaceService::enter, &SpaceService::withdraw, &SpaceService::lines,
                           &SpaceService::spaces, &SpaceService::countdown, &SpaceService::close,
                           &SpaceService::give_back>("starbus_spaces");

  // --- in this process ---
  /// Other types from now on: see Registry::reload.
  void reload(const SpaceTypes& types);
  /// Null before start().
  const Registry* registry() const { return registry_ ? &*registry_ : nullptr; }
  /// At most `most` spaces, from the first one after that name on. From start() on.
  SpacesPage page(const SpaceName& after, std::size_t most) const;
  /// A node obeys a later service: this one refuses all, and waits for its end.
  bool superseded() const { return superseded_; }

 private:
  class Visitor;

  static Time now();
  Result<> check(const SpaceName& space) const;
  Result<> check_present() const;
  void announced(const bus::Process& from, const Announcement& what);
  /// One line of the log in kNewsPause.
  void complain(const std::string& node, const std::string& text);
  void replied(const bus::Process& from, const Reply& what);
  void order_ended(const std::string& node, std::uint64_t number, Sent sent, const Error& why);
  void tick();
  /// Hands on what the registry has to say: orders first, then answers.
  void pump();
  void answer(std::uint64_t request, Result<Grant> result);
  void end_superseded();

  void on_node_came(const std::string& node) override;
  void on_node_left(const std::string& node) override;
  void on_name_held(const SpaceName& name, const std::string& node) override;
  void on_name_freed(const SpaceName& name) override;
  void on_directory_complete() override;
  void on_server_left(const bus::Process& process) override;
  void on_directory_changed() override { pump(); }

  service::Instance& instance_;
  entity::TimerWheel& timers_;
  SpaceDesk& desk_;
  NewsPort news_;
  OrderSender sender_;
  SpaceDirectory directory_;
  std::optional<Registry> registry_;
  bool open_ = false;
  bool superseded_ = false;
  std::uint64_t requests_ = 0;
  std::map<std::uint64_t, Visitor*> visitors_;   // requests that wait
  std::map<bus::Process, std::size_t> waiting_;  // of these, by process
  std::map<std::string, Time> complained_;       // by node: the latest line of the log
  entity::TimerOwner due_;
};

}  // namespace starbus::nodes::space
