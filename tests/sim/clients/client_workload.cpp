#include "tests/sim/clients/client_workload.hpp"

#include "bus/client/parts/bus_parts.hpp"
#include "tests/sim/clients/forgery.hpp"

namespace starbus::sim {
namespace {

using std::chrono::milliseconds;
using Answer = ClientUser::Answer;

constexpr double kForgeries = 0.05;             // per step
constexpr milliseconds kPatience{10 * 60'000};  // longer than any fault: only a reply ends it

}  // namespace

ClientWorkload::ClientWorkload(World& world)
    : world_(world),
      rate_(world.random.chance(0.5) ? 0.02 : 0.06),
      largest_reply_(world.random.chance(0.3) ? 200'000 : 2'000) {}

void ClientWorkload::step() {
  for (auto& client : world_.clients()) {
    if (!client->up() || client->paused()) continue;
    client->run([&] { act(*client); });
  }
  ClientNode& forger = *world_.clients().back();
  if (forger.up() && !forger.paused() && world_.random.chance(kForgeries)) {
    forger.run([&] { forge(forger); });
  }
}

std::string ClientWorkload::draw_receiver() {
  if (world_.random.chance(0.4)) return std::string(kClientService);
  return "entity/" + world_.random.pick(world_.clients())->name();
}

ClientUser::Asking ClientWorkload::draw_asking() {
  Random& random = world_.random;
  ClientUser::Asking asking;
  asking.to = draw_receiver();
  asking.lane = random.pick(std::vector(std::begin(bus::kDataLanes), std::end(bus::kDataLanes)));
  if (asking.to == kClientService && random.chance(0.5)) asking.key = random.between(1, 4);
  asking.body_bytes = static_cast<std::uint32_t>(random.below(random.chance(0.9) ? 64 : 2'000));
  asking.reply_bytes = static_cast<std::uint32_t>(random.below(random.chance(0.9) ? 64 : 2'000));
  const std::uint64_t kind = random.below(100);
  asking.answer = kind < 55   ? Answer::at_once
                  : kind < 83 ? Answer::later
                  : kind < 91 ? Answer::fails
                  : kind < 96 ? Answer::drops
                              : Answer::never;
  asking.delay_ms = static_cast<std::uint32_t>(random.between(1, random.chance(0.8) ? 300 : 3'000));
  const bool patient = random.chance(0.4) && asking.answer != Answer::never;
  asking.limit =
      patient ? kPatience : milliseconds(random.between(10, random.chance(0.5) ? 500 : 8'000));
  return asking;
}

void ClientWorkload::act(ClientNode& client) {
  Random& random = world_.random;
  ClientUser& user = client.user();
  if (random.chance(rate_)) user.call(draw_asking());
  if (random.chance(rate_ / 20)) burst(client);
  if (random.chance(rate_)) {
    ClientUser::Asking asking = draw_asking();
    if (random.chance(0.7)) asking.limit = {};
    user.send(asking, random.chance(0.7));
  }
  if (random.chance(rate_ / 2)) {
    ClientUser::Asking asking = draw_asking();
    asking.to = kClientGroup;
    asking.key = 0;
    if (random.chance(0.7)) asking.limit = {};
    const bus::WhenFull policies[] = {bus::WhenFull::skip, bus::WhenFull::wait,
                                      bus::WhenFull::drop};
    user.announce(asking, policies[random.below(std::size(policies))]);
  }
  if (random.chance(0.01)) {
    bus::SendOptions options;
    options.lane = bus::Lane::call;
    user.await_room(random.chance(0.3) ? std::string(kClientGroup) : draw_receiver(), options);
  }
  if (random.chance(0.003)) user.come_and_go();
}

/// More than a window, to one receiver, whose replies are more than a window, too.
void ClientWorkload::burst(ClientNode& client) {
  Random& random = world_.random;
  ClientUser::Asking asking = draw_asking();
  asking.answer = Answer::at_once;
  asking.limit = random.chance(0.7) ? kPatience : milliseconds(random.between(100, 8'000));
  asking.reply_bytes = static_cast<std::uint32_t>(random.below(largest_reply_));
  for (std::uint64_t left = random.between(5, 40); left > 0; --left) client.user().call(asking);
}

/// Answers a call that it does not know, under numbers that it guesses or has heard: in the name
/// of nobody, since the bus stamps who speaks.
void ClientWorkload::forge(ClientNode& forger) {
  Random& random = world_.random;
  const std::size_t issued = world_.client_oracle.issued();
  ClientNode& victim = *random.pick(world_.clients());
  if (!victim.up() || issued == 0 || !forger.parts().process.reply_lineage()) return;
  bus::Process caller = victim.bus().self();
  bus::Lane lane = bus::Lane::call;
  ClientOracle::Id call = issued - random.below(std::min<std::size_t>(issued, 20));
  // How many calls a process has made is easily known, and its latest ones have not ended.
  const std::uint64_t started = victim.parts().calls.started();
  std::uint64_t number = started - random.below(std::min<std::uint64_t>(started, 5) + 1);
  const auto& heard = forger.user().heard();
  if (!heard.empty() && random.chance(0.3)) {
    const ClientUser::Heard& one = heard[random.below(heard.size())];
    caller = one.caller;
    lane = one.lane;
    call = one.id;
    number = random.chance(0.5) ? one.number + 1 : one.number ^ 1;
  }
  ++world_.counts[Event::lies];
  forge_reply(forger, caller, lane, number, call);
}

}  // namespace starbus::sim
