/// Writes the seeds of the stateful targets, and those of questions for names: fuzz_seeds
/// tests/fuzz/corpus. To be run when a record or a frame changes; what it writes is committed. The
/// other corpora are bytes, text and golden vectors.
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <vector>

#include "bus/core/wire/data.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/record_moves.hpp"
#include "entity/archive/encoder.hpp"
#include "entity/rpc/method.hpp"
#include "entity/rpc/wire.hpp"
#include "nodes/gate/wire/frames.hpp"
#include "tests/fuzz/program.hpp"
#include "tests/fuzz/router_driver.hpp"
#include "tests/fuzz/world.hpp"

namespace starbus::bus::fuzz {
namespace {

class Seed {
 public:
  Seed& step(std::uint8_t actor, std::uint8_t kind, ByteView payload) {
    Writer writer(bytes_);
    writer.put(actor);
    writer.put(kind);
    writer.put(static_cast<std::uint16_t>(payload.size()));
    writer.bytes(payload);
    return *this;
  }
  template <class Record>
  Seed& say(std::uint8_t actor, const Record& record) {
    Bytes bytes;
    encode(record, bytes);
    return raw(actor, bytes);
  }
  /// A whole record, header included.
  Seed& raw(std::uint8_t actor, ByteView record) {
    return step(actor, std::to_integer<std::uint8_t>(record[4]), record.subspan(kRecordHeader));
  }
  Seed& run(std::uint8_t actor, const Process& origin, const ChannelId& to, std::uint64_t seq) {
    Bytes items;
    Writer writer(items);
    writer.put(std::uint32_t{5});
    writer.put(std::uint32_t{0});
    writer.bytes(as_bytes("hello"));
    Bytes record;
    encode_run({Lane::call, 1, origin, to, Epoch::of(1, 1), seq - 1, seq, items}, record);
    return raw(actor, record);
  }
  Seed& multicast(std::uint8_t actor, const Process& origin, std::vector<Target> targets) {
    Multicast multicast;
    multicast.lane = Lane::sync;
    multicast.origin = origin;
    multicast.targets = std::move(targets);
    multicast.body = as_bytes("all");
    Bytes record;
    encode_multicast(multicast, record);
    return raw(actor, record);
  }
  Seed& wait(std::uint8_t tenths) { return step(kTimePasses, tenths, {}); }
  Seed& cut(std::uint8_t actor) {
    return step(static_cast<std::uint8_t>(kLinkBreaks | actor), 0, {});
  }
  Seed& act(Program what, std::string_view payload) {
    return step(2, static_cast<std::uint8_t>(what), as_bytes(payload));
  }
  void write(const std::filesystem::path& file) const {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes_.data()),
               static_cast<std::streamsize>(bytes_.size()));
  }

 private:
  Bytes bytes_;
};

const std::string kName = "entity/7";
const ChannelId kChannel = channel_id(kName);
const Epoch kEpoch = Epoch::of(1, 1);

Row row(RowState state, const Ticket& ticket = {}) {
  return {kName, kEpoch, kEpoch, state, ticket};
}

void host(const std::filesystem::path& folder) {
  const Process one = process_of(1);
  const Process two = process_of(2);
  const Process far = process_of(1, kOtherHost);
  const Ticket move{one, two, 9};
  Seed bind;
  bind.say(1, Bind{one, 1, kName})
      .say(0, Attached{one, Ticket::of_bind(one, 1), kName, kEpoch, kEpoch})
      .say(1, Active{one, kChannel, kEpoch})
      .say(0, ActiveOk{one, kChannel, kEpoch});
  Seed(bind).run(2, two, kChannel, 1).run(0, far, kChannel, 1).write(folder / "data");
  Seed(bind)
      .multicast(2, two, {{kChannel, kEpoch, 0, 1}, {two.channel(), {}, 0, 1}})
      .multicast(0, far, {{kChannel, kEpoch, 0, 1}})
      .write(folder / "multicast");
  Seed(bind)
      .say(1, Move{one, kChannel, kEpoch, move})
      .say(0, MoveOk{one, kChannel, kEpoch, kEpoch, move})
      .say(2, Attach{two, kName, move})
      .say(0, Attached{two, move, kName, Epoch::of(1, 2), kEpoch})
      .say(0, Moved{one, kChannel, move})
      .say(1, Freed{one, kChannel, move})
      .write(folder / "move");
  Seed(bind)
      .say(1, Move{one, kChannel, kEpoch, move})
      .say(0, MoveOk{one, kChannel, kEpoch, kEpoch, move})
      .say(1, Reclaim{one, kName, move})
      .say(0, Reclaimed{one, kChannel, Epoch::of(1, 3), kEpoch, move})
      .write(folder / "reclaim");
  Seed(bind)
      .cut(1)
      .say(1, Table{one, {row(RowState::active)}})
      .cut(0)
      .wait(50)
      .say(0, Refused{one, Ticket::of_bind(one, 1), kName, Errc::already_bound, "b.n1"})
      .write(folder / "reconnect");
  Seed()
      .say(1, Watch{"entity/"})
      .say(0, WatchRows{"entity/", true, true, {}})
      .say(1, Unwatch{"entity/"})
      .say(1, Query{"", 1, "root", "/status"})
      .say(0, Query{"b", 2, "a", "/status"})
      .say(0, Answer{"a", 1, 200, {}})
      .write(folder / "watch");
  Seed()
      .say(3, Open{Lane::call, kName})
      .run(3, process_of(3), kChannel, 1)
      .say(3, Bind{process_of(3), 1, "service/x"})
      .say(1, Bye{})
      .wait(255)
      .write(folder / "restricted");
  Seed(bind).say(1, Unbind{one, kChannel, kEpoch}).say(0, ProcessDead{far}).write(folder / "end");
}

void root(const std::filesystem::path& folder) {
  const Process one = process_of(1);
  const Process two = process_of(2, kOtherHost);
  const Ticket move{one, two, 9};
  Seed bind;
  bind.wait(255).say(0, Bind{one, 1, kName}).say(0, Active{one, kChannel, kEpoch});
  Seed(bind)
      .run(1, two, kChannel, 1)
      .multicast(1, two, {{kChannel, kEpoch, 0, 1}})
      .write(folder / "data");
  Seed(bind)
      .say(0, Move{one, kChannel, kEpoch, move})
      .run(1, two, kChannel, 1)
      .say(1, Attach{two, kName, move})
      .say(1, Active{two, kChannel, Epoch::of(1, 2)})
      .say(0, Freed{one, kChannel, move})
      .write(folder / "move");
  Seed(bind)
      .say(0, Move{one, kChannel, kEpoch, move})
      .say(0, Reclaim{one, kName, move})
      .say(1, ProcessDead{two})
      .write(folder / "reclaim");
  Seed(bind)
      .say(1, Watch{"entity/"})
      .say(0, Unbind{one, kChannel, kEpoch})
      .say(1, Unwatch{"entity/"})
      .say(1, Query{"", 1, "a", "/status"})
      .say(0, Answer{"b", 1, 200, {}})
      .write(folder / "watch");
  Seed()
      .say(0, Table{one, {row(RowState::active)}})
      .cut(0)
      .run(1, two, kChannel, 1)
      .wait(100)
      .say(0, Table{one, {row(RowState::frozen, move)}})
      .say(1, Table{two, {row(RowState::granted, move)}})
      .wait(255)
      .write(folder / "tables");
}

void process(const std::filesystem::path& folder) {
  const Process self = process_of(1);
  const Process other = process_of(2, kOtherHost);
  const Ticket out{self, other, 1};
  const Ticket in{other, self, 5};
  State state;
  state.ticket = in;
  state.name = "entity/8";
  state.epoch = state.lineage = kEpoch;
  state.filter = {{other, Lane::call, 12}};
  state.outbox = {{kChannel, kName, Lane::sync, 250, Bytes(5)}};
  state.application = Bytes(3);
  Seed()
      .say(1, state)
      .say(0, Attached{self, in, state.name, Epoch::of(1, 2), kEpoch})
      .say(0, ActiveOk{self, channel_id(state.name), Epoch::of(1, 2)})
      .act(Program::send_from, state.name)
      .run(0, other, channel_id(state.name), 13)
      .write(folder / "arrive");
  Seed bind;
  bind.act(Program::bind, kName)
      .say(0, Attached{self, Ticket::of_bind(self, 2), kName, kEpoch, kEpoch})
      .say(0, ActiveOk{self, kChannel, kEpoch})
      .run(0, other, kChannel, 1);
  Seed(bind)
      .act(Program::move, kName)
      .act(Program::send_from, kName)
      .say(0, MoveOk{self, kChannel, kEpoch, kEpoch, out})
      .say(1, StateRefused{out, Errc::move_refused, "no"})
      .say(0, Reclaimed{self, kChannel, Epoch::of(1, 3), kEpoch, out})
      .write(folder / "move_refused");
  Seed(bind)
      .act(Program::move, kName)
      .say(0, MoveOk{self, kChannel, kEpoch, kEpoch, out})
      .say(0, Moved{self, kChannel, out})
      .write(folder / "moved");
  Seed(bind)
      .act(Program::watch, "entity/")
      .say(0, WatchRows{"entity/", true, true, {}})
      .act(Program::unwatch, "entity/")
      .act(Program::send, "x")
      .say(0, Ack{Lane::sync, self, other.channel(), kEpoch, 1})
      .say(0, Nack{Lane::sync, self, other.channel(), 1, NackReason::no_owner, {}, 0})
      .act(Program::reconnect, "")
      .act(Program::unbind, kName)
      .say(0, Unbound{self, kChannel, kEpoch})
      .write(folder / "watch_and_send");
}

// --- clients at a gate: gate/clients_fuzz.cpp ---------------------------------------------------

namespace gates = nodes::gate;

/// What is done besides frames.
enum class AtGate : std::uint8_t { frame = 0, part = 4, time = 5, hang_up = 6, end = 7 };

Seed& frame(Seed& seed, std::uint8_t connection, const gates::FromClient& said) {
  Bytes bytes;
  encode(said, bytes);
  return seed.step(static_cast<std::uint8_t>(AtGate::frame), connection, bytes);
}
Seed& at_gate(Seed& seed, AtGate what, std::uint8_t connection, std::string_view payload = "") {
  return seed.step(static_cast<std::uint8_t>(what), connection, as_bytes(payload));
}

void clients(const std::filesystem::path& folder) {
  Seed in;
  frame(in, 0, gates::Login{"password", "ada", {}});
  at_gate(in, AtGate::part, 0, "full");
  frame(in, 0, gates::Confirm{});
  const gates::Resume resume{{0, 0}, {0, 0}, "gate/z", {1, 1}, Bytes(1)};
  Seed ask(in);
  for (std::uint64_t u = 1; u <= 3; ++u) frame(ask, 0, gates::Ask{u, {}, Bytes(3)});
  frame(ask, 0, gates::Ask{9, {}, Bytes(3)});
  frame(ask, 0, gates::Ask{3, {}, Bytes(3)});
  ask.write(folder / "requests");
  Seed ack(in);
  for (int i = 0; i < 3; ++i) at_gate(ack, AtGate::part, 0, "call");
  frame(ack, 0, gates::Ack{2});
  frame(ack, 0, gates::Ack{1});
  frame(ack, 0, gates::Ack{99});
  ack.write(folder / "acks");
  Seed again(in);
  at_gate(again, AtGate::hang_up, 0);
  at_gate(again, AtGate::part, 0, "call");
  frame(again, 1, resume);
  frame(again, 1, gates::Confirm{});
  frame(again, 2, gates::Resume{{0, 0}, {0, 0}, "gate/z", {1, 2}, {}});
  frame(again, 3, gates::Resume{{0, 0}, {2, 0}, "gate/z", {1, 2}, {}});
  again.write(folder / "resumes");
  Seed lies(in);
  frame(lies, 1, gates::Resume{{0, 0}, {9, 9}, "gate/z", {1, 1}, {}});
  frame(lies, 1, gates::Resume{{0, 0}, {0, 0}, "gate/z", {1, 77}, {}});
  frame(lies, 1, gates::Resume{{0, 0}, {0, 0}, "gate/z", {2, 1}, {}});
  frame(lies, 0, gates::Login{"password", "ada", {}});
  frame(lies, 2, gates::Ack{0});
  lies.write(folder / "lies");
  Seed elsewhere(in);
  frame(elsewhere, 1, gates::Resume{{9, 9}, {9, 9}, "gate/y", {1, 1}, Bytes(1)});
  at_gate(elsewhere, AtGate::time, 0, std::string(60, ' '));
  frame(elsewhere, 2, gates::Resume{{}, {}, "", {}, Bytes(1)});
  elsewhere.write(folder / "from_another_gate");
  Seed ends(in);
  at_gate(ends, AtGate::end, 0);
  frame(ends, 1, resume);
  frame(ends, 2, gates::Login{"password", "bob", {}});
  frame(ends, 2, gates::Bye{});
  at_gate(ends, AtGate::time, 0, std::string(600, ' '));
  ends.write(folder / "ends");
  Seed many(in);
  for (std::uint8_t each = 1; each < 6; ++each) {
    frame(many, each, gates::Login{"password", "x", {}});
  }
  many.write(folder / "full");
}

// --- reports of movement: space/reports_fuzz.cpp ------------------------------------------------

class Reports {
 public:
  explicit Reports(bool walled) { bytes_.push_back(static_cast<std::byte>(walled)); }
  /// `what`: 0x80 from where the player is; 5 teleport, 6 a factor, 7 another client.
  Reports& add(std::uint8_t what, std::array<float, 3> place, std::array<float, 3> velocity = {},
               std::uint8_t mode = 0, std::int8_t epochs = 0) {
    Bytes step(12);
    step[0] = static_cast<std::byte>(what);
    step[1] = std::byte{12};  // 96 ms
    step[2] = static_cast<std::byte>(epochs);
    step[3] = std::byte{1};
    step[4] = std::byte{12};
    step[5] = static_cast<std::byte>(mode);
    Writer writer(step);
    for (const float each :
         {place[0], place[1], place[2], velocity[0], velocity[1], velocity[2], 0.5F}) {
      writer.put(std::bit_cast<std::uint32_t>(each));
    }
    bytes_.insert(bytes_.end(), step.begin(), step.end());
    return *this;
  }
  void write(const std::filesystem::path& file) const {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes_.data()),
               static_cast<std::streamsize>(bytes_.size()));
  }

 private:
  Bytes bytes_;
};

void reports(const std::filesystem::path& folder) {
  constexpr std::uint8_t kOn = 0x80;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  constexpr float kMost = std::numeric_limits<float>::max();
  Reports(false)
      .add(kOn, {0.4F, 0, 0}, {5, 0, 0})
      .add(kOn, {0.4F, 0.1F, 0}, {5, 1, 0})
      .add(kOn, {0.9F, 0, 0}, {10, 0, 0}, 1)
      .write(folder / "walks");
  Reports numbers(false);
  for (const float each : {kNan, kInfinite, -kInfinite, kMost, -kMost, 1e-45F, -0.0F}) {
    numbers.add(0, {each, 0, 0}).add(0, {0, 0, each}).add(0, {0, 0, 0}, {each, each, each});
    numbers.add(kOn | 5U, {0, each, 0}).add(6, {each, 0, 0});
  }
  numbers.write(folder / "numbers");
  Reports(false)
      .add(0, {100, 100, 50})
      .add(5, {100, -100, -10})
      .add(kOn, {0.1F, 0, 0})
      .add(kOn, {-0.1F, 0, 0}, {}, 0, -1)
      .add(kOn, {-0.1F, 0, 0}, {-kMost, 0, kMost})
      .write(folder / "corners");
  Reports(true)
      .add(5, {49.9F, 0, 0})
      .add(kOn, {0.3F, 0, 0})
      .add(kOn, {0, 0.1F, 0}, {}, 9)
      .add(7, {0, 0, 0})
      .add(kOn, {0, 0.1F, 0}, {}, 0, 1)
      .write(folder / "walls");
  Reports(false)
      .add(6, {3, 0, 0})
      .add(kOn, {1.4F, 0, 0}, {15, 0, 0})
      .add(6, {0, 0, 0})
      .add(kOn, {1, 0, 0})
      .write(folder / "factors");
}

// --- questions for names: gate/client_names_fuzz.cpp --------------------------------------------

void names(const std::filesystem::path& folder) {
  const auto ask = [&](std::string_view file, std::string_view types,
                       const std::vector<std::uint64_t>& hashes) {
    Bytes bytes;
    entity::Encoder out(bytes);
    entity::rpc::CallHeader head;
    head.method = entity::rpc::method_id("starbus", "names");
    head.signature = entity::rpc::hash32(types);
    entity::rpc::put_header(out, head);
    out.varint(hashes.size());
    for (const std::uint64_t hash : hashes) out.varint(hash);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  };
  constexpr std::string_view kTypes = "([u64])->names1";
  ask("of_this_table", kTypes, {5, 77});
  ask("of_another_table", kTypes, {1, 2, ~0ULL});
  ask("of_none", kTypes, {});
  ask("of_too_many", kTypes, std::vector<std::uint64_t>(200, 1));
  ask("other_types", "([u64])->names2", {77});
}

}  // namespace
}  // namespace starbus::bus::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " tests/fuzz/corpus\n";
    return 2;
  }
  const std::filesystem::path corpus = argv[1];
  starbus::bus::fuzz::host(corpus / "host");
  starbus::bus::fuzz::root(corpus / "root");
  starbus::bus::fuzz::process(corpus / "process");
  starbus::bus::fuzz::clients(corpus / "gate_clients");
  starbus::bus::fuzz::reports(corpus / "space_reports");
  starbus::bus::fuzz::names(corpus / "gate_client_names");
  return 0;
}
