/// One process between a busd that says what it likes (actor 0), another process that sends it
/// states of moves and their refusals (actor 1), and its own program (actor 2): nothing may stop
/// it.
#include "bus/core/ends/process_core.hpp"

#include "tests/fuzz/program.hpp"
#include "tests/fuzz/steps.hpp"
#include "tests/fuzz/world.hpp"

namespace starbus::bus {
namespace {

using fuzz::Program;

class World final : ProcessEvents {
 public:
  World() : core_({fuzz::node_of(1), "node", 1, "fuzz"}, *this, now_) { connect(); }

  void take(const Step& step) {
    switch (step.actor % 4) {
      case 0:
        return say(busd_.bundle(step.kind, step.payload));
      case 1:
        return say_system(step.kind, step.payload);
      case 2:
        return act(static_cast<Program>(step.kind), step.payload);
      default:
        now_ += from_ms(100 * (1 + static_cast<std::uint64_t>(step.kind)));
        core_.tick(now_);
        pump();
    }
  }
  void end() {
    now_ += std::chrono::hours(1);
    core_.tick(now_);
    pump();
    core_.leave();
    pump();
  }

 private:
  void connect() {
    core_.link_lost();
    core_.connected(++session_, now_);
    busd_ = FarEnd(session_);
    Welcome welcome;
    welcome.you = self_;
    welcome.host = fuzz::kHost;
    welcome.bind_prefixes = welcome.send_prefixes = {""};
    welcome.max_names = 16;
    say(busd_.bundle(welcome));
    say(busd_.bundle(Attached{self_, Ticket::of_bind(self_, core_.process_binding()),
                              "process/" + fuzz::kHost + "." + fuzz::node_of(1), epoch_, epoch_}));
  }
  void say(const Bytes& bundle) {
    if (!core_.has_session()) connect();
    if (!core_.on_bundle(bundle, now_)) core_.link_lost();
    pump();
  }
  void say_system(Kind kind, ByteView payload) {
    Bytes items;
    Writer writer(items);
    writer.put(static_cast<std::uint32_t>(kRecordHeader + payload.size()) | kSystem);
    writer.put(std::uint32_t{0});
    writer.put(static_cast<std::uint32_t>(1 + payload.size()));
    writer.put(static_cast<std::uint8_t>(kind));
    writer.bytes(payload);
    Run run;
    run.lane = Lane::bulk;
    run.origin = fuzz::process_of(2, fuzz::kOtherHost);
    run.channel = self_.channel();
    run.lineage = epoch_;
    run.count = 1;
    run.prev = system_seq_;
    run.seq = ++system_seq_;
    run.items = items;
    Bytes record;
    encode_run(run, record);
    say(busd_.bundle(Kind::data, ByteView(record).subspan(kRecordHeader)));
  }
  void act(Program what, ByteView payload) {
    const auto name = std::string(as_text(payload));
    const ChannelId channel = channel_id(name);
    const Process other = fuzz::process_of(2, fuzz::kOtherHost);
    const Destination there{other.channel(), {}, {}};
    switch (what) {
      case Program::bind:
        (void)core_.bind(name);
        break;
      case Program::unbind:
        (void)core_.unbind(channel);
        break;
      case Program::move:
        (void)core_.move(channel, other);
        break;
      case Program::send_from:
        (void)core_.send_from(channel, there, Lane::call, {}, payload, {});
        break;
      case Program::send:
        (void)core_.origin().send(there, Lane::sync, {}, payload, 1, {}, {});
        break;
      case Program::watch:
        (void)core_.watch(name);
        break;
      case Program::unwatch:
        core_.unwatch(name);
        break;
      case Program::reconnect:
        connect();
        break;
      default:
        break;
    }
    pump();
  }
  void pump() {
    core_.send_bundles([] { return Bytes(); }, [](const Bytes&) {});
  }

  void on_welcome(bool) override {}
  void on_bound(BindingId, Epoch) override {}
  void on_bind_refused(BindingId, const Error&) override {}
  void on_unbound(BindingId) override {}
  void on_delivery(BindingId, const Delivery&) override {}
  void on_watch(const std::string&, const std::vector<WatchRow>&, bool) override {}
  void on_watch_refused(const std::string&, const Error&) override {}
  void on_lease_lost() override { self_ = core_.self(); }
  void on_acknowledged(Token) override {}
  void on_failed(Token, const ChannelId&, Lane, std::uint64_t, Errc, bool) override {}
  void on_room() override {}
  Bytes on_freeze(BindingId) override { return Bytes(4); }
  Result<> on_arriving(const std::string&, const Process&, ByteView) override { return {}; }

  const Epoch epoch_ = Epoch::of(1, 1);
  Process self_ = fuzz::process_of(1);
  Time now_ = from_ms(10'000);
  ProcessCore core_;
  FarEnd busd_;
  std::uint64_t session_ = 0;
  std::uint64_t system_seq_ = 0;
};

}  // namespace
}  // namespace starbus::bus

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  World world;
  Steps steps(fuzz_input(data, size));
  while (const auto step = steps.next()) world.take(*step);
  world.end();
  return 0;
}
