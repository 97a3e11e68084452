/// Writes the seeds of the stateful targets: fuzz_seeds tests/fuzz/corpus. To be run when a record
/// changes; what it writes is committed. The other corpora are bytes, text and golden vectors.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "bus/core/wire/data.hpp"
#include "bus/core/wire/name.hpp"
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
  return 0;
}
