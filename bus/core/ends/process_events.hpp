/// Events that a ProcessCore reports to the program around it: the client library, busd's mail
/// store, or the simulator.
///
/// Called on the thread of the core, when all of its state is in order, and never from within bind,
/// unbind, watch or send: a callback may call anything.
#pragma once

#include <string>
#include <vector>

#include "bus/core/ends/durable_owner.hpp"
#include "bus/core/ends/owner.hpp"
#include "bus/core/origin/origin_events.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {

using BindingId = std::uint64_t;

class ProcessEvents : public OriginEvents, public DurableEvents {
 public:
  /// busd has accepted this process; `first` is true once, and false after each reconnect.
  virtual void on_welcome(bool first) = 0;
  virtual void on_bound(BindingId binding, Epoch epoch) = 0;
  /// The name was refused, and the binding is gone.
  virtual void on_bind_refused(BindingId binding, const Error& reason) = 0;
  virtual void on_unbound(BindingId binding) = 0;
  /// Replaces on_bound after bind_durable. Call accept_durable after this lineage is on the disk:
  /// messages that are accepted earlier would be lost with it.
  virtual void on_durable_bound(BindingId, Epoch, Lineage) {}
  virtual void on_delivery(BindingId binding, const Delivery& delivery) = 0;
  /// Changes under a watched prefix; `complete`: a whole snapshot has come.
  virtual void on_watch(const std::string& prefix, const std::vector<WatchRow>& changes,
                        bool complete) = 0;
  virtual void on_watch_refused(const std::string& prefix, const Error& reason) = 0;

  /// A record of a mail reader (record_readers.hpp) or of a shard that moves (record_shards.hpp),
  /// from any process, undecoded.
  virtual void on_mail(const Process&, Kind, ByteView) {}
  /// A record of send_mail_record to the process with this channel was lost, or may have been: the
  /// session with that process must begin again.
  virtual void on_mail_lost(const ChannelId&) {}

  /// This process was cut off from busroot for the length of its lease. It owns nothing any more:
  /// all its bindings and moves are gone, and what was unacknowledged has failed as lease_lost. The
  /// core connects again as a new incarnation, with its watches.
  virtual void on_lease_lost() = 0;
  /// Returns the name of a channel to which this process has sent; empty if it is not remembered.
  /// Asked when the role has become restricted.
  virtual std::string name_of_channel(const ChannelId&) { return {}; }

  // --- moves; the defaults suit a program that neither moves channels nor takes any ---
  /// The channel is frozen: it accepts nothing any more. The returned state travels with its filter
  /// and its outbox.
  virtual Bytes on_freeze(BindingId) { return {}; }
  /// The target has confirmed: the binding is gone.
  virtual void on_moved(BindingId) {}
  /// The move has ended, and the channel goes on here. busy: it was never frozen. move_refused,
  /// deadline (the target did not take it in time), too_large: it was frozen, nothing is lost;
  /// `epoch` is new, and the channel accepts nothing until ProcessCore::go_on. rolled_back: the
  /// target may have run.
  virtual void on_move_failed(BindingId, Epoch, const Error&) {}
  /// A channel is offered to this process: return ok to take it. It is not owned yet, and
  /// on_arrived may never follow.
  virtual Result<> on_arriving(const std::string&, const Process&, ByteView) {
    return Error{Errc::move_refused, "no arrival handler"};
  }
  /// The channel is owned here, and its first messages may follow at once.
  virtual void on_arrived(BindingId, const std::string&, Epoch, Bytes) {}

 protected:
  ~ProcessEvents() = default;
};

}  // namespace starbus::bus
