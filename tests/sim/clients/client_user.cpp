#include "tests/sim/clients/client_user.hpp"

#include <algorithm>

#include "tests/sim/clients/client_node.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {
namespace {

using std::chrono::milliseconds;
using What = ClientOracle::Kind;

constexpr std::size_t kHeard = 32;

/// What a client says to another one.
struct ClientBody {
  What kind = What::message;
  ClientOracle::Id id = 0;
  ClientUser::Answer answer = ClientUser::Answer::at_once;
  std::uint32_t delay_ms = 0;
  std::uint32_t reply_bytes = 0;
};

bus::Bytes encode_client_body(const ClientBody& body, std::size_t padding) {
  bus::Bytes bytes;
  bus::Writer writer(bytes);
  writer.put(static_cast<std::uint8_t>(body.kind));
  writer.put(body.id);
  writer.put(static_cast<std::uint8_t>(body.answer));
  writer.put(body.delay_ms);
  writer.put(body.reply_bytes);
  bytes.resize(bytes.size() + padding);
  return bytes;
}

ClientBody decode_client_body(bus::ByteView bytes) {
  bus::Reader reader(bytes);
  ClientBody body;
  body.kind = static_cast<What>(reader.get<std::uint8_t>());
  body.id = reader.get<std::uint64_t>();
  body.answer = static_cast<ClientUser::Answer>(reader.get<std::uint8_t>());
  body.delay_ms = reader.get<std::uint32_t>();
  body.reply_bytes = reader.get<std::uint32_t>();
  return body;
}

}  // namespace

ClientUser::ClientUser(World& world, ClientNode& node)
    : world_(world), node_(node), life_(world.new_life()) {
  for (const std::string& name :
       {"entity/" + node.name(), std::string(kClientService), std::string(kClientGroup)}) {
    names_.push_back({name});
  }
}

void ClientUser::begin() {
  bus::BusCore& bus = node_.bus();
  bus.on_lease_lost([this] { lease_lost(); });
  bus.on_ended([this](const bus::Error& reason) {
    // The name of an earlier life is not free yet: another program would be started, too.
    world_.note(node_.name(), "was refused: " + reason.to_string());
    node_.after(Time{}, [&world = world_, &node = node_] {
      node.crash();
      world.timeline.after(from_ms(200), [&node] { node.start(); });
    });
  });
  bus.on_undelivered([this](const bus::Undelivered& what) {
    world_.note(node_.name(), [&] { return "to " + what.name + ": " + what.reason.to_string(); });
  });
  bus.connect([](const bus::Result<>&) {});
  for (std::size_t i = 0; i < names_.size(); ++i) bind_later(i);
}

void ClientUser::lease_lost() {
  if (!alive_) return;
  ++world_.counts[Event::leases_lost];
  world_.note(node_.name(), "lost its lease");
  life_ = world_.new_life();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    names_[i].bound.clear();
    names_[i].stay = {};
    if (!names_[i].busy) bind_later(i);
  }
}

// --- names ---------------------------------------------------------------------------------------

void ClientUser::bind_later(std::size_t index) {
  names_[index].busy = true;
  node_.later(world_.random.micros(100, 100'000), [this, index] { bind(index); });
}

void ClientUser::bind(std::size_t index) {
  bus::Handlers handlers;
  handlers.on_message = [this](bus::Message& message) {
    ++world_.counts[Event::handled];
    const ClientBody body = decode_client_body(message.body());
    handled(body.id, message);
  };
  handlers.on_call = [this](bus::Call& call) { on_call(call); };
  ++world_.counts[Event::binds];
  node_.bus().bind(names_[index].asked, std::move(handlers),
                   [this, index](const bus::Result<bus::Bound>& result) {
                     if (!alive_) return;
                     if (!result) {
                       ++world_.counts[Event::binds_refused];
                       return bind_later(index);
                     }
                     OwnedName& name = names_[index];
                     name.busy = false;
                     name.bound = result->name;
                     name.stay = {world_.new_stay(), world_.now()};
                   });
}

void ClientUser::come_and_go() {
  const std::size_t index = world_.random.below(names_.size());
  OwnedName& name = names_[index];
  if (name.busy || name.bound.empty()) return;
  ++world_.counts[Event::unbinds];
  name.busy = true;
  name.stay = {};
  node_.bus().unbind(std::exchange(name.bound, {}), [this, index](const bus::Result<>&) {
    if (alive_) bind_later(index);
  });
}

bool ClientUser::settled() const {
  return rooms_ == 0 && std::ranges::none_of(names_, [](const OwnedName& name) {
           return name.busy || name.bound.empty();
         });
}

ClientUser::Stay ClientUser::stay_of(std::string_view name) const {
  const auto found = std::ranges::find(names_, name, &OwnedName::bound);
  return found == names_.end() ? Stay{} : found->stay;
}

// --- answering -----------------------------------------------------------------------------------

void ClientUser::handled(ClientOracle::Id id, const bus::Message& message) {
  const Stay stay = stay_of(message.channel());  // none: the end of bind has not been told yet
  world_.client_oracle.handled(id, life_, std::string(message.channel()),
                               stay.number != 0 ? stay.since : world_.now());
}

void ClientUser::on_call(bus::Call& call) {
  ++world_.counts[Event::handled];
  const ClientBody body = decode_client_body(call.body());
  handled(body.id, call);
  const bus::Process caller = call.origin();
  world_.note(node_.name(), [&] { return "gets call " + std::to_string(body.id); });
  bus::Responder responder = call.responder();
  heard_.push_back({caller, call.lane(), responder.number(), body.id});
  if (heard_.size() > kHeard) heard_.pop_front();
  switch (body.answer) {
    case Answer::at_once:
      return answer(responder, body.id, body.reply_bytes);
    case Answer::fails:
      world_.client_oracle.fails(body.id);
      (void)responder.fail({bus::Errc::no_owner, "says its handler"});
      return;
    case Answer::drops:
      world_.client_oracle.fails(body.id);
      return;
    case Answer::never:
      unanswered_.emplace(next_unanswered_++, std::move(responder));
      return;
    case Answer::later:
      break;
  }
  const std::uint64_t number = next_unanswered_++;
  unanswered_.emplace(number, std::move(responder));
  node_.later(milliseconds(body.delay_ms), [this, number, body] {
    const auto found = unanswered_.extract(number);
    answer(found.mapped(), body.id, body.reply_bytes);
  });
}

void ClientUser::answer(bus::Responder& responder, ClientOracle::Id id, std::uint32_t bytes) {
  ++world_.counts[Event::replies];
  world_.note(node_.name(), [&] { return "answers call " + std::to_string(id); });
  (void)responder.reply(encode_reply(id, world_.client_oracle.answers(id), bytes));
}

// --- asking --------------------------------------------------------------------------------------

ClientOracle::Question ClientUser::question(What kind, const Asking& asking) const {
  ClientOracle::Question question;
  question.kind = kind;
  question.asker = life_;
  question.to = asking.to;
  question.key = asking.key;
  question.lane = asking.lane;
  question.begun = world_.now();
  if (asking.limit.count() != 0) question.deadline = world_.now() + asking.limit;
  question.stay = world_.settled_client_stay(asking.to);
  question.calm = asking.calm;
  return question;
}

void ClientUser::call(const Asking& asking) {
  ++world_.counts[Event::calls];
  const auto id = world_.client_oracle.begin(question(What::call, asking));
  world_.note(node_.name(), [&] { return "calls " + asking.to + ": " + std::to_string(id); });
  bus::CallOptions options;
  options.deadline = asking.limit;
  options.lane = asking.lane;
  options.hash_key = asking.key;
  const bus::Bytes body = encode_client_body(
      {What::call, id, asking.answer, asking.delay_ms, asking.reply_bytes}, asking.body_bytes);
  node_.bus().call(
      asking.to, body, options, [this, id, to = asking.to](const bus::Result<bus::Bytes>& result) {
        if (!alive_) return;
        world_.count_end(result ? Code() : result.error().code);
        world_.note(node_.name(), [&] {
          return "call " + std::to_string(id) +
                 " ended: " + (result ? "a reply" : result.error().to_string());
        });
        world_.client_oracle.call_ended(id, result, world_.now(), world_.settled_client_stay(to));
      });
}

void ClientUser::send(const Asking& asking, bool awaited) {
  ++world_.counts[Event::messages];
  ClientOracle::Question asked = question(What::message, asking);
  asked.awaited = awaited;
  const auto id = world_.client_oracle.begin(std::move(asked));
  bus::SendOptions options;
  options.lane = asking.lane;
  options.ttl = asking.limit;
  options.hash_key = asking.key;
  const bus::Bytes body = encode_client_body({What::message, id}, asking.body_bytes);
  if (!awaited) {
    (void)node_.bus().send(asking.to, body, options);
    return;
  }
  node_.bus().send_acknowledged(asking.to, body, options,
                                [this, id, to = asking.to](const bus::Result<>& result) {
                                  if (!alive_) return;
                                  world_.count_end(result ? Code() : result.error().code);
                                  world_.client_oracle.message_ended(
                                      id, result, world_.now(), world_.settled_client_stay(to));
                                });
}

void ClientUser::announce(const Asking& asking, bus::WhenFull when_full) {
  ++world_.counts[Event::multicasts];
  const auto id = world_.client_oracle.begin(question(What::announcement, asking));
  bus::SendOptions options;
  options.lane = asking.lane;
  options.ttl = asking.limit;
  options.when_full = when_full;
  const bus::Bytes body = encode_client_body({What::announcement, id}, asking.body_bytes);
  node_.bus().announce_acknowledged(asking.to, body, options,
                                    [this, id](const bus::Result<bus::GroupOutcome>& result) {
                                      if (!alive_) return;
                                      world_.count_end(result ? Code() : result.error().code);
                                      world_.client_oracle.announcement_ended(id, result);
                                    });
}

void ClientUser::await_room(const std::string& to, bus::SendOptions options) {
  ++rooms_;
  node_.bus().room(to, options, [this](const bus::Result<>&) {
    if (alive_) --rooms_;
  });
}

}  // namespace starbus::sim
