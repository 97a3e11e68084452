/// Drives a Router with hand-made peers in virtual time: no sockets, no threads, no clock.
///
///   FakeShell<RootShell> shell;             // or a class of it
///   RootRouter router(shell, config, {});
///   RouterHarness harness(router, shell);
///   Peer& a = harness.connect(facts);
///   a.say(Hello{...});
///   harness.run();                          // until nobody has anything to say
///   EXPECT_EQ(a.take<Welcome>().size(), 1u);
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bus/core/routers/router.hpp"

namespace starbus::bus::test {

/// What every fake shell does: collects bundles, notes closed links and log lines.
struct ShellTraffic {
  std::deque<std::pair<LinkId, Bytes>> bundles;
  std::unordered_set<LinkId> closed;  // asked for each of thousands of peers at each turn
  std::vector<std::string> log;
  bool has_enough = false;  // after the first few records of a bundle
  int asked_enough = 0;
};

template <class Shell = RouterShell>
class FakeShell : public Shell, public ShellTraffic {
 public:
  Bytes take_buffer(LinkId) override { return {}; }
  void send(LinkId link, Bytes bundle) override { bundles.emplace_back(link, std::move(bundle)); }
  void close(LinkId link) override { closed.insert(link); }
  bool enough(LinkId) override {
    ++asked_enough;
    return has_enough;
  }
  void log(RouterShell::Level, const std::string& text) override {
    ShellTraffic::log.push_back(text);
  }
};

/// The connecting side of one link: says what the test tells it, and collects what it hears.
class Peer final : RecordHandler {
 public:
  struct Received {
    Kind kind;
    Bytes payload;
  };

  Peer(LinkId id, Time now, std::uint64_t session_id) : id_(id), session_(session_id, now) {}

  LinkId id() const { return id_; }
  template <class Record>
  void say(const Record& record) {
    Bytes bytes;
    encode(record, bytes);
    say_record(bytes);
  }
  /// A whole record, header included, well-formed or not.
  void say_record(ByteView record, Lane lane = Lane::control) {
    ASSERT_TRUE(queues_.push(lane, 0, record, {}));
  }
  /// A run of one message.
  void say_run(Run run, std::string_view body) {
    Bytes items;
    Writer writer(items);
    writer.put(static_cast<std::uint32_t>(body.size()));
    writer.put(std::uint32_t{0});
    writer.bytes(as_bytes(body));
    run.count = 1;
    run.items = items;
    Bytes record;
    encode_run(run, record);
    say_record(record, run.lane);
  }
  /// Bytes that come instead of a bundle.
  void say_bundle(Bytes bundle) { raw_.push_back(std::move(bundle)); }

  const std::vector<Received>& received() const { return received_; }
  std::size_t count(Kind kind) const {
    std::size_t found = 0;
    for (const Received& record : received_) found += record.kind == kind;
    return found;
  }
  /// All records of this kind, decoded, in order; they are forgotten.
  template <class Record>
  std::vector<Record> take() {
    std::vector<Record> taken;
    for (const Bytes& payload : take_payloads(Record::kKind)) {
      auto record = decode<Record>(payload);
      EXPECT_TRUE(record) << name_of(Record::kKind);
      if (record) taken.push_back(std::move(*record));
    }
    return taken;
  }
  std::vector<Bytes> take_payloads(Kind kind) {
    std::vector<Bytes> taken;
    std::erase_if(received_, [&](Received& record) {
      if (record.kind != kind) return false;
      taken.push_back(std::move(record.payload));
      return true;
    });
    return taken;
  }
  void forget() { received_.clear(); }
  /// As SIGSTOP does: neither reads nor writes while it is set.
  void stop(bool stopped = true) { stopped_ = stopped; }
  /// From now on it speaks, its heartbeats too, and reads nothing.
  void deafen() { deaf_ = true; }

 private:
  friend class RouterHarness;
  struct Source final : LaneSource {
    SourceQueues& queues;
    explicit Source(SourceQueues& q) : queues(q) {}
    bool ready(Lane lane) const override { return queues.ready(lane); }
    FillResult fill_bundle(Lane lane, std::size_t budget, Bytes& out) override {
      return queues.fill_bundle(lane, budget, out);
    }
  };
  Result<> on_record(Kind kind, ByteView payload) override {
    received_.push_back({kind, Bytes(payload.begin(), payload.end())});
    return {};
  }

  LinkId id_;
  Session session_;
  SourceQueues queues_;
  bool stopped_ = false;
  bool deaf_ = false;
  std::deque<Bytes> unread_;
  std::deque<Bytes> raw_;
  std::vector<Received> received_;
};

class RouterHarness {
 public:
  RouterHarness(Router& router, ShellTraffic& shell, Time now = {})
      : router_(router), shell_(shell), now_(now) {}

  Time now() const { return now_; }
  Peer& connect(PeerFacts facts) {
    Peer& peer = add_peer(0x5000 + next_id_);
    router_.link_opened(peer.id(), std::move(facts), now_);
    return peer;
  }
  /// The router is the side that connects: `opened` tells it the link. The peer takes the session
  /// that it is spoken to in.
  template <class Opened>
  Peer& accept(const Opened& opened) {
    Peer& peer = add_peer(0);
    opened(peer.id(), now_);
    return peer;
  }
  /// The transport breaks: the router is told, the peer says nothing more.
  void cut(Peer& peer) {
    run();
    shell_.closed.insert(peer.id());
    router_.link_closed(peer.id(), {Errc::io_error, "cut"}, now_);
    run();
  }
  bool closed(const Peer& peer) const { return shell_.closed.contains(peer.id()); }
  std::size_t turns = 0;  // of what takes more than one
  /// Exchanges bundles until all is said.
  void run() {
    do {
      router_.flush();
    } while (deliver_to_peers() || deliver_to_router() || go_on());
  }
  /// One turn: what was said arrives, and nothing that takes longer goes on.
  void step() {
    (void)deliver_to_router();
    router_.flush();
    (void)deliver_to_peers();
  }
  /// Lets time pass in ticks of 50 ms; peers keep their sessions alive unless `silent`.
  void advance(std::uint64_t ms, bool silent = false) { advance(from_ms(ms), silent); }
  void advance(Time time, bool silent = false) {
    for (const Time end = now_ + time; now_ < end;) {
      now_ += from_ms(50);
      for (auto& [id, peer] : peers_) {
        if (!silent && !peer->stopped_) peer->session_.tick(now_);
      }
      router_.tick(now_);
      run();
    }
  }

 private:
  Peer& add_peer(std::uint64_t session_id) {
    const LinkId id = next_id_++;
    return *peers_.emplace(id, std::make_unique<Peer>(id, now_, session_id)).first->second;
  }
  /// As a shell does in a later turn of its loop.
  bool go_on() {
    if (!router_.unfinished()) return false;
    router_.go_on();
    ++turns;
    return true;
  }
  bool deliver_to_peers() {
    bool any = !shell_.bundles.empty();
    for (; !shell_.bundles.empty(); shell_.bundles.pop_front()) {
      auto& [id, bundle] = shell_.bundles.front();
      peers_.at(id)->unread_.push_back(std::move(bundle));
    }
    for (auto& [id, peer] : peers_) {
      if (peer->stopped_ || peer->deaf_) continue;
      for (; !peer->unread_.empty(); peer->unread_.pop_front()) {
        any = true;
        EXPECT_TRUE(peer->session_.receive(peer->unread_.front(), now_, *peer));
      }
    }
    return any;
  }
  bool deliver_to_router() {
    bool any = false;
    for (auto& [id, peer] : peers_) {
      std::deque<Bytes> bundles = std::exchange(peer->raw_, {});
      if (closed(*peer) || peer->stopped_) continue;
      Peer::Source source(peer->queues_);
      peer->session_.send_bundles(
          source, [] { return Bytes(); }, [&](Bytes bundle) { bundles.push_back(bundle); });
      for (const Bytes& bundle : bundles) {
        while (!router_.on_bundle(id, bundle, now_)) router_.flush();
      }
      any = any || !bundles.empty();
    }
    return any;
  }

  Router& router_;
  ShellTraffic& shell_;
  Time now_;
  LinkId next_id_ = 1;
  std::map<LinkId, std::unique_ptr<Peer>> peers_;
};

}  // namespace starbus::bus::test
