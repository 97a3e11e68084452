#include "nodes/hosting/client_links.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

#include "base/unit_guard.hpp"
#include "bus/client/bus.hpp"
#include "entity/client/link.hpp"
#include "entity/objects/names/client_names.hpp"
#include "entity/properties/root.hpp"
#include "entity/properties/scratch.hpp"
#include "entity/rpc/rpc.hpp"
#include "nodes/hosting/limits.hpp"

namespace starbus::nodes::entities {

using entity::Audience;
using entity::Entity;
using entity::OnlineId;
namespace sessions = entity::sessions;
namespace rpc = entity::rpc;
using sessions::ClientLink;
using sessions::Effects;

namespace {

/// All parts of a session, and the words after them.
bus::SendOptions down_lane() {
  bus::SendOptions options;
  options.lane = bus::Lane::sync;
  return options;
}

/// Replies of one turn of the loop that go at once: within a batch of messages, so they leave with
/// the answers to the gate, and it wakes once for both. Those of a longer batch share a bundle.
constexpr int kRepliesAtOnce = 8;

template <class Word>
std::string text_of(const Word& word) {
  bus::Bytes bytes;
  sessions::encode(word, bytes);
  return std::string(bus::as_text(bytes));
}

std::shared_ptr<const bus::Bytes> body_of(bus::ByteView bytes) {
  return std::make_shared<const bus::Bytes>(bytes.begin(), bytes.end());
}

/// What game code has thrown may speak of files, hosts and other players: the log has it, and the
/// client the error alone.
bus::Bytes without_thrown_text(bus::ByteView answer) {
  entity::Decoder in(answer);
  rpc::ReplyKind kind{};
  rpc::Error error;
  const bool failed = rpc::get_reply_head(in, kind, error) && kind == rpc::ReplyKind::error &&
                      error == rpc::Errc::failed;
  bus::Bytes told;
  if (failed) {
    entity::Encoder out(told);
    rpc::put_error(out, rpc::Error(rpc::Errc::failed));
  } else {
    told.assign(answer.begin(), answer.end());
  }
  return told;
}

}  // namespace

sessions::LinkTime ClientLinks::now() const {
  return std::chrono::duration_cast<sessions::LinkTime>(context_.timers.present());
}

std::uint64_t ClientLinks::epoch_of(std::string_view channel) const {
  return context_.endpoint.bus().epoch(channel).value;
}

bus::Process ClientLinks::self() const {
  return context_.endpoint.bus().self();
}

Entity* ClientLinks::find(std::uint64_t id) const {
  return context_.entities == nullptr ? nullptr : context_.entities->find_here(OnlineId{id});
}

/// Hooks last: they may say more, or end the entity.
void ClientLinks::carry_out(Entity& entity, Effects& effects) {
  context_.thread.check();
  const std::uint64_t id = id_of(entity);
  keep(entity);
  for (const Effects::ForGate& each : effects.gates) {
    bus::Bytes bytes;
    sessions::encode(each.word, bytes);
    // Its account tells the gate, too; a pulse finds what neither could say.
    static_cast<void>(context_.endpoint.bus().send(each.to.channel, bytes, down_lane()));
  }
  for (const Effects::ForAccount& each : effects.accounts) {
    if (words_.size() == kAccountWords) {
      ++counters_.words_dropped;
      words_.pop_front();
    }
    words_.push_back({each.channel, text_of(each.word)});
  }
  if (!effects.accounts.empty()) tell_accounts();
  lines_.want(*entity.client_link());
  flush_soon();
  if (effects.linked) {
    if (entity::Root* const root = entity.properties()) root->watch(Audience::own_client);
    guarded(UnitKind::hook, "Entity::on_client", [&] { entity.on_client(); });
  }
  if (effects.news && find(id) != nullptr) sync_.goes_on(entity);
  if (effects.gone == sessions::Reason::too_slow) ++counters_.too_slow;
  if (effects.gone && find(id) != nullptr) {
    guarded(UnitKind::hook, "Entity::on_client_gone",
            [&] { entity.on_client_gone(*effects.gone); });
  }
  if (effects.begin && find(id) != nullptr) begin(entity, *effects.begin);
}

void ClientLinks::keep(Entity& entity) {
  const std::uint64_t id = id_of(entity);
  if (!links_.contains(id)) {
    const auto link = entity.shared_client_link();
    entities_.emplace(link.get(), id);
    links_.emplace(id, Row{link, 0});
  }
  if (std::exchange(passing_, true)) return;
  const auto set = context_.timers.every(timer_, kClientPass, kClientPass, entity::CatchUp::once,
                                         [this] { pass(); });
  if (!set) passing_ = false;  // the wheel is full: with the next word
}

// --- requests ------------------------------------------------------------------------------------

void ClientLinks::begin(Entity& entity, const Effects::Begin& request) {
  ++counters_.requests;
  if (const auto names = entity::answer_names(request.body)) {
    return answered(id_of(entity), request.login, request.u, *names);
  }
  const sessions::LinkState& state = entity.client_link()->state();
  const auto taker = [this, weak = std::weak_ptr(context_.alive), id = id_of(entity),
                      login = request.login, u = request.u](bus::ByteView answer) {
    if (!weak.expired()) answered(id, login, u, answer);
  };
  context_.endpoint.core().dispatcher.request(entity, request.body, state.gate.process,
                                              sessions::client_number(state.session, state.bind),
                                              taker);
}

void ClientLinks::answered(std::uint64_t id, std::uint64_t login, std::uint64_t u,
                           bus::ByteView answer) {
  const auto row = links_.find(id);
  if (row == links_.end()) return;
  Effects effects;
  row->second.link->reply(login, u, without_thrown_text(answer), effects);
  if (Entity* const entity = find(id)) carry_out(*entity, effects);
  if (!scheduled_ || at_once_ == kRepliesAtOnce) return;
  ++at_once_;
  lines_.flush(*this);
}

// --- properties ----------------------------------------------------------------------------------

bool ClientLinks::tell(Entity& entity, entity::Root& properties) {
  ClientLink* const link = entity.client_link();
  if (link == nullptr || !link->linked()) return false;
  if (!link->wants_news()) {
    link->note_news(true);  // they are told at their newest
    return true;
  }
  entity::Scratch news;
  const auto taken = properties.take_news(Audience::own_client, news.bytes());
  if (!taken) {
    spdlog::error("entities: {} has changes for its client that cannot be said: {}", entity.label(),
                  taken.error().to_string());
    link->note_news(false);
    return true;
  }
  if (news.bytes().empty()) {
    link->note_news(false);
    return true;
  }
  ++counters_.news;
  Effects effects;
  link->news(body_of(bus::ByteView(news.bytes())), effects);
  carry_out(entity, effects);
  return true;
}

bus::Bytes ClientLinks::properties(ClientLink& link) {
  const auto known = entities_.find(&link);
  Entity* const entity = known == entities_.end() ? nullptr : find(known->second);
  entity::Root* const root = entity == nullptr ? nullptr : entity->properties();
  if (root == nullptr) return {};
  bus::Bytes bytes;
  const auto encoded = root->encode_snapshot(view_of(Audience::own_client), bytes);
  if (encoded && bytes.size() <= sessions::kPartBytes) {
    root->drop_news(Audience::own_client);
    return bytes;
  }
  ++counters_.too_large;
  spdlog::error("entities: {} has a state that is too large for its client: {} bytes",
                entity->label(), bytes.size());
  return {};
}

void ClientLinks::news_due(ClientLink& link) {
  const auto known = entities_.find(&link);
  Entity* const entity = known == entities_.end() ? nullptr : find(known->second);
  if (entity != nullptr) sync_.goes_on(*entity);
}

sessions::DropCounters ClientLinks::droppables() const {
  sessions::DropCounters all = droppables_;
  for (const auto& [id, row] : links_) all += row.link->droppables().counters();
  return all;
}

// --- the life of entities ------------------------------------------------------------------------

/// Requests that had no reply when it was packed have nobody left who would answer them.
void ClientLinks::arrived(Entity& entity, bus::Epoch epoch) {
  ClientLink* const link = entity.client_link();
  if (link == nullptr) return;
  Effects effects;
  link->arrived(entity.client_home_before());
  link->owned(epoch.value, effects);
  std::vector<std::uint64_t> open = link->state().open;
  for (const sessions::Part& part : link->state().unsent) {
    if (part.kind != sessions::PartKind::reply) continue;
    if (const auto reply = sessions::decode_reply(*part.body)) std::erase(open, reply->u);
  }
  bus::Bytes lost;
  entity::Encoder out(lost);
  rpc::put_error(out, rpc::Error(rpc::Errc::destroyed));
  for (const std::uint64_t u : open) link->reply(link->state().login, u, lost, effects);
  carry_out(entity, effects);
}

void ClientLinks::goes_on(Entity& entity, bus::Epoch epoch, bool rolled_back) {
  ClientLink* const link = entity.client_link();
  if (link == nullptr) return;
  Effects effects;
  if (rolled_back) {
    link->rolled_back(now(), effects);
  } else {
    link->thaw(effects);
  }
  link->owned(epoch.value, effects);
  carry_out(entity, effects);
}

void ClientLinks::ending(Entity& entity, entity::EndReason reason) {
  ClientLink* const link = entity.client_link();
  const bool elsewhere = reason == entity::EndReason::moved || reason == entity::EndReason::fenced;
  if (link == nullptr || elsewhere || link->frozen() || !link->linked()) return;
  Effects effects;
  link->let_go(sessions::Reason::ended, effects);
  effects.gone.reset();  // its hooks of the end run anyway
  carry_out(entity, effects);
  flush();
}

void ClientLinks::forget(std::uint64_t id) {
  const auto row = links_.find(id);
  if (row == links_.end()) return;
  lines_.forget(*row->second.link);
  droppables_ += row->second.link->droppables().counters();
  entities_.erase(row->second.link.get());
  links_.erase(row);
}

// --- time ----------------------------------------------------------------------------------------

void ClientLinks::pass() {
  std::vector<std::uint64_t> ids;
  ids.reserve(links_.size());
  for (const auto& [id, row] : links_) ids.push_back(id);
  const rpc::Gates& gates = context_.endpoint.gates();
  for (const std::uint64_t id : ids) {
    const auto row = links_.find(id);
    if (row == links_.end()) continue;
    Entity* const entity = find(id);
    if (entity == nullptr) {  // it arrived, and was given up before it lived
      if (context_.entities->find_prepared(OnlineId{id}) == nullptr) forget(id);
      continue;
    }
    ClientLink& link = *row->second.link;
    const bus::Process gate = link.state().gate.process;
    const bool there = !link.state().session || !gates.known() || gates.is_present(gate);
    row->second.unseen = there ? 0 : row->second.unseen + 1;
    if (row->second.unseen * kClientPass >= kGateUnseen) link.gate_died(gate, now());
    Effects effects;
    link.tick(now(), effects);
    carry_out(*entity, effects);
  }
  tell_accounts();
}

/// In their order; what the bus does not take waits for the next pass.
void ClientLinks::tell_accounts() {
  while (!words_.empty()) {
    const AccountWord& word = words_.front();
    const auto sent =
        rpc::send<&Entity::player_word>(context_.endpoint, word.channel, {}, word.word);
    if (!sent && sent.error() == bus::Errc::would_block) return;
    words_.pop_front();
  }
}

/// Once in a turn of the loop, so that parts of many sessions share a bundle.
void ClientLinks::flush_soon() {
  if (!lines_.waits() || std::exchange(scheduled_, true)) return;
  boost::asio::post(context_.endpoint.loop(), [this, weak = std::weak_ptr(context_.alive)] {
    if (!weak.expired()) flush();
  });
}

void ClientLinks::flush() {
  scheduled_ = false;
  at_once_ = 0;
  lines_.flush(*this);
}

bool ClientLinks::carry(const sessions::GateId& to, const bus::Bytes& bundle,
                        std::uint64_t ticket) {
  bus::Bus& bus = context_.endpoint.bus();
  const std::weak_ptr<bool> weak = context_.alive;
  const auto sent = bus.send(to.channel, bus::ByteView(bundle), down_lane());
  if (!sent && sent.error() == bus::Errc::would_block) {
    bus.room(to.channel, bus::Lane::sync, [this, weak, gate = to.process](const bus::Result<>&) {
      if (weak.expired()) return;
      lines_.room(gate);
      flush();
    });
    return false;
  }
  if (ticket == 0) return true;
  // An empty bundle after it is handled when it was: that makes room for further full states.
  bus::Bytes empty;
  sessions::encode_bundle({}, empty);
  bus.send_acknowledged(to.channel, std::move(empty), down_lane(),
                        [this, weak, ticket](const bus::Result<>&) {
                          if (weak.expired()) return;
                          lines_.handled(ticket);
                          flush();
                        });
  return true;
}

}  // namespace starbus::nodes::entities
