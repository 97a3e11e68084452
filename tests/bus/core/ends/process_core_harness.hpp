/// A process core with a scripted busd at the other end of its link.
#pragma once

#include <deque>

#include "bus/core/ends/process_core.hpp"
#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {

class ScriptedBusd : private RecordHandler, public ProcessEvents {
 public:
  ScriptedBusd() : core({"node-1", "node", 9, "test"}, *this, now) {}

  static inline const Process kSelf{host_id("hostA"), slot_id("node-1"), 9};

  Time now = from_ms(10'000);
  std::uint8_t minor = kVersionMinor;  // of the protocol
  ProcessCore core;
  std::vector<std::string> events;
  std::vector<WatchRow> watched;
  std::function<void(const Delivery&)> when_delivered;
  std::uint64_t lease_age = 0;       // of busd's heartbeats
  std::string state_to_send = "hp";  // of a channel that freezes
  Result<> arrival;                  // what an arriving channel is told
  BindingId arrived = 0;
  std::vector<std::string> names;  // that the library remembers

  /// A new session; everything that the process says goes to `heard`.
  void connect() {
    core.link_lost();
    heard.clear();
    queues.clear();
    core.connected(++session_id, now);
    link.emplace(0, now);
    (void)exchange();
  }
  void welcome(std::vector<std::string> bind = {""}, std::vector<std::string> send = {""},
               std::uint32_t max_names = 100) {
    Welcome welcome;
    welcome.minor = minor;
    welcome.you = kSelf;
    welcome.host = "hostA";
    welcome.bind_prefixes = std::move(bind);
    welcome.send_prefixes = std::move(send);
    welcome.max_names = max_names;
    (void)say(welcome);
  }
  /// The process channel granted and confirmed: what every test needs first.
  void greet() {
    connect();
    welcome();
    (void)grant("process/hostA.node-1", core.process_binding(), 1);
    (void)confirm("process/hostA.node-1", 1);
    heard.clear();
    events.clear();
  }
  template <class Record>
  Result<> say(const Record& record) {
    Bytes bytes;
    encode(record, bytes);
    return say_bytes(bytes);
  }
  Result<> say_bytes(ByteView record) {
    EXPECT_TRUE(queues.push(Lane::control, 1, record, now));
    return exchange();
  }
  Result<> grant(const std::string& name, BindingId number, std::uint64_t n) {
    return say(
        Attached{kSelf, Ticket::of_bind(kSelf, number), name, Epoch::of(1, n), Epoch::of(1, n)});
  }
  Result<> confirm(const std::string& name, std::uint64_t n) {
    return say(ActiveOk{kSelf, channel_id(name), Epoch::of(1, n)});
  }
  void pass(std::uint64_t ms) { pass(from_ms(ms)); }
  void pass(Time time) {
    for (Time spent{}; spent < time; spent += 20ms) {
      core.tick(now += 20ms);
      if (link) link->tick(now, lease_age);
      (void)exchange();
    }
  }
  /// Until nothing moves. What the core returned for the last bundle that it refused.
  Result<> exchange() {
    Result<> result;
    if (!link || !core.session()) return result;
    bool moved = true;
    while (moved) {
      moved = false;
      std::vector<Bytes> up;
      core.send_bundles([] { return Bytes{}; },
                        [&](Bytes bundle) { up.push_back(std::move(bundle)); });
      for (const Bytes& bundle : up) EXPECT_TRUE(link->receive(bundle, now, *this));
      std::vector<Bytes> down;
      link->send_bundles(
          queues, [] { return Bytes{}; }, [&](Bytes bundle) { down.push_back(std::move(bundle)); });
      for (const Bytes& bundle : down) {
        if (auto taken = core.on_bundle(bundle, now); !taken) result = taken;
      }
      moved = !up.empty() || !down.empty();
    }
    return result;
  }
  /// The records of one kind that the process said since the last call to `heard.clear()`.
  template <class Record>
  std::vector<Record> said() const {
    std::vector<Record> records;
    for (const WireRecord& record : heard) {
      if (record.kind == Record::kKind) records.push_back(read_record<Record>(record));
    }
    return records;
  }
  std::size_t count(Kind kind) const {
    std::size_t number = 0;
    for (const WireRecord& record : heard) number += record.kind == kind;
    return number;
  }
  std::vector<WireRecord> heard;

 private:
  Result<> on_record(Kind kind, ByteView payload) override {
    heard.push_back({kind, Bytes(payload.begin(), payload.end())});
    return {};
  }
  void on_welcome(bool first) override { events.push_back(first ? "welcome" : "welcome again"); }
  void on_bound(BindingId id, Epoch epoch) override {
    events.push_back("bound " + std::to_string(id) + " at " + epoch.to_string());
  }
  void on_bind_refused(BindingId id, const Error& reason) override {
    events.push_back("refused " + std::to_string(id) + " " + reason.to_string());
  }
  void on_unbound(BindingId id) override { events.push_back("unbound " + std::to_string(id)); }
  void on_delivery(BindingId, const Delivery& delivery) override {
    events.push_back("delivered " + std::string(as_text(delivery.body)));
    if (when_delivered) when_delivered(delivery);
  }
  void on_watch(const std::string& prefix, const std::vector<WatchRow>& changes,
                bool complete) override {
    events.push_back("watch " + prefix + (complete ? " complete" : " incomplete"));
    watched = changes;
  }
  void on_watch_refused(const std::string& prefix, const Error& reason) override {
    events.push_back("watch refused " + prefix + " " + std::string(name_of(reason.code)));
  }
  void on_acknowledged(Token token) override {
    events.push_back("acknowledged " + std::to_string(token));
  }
  void on_failed(Token token, const ChannelId&, Lane, std::uint64_t, Errc reason, bool) override {
    events.push_back("failed " + std::to_string(token) + " " + std::string(name_of(reason)));
  }
  void on_room() override {}
  void on_lease_lost() override { events.push_back("lease lost"); }
  std::string name_of_channel(const ChannelId& channel) override {
    for (const std::string& name : names) {
      if (channel_id(name) == channel) return name;
    }
    return {};
  }
  Bytes on_freeze(BindingId id) override {
    events.push_back("freeze " + std::to_string(id));
    const ByteView bytes = as_bytes(state_to_send);
    return {bytes.begin(), bytes.end()};
  }
  void on_moved(BindingId id) override { events.push_back("moved " + std::to_string(id)); }
  void on_move_failed(BindingId id, Epoch epoch, const Error& reason) override {
    events.push_back("not moved " + std::to_string(id) + " at " + epoch.to_string() + " " +
                     std::string(name_of(reason.code)));
  }
  Result<> on_arriving(const std::string& name, const Process&, ByteView state) override {
    events.push_back("arriving " + name + " " + std::string(as_text(state)));
    return arrival;
  }
  void on_arrived(BindingId id, const std::string& name, Epoch epoch, Bytes state) override {
    arrived = id;
    events.push_back("arrived " + name + " at " + epoch.to_string() + " " +
                     std::string(as_text(state)));
  }

  std::uint64_t session_id = 100;
  std::optional<Session> link;
  SourceQueues queues;
};

}  // namespace starbus::bus
