#include "tests/cluster/intruder/node/intruder.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "bus/core/limits.hpp"
#include "bus/core/wire/data.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/record_admin.hpp"

namespace starbus::cluster_test {

using bus::Lane;
using std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

constexpr auto kBeat = 1s;
constexpr auto kAgain = 1s;                   // a session that was ended comes back
constexpr std::size_t kBodySize = 16 * 1024;  // of a message of a flood
constexpr std::uint64_t kBatch = 50;          // records of one bundle

std::string node_of(std::size_t number) {
  return "evil-" + std::to_string(number);
}

void append_run(const bus::Run& run, bus::ByteView body, bus::Bytes& out) {
  bus::Bytes items(bus::kItemHeader);
  const auto size = static_cast<std::uint32_t>(body.size());
  std::memcpy(items.data(), &size, sizeof size);
  items.insert(items.end(), body.begin(), body.end());
  bus::Run one = run;
  one.count = 1;
  one.items = items;
  bus::encode_run(one, out);
}

}  // namespace

Intruder::Intruder(IntruderOptions options) : options_(std::move(options)), body_(kBodySize) {
  members_.resize(options_.sessions);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].session = std::make_unique<RawSession>(options_.socket, node_of(i));
    members_[i].habit = static_cast<Habit>(i % kHabits);
  }
}

void Intruder::open_all(std::chrono::milliseconds limit) {
  const auto end = steady_clock::now() + limit;
  std::size_t welcomed = 0;
  while (welcomed < members_.size() && steady_clock::now() < end) {
    now_ = steady_clock::now();
    welcomed = 0;
    for (Member& member : members_) {
      RawSession& session = *member.session;
      if (!session.is_open() && now_ - member.opened > kAgain) {
        member.opened = now_;
        session.open();
      }
      session.flush();
      session.read();
      if (session.self()) ++welcomed;
      if (session.self() && now_ - member.beaten > kBeat) {
        member.beaten = now_;
        session.say(bus::Heartbeat{});
      }
    }
  }
}

void Intruder::pass() {
  now_ = steady_clock::now();
  for (Member& member : members_) serve(member);
  // Members that wait need no whole core to do so.
  if (options_.pace != 0ms) std::this_thread::sleep_for(options_.pace / 20);
}

std::size_t Intruder::open_sessions() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      members_, [](const Member& member) { return member.session->self().has_value(); }));
}

void Intruder::serve(Member& member) {
  RawSession& session = *member.session;
  const bool comes_and_goes = member.habit == Habit::come_and_go && options_.pace == 0ms;
  if (!session.is_open() && (comes_and_goes || now_ - member.opened > kAgain)) {
    member.opened = now_;
    member.step = 0;
    session.open();
  }
  session.flush();
  if (member.habit != Habit::deaf || !session.self()) session.read();
  if (!session.self() || !session.has_room()) return;
  if (now_ - member.beaten > kBeat) {
    member.beaten = now_;
    session.say(bus::Heartbeat{});
  }
  if (now_ - member.acted >= options_.pace) {
    member.acted = now_;
    act(member);
  }
  session.flush();
}

void Intruder::act(Member& member) {
  switch (member.habit) {
    case Habit::bind:
      return bind_and_free(member);
    case Habit::watch:
      return watch_and_unwatch(member);
    case Habit::flood:
      return flood(member);
    case Habit::deaf:
      return;
    case Habit::acknowledge:
      return acknowledge(member);
    case Habit::half:
      return begin_a_record(member);
    case Habit::come_and_go:
      member.session->say(bus::Bye{});
      return;
    case Habit::ask:
      return ask(member);
  }
}

/// What is granted is confirmed, and freed at once; then comes the next name.
void Intruder::bind_and_free(Member& member) {
  RawSession& session = *member.session;
  const bus::Process self = *session.self();
  for (const bus::Attached& grant : session.take_grants()) {
    const bus::ChannelId channel = bus::channel_id(grant.name);
    session.say(bus::Active{self, channel, grant.epoch});
    if (member.step % (2 * options_.names) >= options_.names) {
      session.say(bus::Unbind{self, channel, grant.epoch});
    }
  }
  for (std::uint64_t i = 0; i < kBatch; ++i, ++member.step) {
    const std::uint64_t name = member.step % options_.names;
    session.say(bus::Bind{self, member.step + 1, session.node() + "/" + std::to_string(name)});
  }
}

void Intruder::watch_and_unwatch(Member& member) {
  for (std::uint64_t i = 0; i < kBatch; ++i) {
    const std::string prefix =
        ++member.step % 2 == 0 ? "" : "evil-" + std::to_string(member.step % 1000);
    member.session->say(bus::Watch{prefix});
    member.session->say(bus::Unwatch{prefix});
  }
  member.session->say(bus::Watch{options_.victim});
}

void Intruder::flood(Member& member) {
  bus::Run run;
  run.lane = bus::kDataLanes[member.step % std::size(bus::kDataLanes)];
  for (int i = 0; i < 3; ++i) {
    run.channel = deaf_channel(member.step);
    run.seq = ++member.step;
    append_run(run, body_, member.session->records());
  }
}

/// Answers what nobody asked: for its own channel, and for those of others.
void Intruder::acknowledge(Member& member) {
  const bus::Process self = *member.session->self();
  const bus::Process victim{self.host, bus::slot_id("honest-0"), 1};
  const bus::ChannelId theirs = bus::channel_id(options_.victim + "0");
  for (std::uint64_t i = 0; i < kBatch; ++i) {
    const std::uint64_t last = ++member.step;
    const bus::ChannelId& channel = i % 2 == 0 ? self.channel() : theirs;
    member.session->say(bus::Ack{Lane::call, victim, channel, {}, last});
    member.session->say(
        bus::Nack{Lane::call, self, channel, last, bus::NackReason::overflow, {}, last});
  }
}

/// The first pieces of a record whose end never comes.
void Intruder::begin_a_record(Member& member) {
  bus::Chunk chunk;
  chunk.lane = bus::kDataLanes[member.step % std::size(bus::kDataLanes)];
  if (member.step >= 3 * 60) return;  // of each lane almost a megabyte
  chunk.first = member.step < 3;
  chunk.total = static_cast<std::uint32_t>(bus::kMaxRecord);
  bus::Bytes piece = body_;
  piece[0] = static_cast<std::byte>(bus::Kind::data);
  chunk.bytes = piece;
  ++member.step;
  bus::encode_chunk(chunk, member.session->records());
}

/// Traces, probes, and reports that busd keeps for people.
void Intruder::ask(Member& member) {
  RawSession& session = *member.session;
  for (std::uint64_t i = 0; i < kBatch; ++i) {
    const std::uint64_t number = ++member.step;
    const bus::ChannelId victim = bus::channel_id(options_.victim + std::to_string(number % 8));
    bus::HopTrace trace;
    trace.host = bus::host_id(options_.host);
    trace.number = number;
    trace.channel = victim;
    session.say(trace);
    session.say(bus::Probe{Lane::bulk, *session.self(), victim, number});
    session.say(bus::UndeliveredReport{victim, options_.victim, bus::Errc::no_owner, 1});
  }
}

bus::ChannelId Intruder::deaf_channel(std::uint64_t number) const {
  const std::size_t deaf = members_.size() / kHabits;
  const std::size_t which = (deaf == 0 ? 0 : number % deaf) * kHabits;
  const bus::Process owner{bus::host_id(options_.host),
                           bus::slot_id(node_of(which + static_cast<std::size_t>(Habit::deaf))), 0};
  return owner.channel();
}

}  // namespace starbus::cluster_test
