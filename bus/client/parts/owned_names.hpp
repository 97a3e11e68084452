/// The names that this process has bound or asks for, with their handlers: exact names, instances
/// of shared names, members of groups; and those that move away from or to this process. One
/// thread. A handler may end its own name: deliveries hold the name meanwhile.
#pragma once

#include <map>
#include <random>
#include <unordered_map>

#include "bus/client/mail_readers.hpp"
#include "bus/client/parts/bus_context.hpp"
#include "bus/client/parts/prefix_watchers.hpp"
#include "bus/io/draws.hpp"

namespace starbus::bus {

/// One name, from the call of bind until it is gone, with its handlers.
struct OwnedName {
  std::shared_ptr<const std::string> name;
  ChannelId channel;
  Handlers handlers{};
  Done<Bound> bound{};              // null once it is bound
  std::vector<Done<>> unbound{};    // of unbinds that are under way
  std::string asked{};              // the shared or group name that was asked for, else empty
  unsigned instance = 0;            // of a shared name
  std::vector<unsigned> refused{};  // instances for which another process was faster
  std::function<Bytes()> freeze{};  // of a move that is under way
  Done<> moved{};                   // not null while a move is under way
  bool leaves = false;              // to be given up as soon as nothing is in the way
};

class OwnedNames {
 public:
  OwnedNames(BusContext& context, PrefixWatchers& watchers, MailReaders& readers)
      : context_(context), watchers_(watchers), readers_(readers) {}

  /// See Bus::bind; not for groups (bind_member).
  void bind(std::string name, Handlers handlers, Done<Bound> done);
  /// Member `group/x#HOST.NODE`; the host's name must be known, so after connect.
  void bind_member(const std::string& group, Handlers handlers, Done<Bound> done);
  /// See Bus::unbind. One that moves, or whose messages wait in its outbox, is given up after that.
  void unbind(const std::string& name, Done<> done);
  /// Gives up those that had to wait and need not any more. Called often.
  void unbind_waiting();
  /// Null if there is none.
  std::shared_ptr<OwnedName> find(BindingId binding) const;

  /// See Bus::move.
  void move(const std::string& name, const std::string& target, std::function<Bytes()> freeze,
            Done<> done);
  void on_arrival(std::string prefix, ArrivalHandlers handlers);

  // --- events of the process; each ignores bindings that it does not know ---
  void on_bound(BindingId binding, Epoch epoch);
  void on_bind_refused(BindingId binding, const Error& reason);
  void on_unbound(BindingId binding);
  Bytes on_freeze(BindingId binding);
  void on_moved(BindingId binding);
  void on_move_failed(BindingId binding, Epoch epoch, const Error& reason);
  Result<> on_arriving(const std::string& name, ByteView state);
  void on_arrived(BindingId binding, const std::string& name, Epoch epoch, Bytes state);
  /// All names are gone: pending operations end with the reason.
  void end_all(const Error& reason);
  /// Binds of instances for which another process was faster.
  std::uint64_t collisions() const { return collisions_; }
  void forget_arrival_handlers() { arrivals_.clear(); }

 private:
  std::shared_ptr<OwnedName> bind_exact(std::string name, std::string asked, unsigned instance,
                                        Handlers handlers, Done<Bound> done);
  void bind_next_instance(std::string shared, std::vector<unsigned> refused, Handlers handlers,
                          Done<Bound> done);
  std::vector<unsigned> free_instances(const std::string& shared,
                                       const std::vector<unsigned>& refused, std::size_t most);
  void begin_move(const std::string& name, const std::string& target, std::function<Bytes()> freeze,
                  Done<> done);
  const ArrivalHandlers* arrival_handlers(std::string_view name) const;
  std::shared_ptr<OwnedName> forget(BindingId binding);
  Result<> begin_unbind(OwnedName& owned);

  BusContext& context_;
  PrefixWatchers& watchers_;
  MailReaders& readers_;
  std::unordered_map<BindingId, std::shared_ptr<OwnedName>> names_;
  std::unordered_map<std::string, BindingId> by_name_;  // exact and asked names
  /// Of a shared name: its instances 1 to this one are bound here, and need not be looked at.
  std::unordered_map<std::string, unsigned> own_run_;
  std::vector<BindingId> leaving_;  // names that leave, when they can
  std::uint64_t collisions_ = 0;
  // Of instance numbers after a collision.
  std::minstd_rand draw_{static_cast<std::minstd_rand::result_type>(io::draw_number())};
  std::map<std::string, ArrivalHandlers, std::less<>> arrivals_;  // by prefix
};

}  // namespace starbus::bus
