/// The parts of a ProcessCore, put together by hand: a greeted process, and what it puts into its
/// control queue.
#pragma once

#include <gmock/gmock.h>

#include "bus/core/ends/channel_sender.hpp"
#include "bus/core/ends/move_source.hpp"
#include "bus/core/ends/move_target.hpp"
#include "bus/core/ends/name_binder.hpp"
#include "bus/core/ends/name_requests.hpp"
#include "bus/core/ends/prefix_watches.hpp"
#include "bus/core/ends/vitals_reporter.hpp"
#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {

class PartsTest : public testing::Test, public ProcessEvents {
 protected:
  PartsTest() {
    state.config = {"node-1", "node", 9, "test"};
    state.now = from_ms(10'000);
    state.self = kSelf;
    state.host = "hostA";
    state.minor = kVersionMinor;
    state.greeted = true;
    state.rights.bind_prefixes = {""};
    state.rights.send_prefixes = {""};
    state.rights.known = true;
    control.open();
    origin.set_now(state.now);
    owner.set_now(state.now);
  }

  static inline const Process kSelf{host_id("hostA"), slot_id("node-1"), 9};
  static inline const Process kOther{host_id("hostB"), slot_id("node-2"), 5};

  /// All records that were queued since the last call.
  std::vector<WireRecord> sent() {
    Bytes out;
    while (!control.empty()) control.fill_bundle(64 * 1024, out);
    return cut_records(out);
  }
  std::vector<Kind> sent_kinds() {
    std::vector<Kind> kinds;
    for (const WireRecord& record : sent()) kinds.push_back(record.kind);
    return kinds;
  }
  /// Bound, granted and confirmed.
  Binding& active(const std::string& name) {
    EXPECT_TRUE(binder.bind(name, false, {}));
    Binding& binding = *bindings.find(channel_id(name));
    const Epoch epoch = Epoch::of(1, ++grants);
    binder.on_attached({kSelf, Ticket::of_bind(kSelf, binding.id), name, epoch, epoch});
    binder.on_active_ok({kSelf, channel_id(name), epoch});
    sent();
    reported.clear();
    return binding;
  }

  std::vector<std::string> reported;
  Result<> arrival;

  ProcessState state;
  ControlQueue control;
  Origin origin{*this};
  Owner owner{[](std::uint64_t, const Delivery&) {},
              [this](ByteView record) { control.add_encoded(record); }};
  DurableOwner durable{*this, [this](ByteView record) { control.add_encoded(record); }};
  BindingTable bindings;
  NameRequests requests{state, bindings, control};
  NameBinder binder{{state, bindings, requests, control, owner, durable, *this}};
  ChannelSender sender{state, bindings, origin, *this};
  MoveSource source{{state, bindings, requests, control, sender, origin, owner, *this}};
  MoveTarget target{{state, bindings, requests, origin, owner, *this}};
  PrefixWatches watches{state, control, owner, *this};
  std::uint64_t grants = 0;

 private:
  void on_welcome(bool) override {}
  void on_bound(BindingId, Epoch epoch) override { report("bound at " + epoch.to_string()); }
  void on_bind_refused(BindingId, const Error& reason) override {
    report("refused " + std::string(name_of(reason.code)));
  }
  void on_unbound(BindingId) override { report("unbound"); }
  void on_delivery(BindingId, const Delivery&) override {}
  void on_watch(const std::string& prefix, const std::vector<WatchRow>& changes,
                bool complete) override {
    report(prefix + " " + std::to_string(changes.size()) + (complete ? " complete" : ""));
  }
  void on_watch_refused(const std::string& prefix, const Error&) override {
    report(prefix + " refused");
  }
  void on_acknowledged(Token) override {}
  void on_failed(Token, const ChannelId&, Lane, std::uint64_t, Errc reason, bool sent) override {
    report(std::string(name_of(reason)) + (sent ? " sent" : " unsent"));
  }
  void on_room() override {}
  void on_lease_lost() override {}
  Bytes on_freeze(BindingId) override {
    report("freeze");
    return {};
  }
  void on_moved(BindingId) override { report("moved"); }
  void on_move_failed(BindingId, Epoch, const Error& reason) override {
    report("not moved " + std::string(name_of(reason.code)));
  }
  Result<> on_arriving(const std::string&, const Process&, ByteView) override { return arrival; }
  void on_arrived(BindingId, const std::string& name, Epoch, Bytes) override {
    report("arrived " + name);
  }
  void report(std::string text) { reported.push_back(std::move(text)); }
};

}  // namespace starbus::bus
