/// The names that this process has bound or asks for, with their handlers: exact names, instances
/// of shared names, members of groups; and those that move away from or to this process. One
/// thread. A handler may end its own name: deliveries hold the name meanwhile.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bus/client/mail_readers.hpp"
#include "bus/client/parts/bus_context.hpp"
#include "bus/client/parts/prefix_watchers.hpp"
#include "bus/io/draws.hpp"

namespace starbus::bus {

/// One name, from the call of bind until it is gone, with its handlers. A process may have a
/// hundred thousand of them: what few have at a time is apart.
struct OwnedName {
  /// Of an instance or a member.
  struct Asked {
    std::string name;                 // the shared or group name that was asked for
    unsigned instance = 0;            // of a shared name
    std::vector<unsigned> refused{};  // instances for which another process was faster
  };
  /// Operations that have not ended.
  struct UnderWay {
    Done<Bound> bound{};
    std::vector<Done<>> unbound{};
    std::function<Bytes()> freeze{};  // of a move
    Done<> moved{};
    bool leaves = false;  // to be given up as soon as nothing is in the way
  };

  std::shared_ptr<const std::string> name;
  ChannelId channel;
  Handlers handlers{};
  std::unique_ptr<const Asked> asked{};  // null: the name itself
  std::unique_ptr<UnderWay> under_way{};

  unsigned instance() const { return asked ? asked->instance : 0; }
  bool moves() const { return under_way && under_way->moved; }
  bool leaves() const { return under_way && under_way->leaves; }
  UnderWay& begin() {
    if (!under_way) under_way = std::make_unique<UnderWay>();
    return *under_way;
  }
  /// Some have ended, and perhaps all.
  void settle() {
    if (!under_way || under_way->leaves || under_way->bound || under_way->freeze) return;
    if (!under_way->moved && under_way->unbound.empty()) under_way = nullptr;
  }
  /// They all end here: the caller completes them.
  UnderWay end() {
    const auto ended = std::exchange(under_way, nullptr);
    return ended ? std::move(*ended) : UnderWay{};
  }
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
  void bind_exact(std::string name, std::unique_ptr<const OwnedName::Asked> asked,
                  Handlers handlers, Done<Bound> done);
  void set_binding(std::string_view name, BindingId binding);
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
  boost::unordered_flat_map<BindingId, std::shared_ptr<OwnedName>> names_;
  /// Exact and asked names; views what is in `names_`.
  boost::unordered_flat_map<std::string_view, BindingId> by_name_;
  /// Of a shared name: its instances 1 to this one are bound here, and need not be looked at.
  std::unordered_map<std::string, unsigned> own_run_;
  std::vector<BindingId> leaving_;  // names that leave, when they can
  std::uint64_t collisions_ = 0;
  // Of instance numbers after a collision.
  std::minstd_rand draw_{static_cast<std::minstd_rand::result_type>(io::draw_number())};
  std::map<std::string, ArrivalHandlers, std::less<>> arrivals_;  // by prefix
};

}  // namespace starbus::bus
