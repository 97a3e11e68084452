#include "tests/sim/spaces/player_client.hpp"

#include <algorithm>
#include <utility>

#include "clients/cpp/calls.hpp"
#include "entity/rpc/encode_call.hpp"

namespace starbus::sim {
namespace {

constexpr Time kLook = from_ms(50);

game::Settings settings_of(Scene& scene, const std::vector<GateNode*>& gates) {
  game::Settings settings;
  for (const GateNode* gate : gates) settings.addresses.push_back(gate->address());
  settings.program = "sim";
  settings.seed = scene.world.random.next() | 1;
  return settings;
}

std::string words_of(const game::Outcome& outcome) {
  std::string words(name_of(outcome.fate));
  if (outcome.fate != game::Fate::replied) return words;
  const auto answer = game::read_answer(outcome.answer);
  if (!answer) return words + ", malformed";
  if (answer->kind == game::AnswerKind::value) return words;
  return words + ", error " + std::to_string(answer->domain) + "." +
         std::to_string(answer->number) + " " + answer->detail;
}

game::Locomotion move(const game::Locomotion& from, const PlayerClient::Step& step) {
  game::Locomotion to = from;
  to.position.x = std::clamp(from.position.x + step.x, 1.0F, 199.0F);
  to.position.y = std::clamp(from.position.y + step.y, 1.0F, 199.0F);
  return to;
}

}  // namespace

PlayerClient::PlayerClient(Scene& scene, std::string account, std::vector<GateNode*> gates)
    : scene_(scene),
      account_(std::move(account)),
      gates_(std::move(gates)),
      session_(settings_of(scene, gates_), *this),
      space_({}, *this, session_, move),
      sight_(scene.oracle, account_) {
  look();
}

PlayerClient::~PlayerClient() = default;

game::Time PlayerClient::now() const {
  return std::chrono::duration_cast<game::Time>(scene_.world.now());
}

// --- the driver of its session -------------------------------------------------------------------

void PlayerClient::look() {
  scene_.world.timeline.after(kLook, [this, weak = std::weak_ptr(alive_)] {
    if (weak.expired()) return;
    say_ready();
    space_.service(now());
    pump();
    look();
  });
}

void PlayerClient::pump() {
  if (std::exchange(pumping_, true)) return;
  session_.tick(now());
  if (!session_.connection() && wire_) {
    note([] { return "hangs up"; });
    wire_->gate->cut(wire_);
    wire_.reset();
  }
  if (const auto address = session_.connect(now())) dial(*address);
  while (wire_) {
    auto frame = session_.next_frame();
    if (!frame) break;
    wire_->gate->send(wire_, std::move(*frame));
  }
  pumping_ = false;
}

void PlayerClient::dial(const std::string& address) {
  const std::uint64_t dial = ++dials_;
  note([&] { return "dials " + address; });
  scene_.world.timeline.after(
      scene_.world.random.millis(1, 60), [this, dial, address, weak = std::weak_ptr(alive_)] {
        if (weak.expired() || dial != dials_ || !session_.connection()) return;
        const auto gate = std::ranges::find(gates_, address, &GateNode::address);
        if (gate != gates_.end()) wire_ = (*gate)->connect(*this);
        wire_ ? session_.connected(now()) : session_.disconnected(now());
        pump();
      });
}

void PlayerClient::received(bus::ByteView frame) {
  scene_.fingerprint.mix(static_cast<std::uint64_t>(now().count()));
  session_.received(frame, now());
  pump();
}

void PlayerClient::cut_off() {
  if (!wire_) return;
  note([] { return "is cut off"; });
  wire_->open = false;
  wire_.reset();
  session_.disconnected(now());
  pump();
}

void PlayerClient::cut() {
  if (!wire_) return;
  ++scene_.oracle.counts["connections cut"];
  wire_->gate->cut(wire_);
  wire_.reset();
  scene_.world.timeline.after(scene_.world.random.millis(0, 1'000),
                              [this, dial = ++dials_, weak = std::weak_ptr(alive_)] {
                                if (weak.expired() || dial != dials_) return;
                                session_.disconnected(now());
                                pump();
                              });
}

// --- what it does --------------------------------------------------------------------------------

template <auto M, class... A>
bool PlayerClient::ask(game::Told told, const A&... arguments) {
  bus::Bytes body;
  demand((rpc::encode_call<M>(body, rpc::Behalf::own_client, 0, arguments...)),
         "a request does not encode");
  const bool asked = session_.ask(body, std::move(told)) == game::Asked::ok;
  pump();
  return asked;
}

void PlayerClient::play() {
  if (session_.state() == game::State::ended) {
    static_cast<void>(session_.login({"sim", account_, {}}, now()));
  }
  pump();
}

void PlayerClient::choose_again() {
  scene_.world.timeline.after(from_ms(300), [this, weak = std::weak_ptr(alive_)] {
    if (!weak.expired()) choose();
  });
}

/// The one character is made if it is not there. Asked until the lobby is left.
void PlayerClient::choose() {
  if (subject_ != "account/" + account_) return;
  const auto chosen = [this](const game::Outcome& outcome) {
    note([&] { return "chooses its hero: " + words_of(outcome); });
    choose_again();
    if (outcome.fate != game::Fate::replied) return;
    const auto answer = game::read_answer(outcome.answer);
    if ((answer && answer->kind == game::AnswerKind::value) || std::exchange(made_, true)) return;
    const auto made = [this](const game::Outcome& created) {
      note([&] { return "makes its hero: " + words_of(created); });
    };
    static_cast<void>(ask<&players::Account::create>(made, std::string("hero")));
  };
  if (!ask<&players::Account::choose>(chosen, hero())) choose_again();
}

void PlayerClient::walk(const Step& step) {
  if (!plays()) return;
  static_cast<void>(space_.move(step, now()));
  pump();
}

void PlayerClient::buy() {
  if (!plays()) return;
  const SpacesOracle::Job job = scene_.oracle.begin_job(0, "purchase");
  const auto told = [this, job](const game::Outcome& outcome) {
    if (outcome.fate == game::Fate::replied) scene_.oracle.told(job, true);
    if (outcome.fate == game::Fate::not_begun) scene_.oracle.told(job, false);
  };
  if (!ask<&Hero::buy>(told, job)) scene_.oracle.told(job, false);
}

void PlayerClient::log_out() {
  if (!plays()) return;
  ++scene_.oracle.counts["logouts"];
  static_cast<void>(ask<&players::Player::log_out>([](const game::Outcome&) {}));
}

void PlayerClient::bye() {
  if (session_.state() != game::State::online) return;
  ++scene_.oracle.counts["byes"];
  session_.bye(now());
  pump();
}

// --- what it is told -----------------------------------------------------------------------------

void PlayerClient::on_online(bool goes_on, const game::Ticket&) {
  note([&] { return goes_on ? "goes on" : "is in"; });
  ++scene_.oracle.counts[goes_on ? "sessions resumed" : "sessions begun"];
}

void PlayerClient::on_full(const game::FullState& full) {
  const game::Bind bind = full.bind;
  note([&] { return "plays " + full.subject + ", bind " + std::to_string(bind.counter); });
  if (bind == bind_) ++fulls_again_;
  demand(!(bind < bind_), "a full state of an earlier bind");
  bind_ = bind;
  subject_ = full.subject;
  space_.restart(false);
  state_.reset();
  told_.reset();
  ready_.reset();
  if (subject_ == "account/" + account_) {
    ++scene_.oracle.counts["lobbies"];
    made_ = false;
    sight_.forget();
    return choose_again();
  }
  demand(subject_ == "player/" + hero(), "it plays " + subject_);
  ++scene_.oracle.counts["full states"];
  state_.emplace();
  state_->become_replica(entity::Audience::own_client);
  demand(state_->apply_snapshot(full.properties).has_value(), "a full state does not apply");
  sight_.restart(state_->life.get());
}

void PlayerClient::on_news(game::ByteView news) {
  if (!state_) return;
  const std::int64_t gold = state_->gold.get();
  demand(state_->apply_delta(news).has_value(), "news do not apply");
  demand(state_->gold.get() >= gold, "gold goes back");
}

/// What its hero tells has numbers: none is missing, and none comes twice.
void PlayerClient::on_call(const game::Call& call) {
  if (call.method == rpc::method_id("sim_hero_client", "tell")) {
    entity::Decoder in(call.arguments);
    const auto number = in.number<std::uint64_t>();
    demand(!told_ || number == *told_ + 1, "its hero tells " + std::to_string(number) + " after " +
                                               std::to_string(told_.value_or(0)));
    told_ = number;
    ++scene_.oracle.counts["told"];
    return;
  }
  demand(space_.hear(call, now()) == game::Heard::called, "it is called by another name");
}

void PlayerClient::on_sight(game::ByteView body) {
  sight_.take(body);
  const game::Taken taken = space_.take(body, now());
  demand(taken == game::Taken::ok, "sight is not taken: " + std::string(name_of(taken)));
}

void PlayerClient::on_scene(const game::Scene* scene) {
  if (scene == nullptr) return;
  note([&] { return "sees scene " + std::to_string(scene->number) + ", " + scene->space; });
  ++scene_.oracle.counts["scenes"];
}

/// Until it is answered.
void PlayerClient::say_ready() {
  const game::Scene* const scene = space_.scene();
  if (scene == nullptr || ready_ == scene->number) return;
  const auto told = [this, number = scene->number](const game::Answered<bool>& answered) {
    if (!answered && ready_ == number) ready_.reset();
  };
  if (space_.ready(*scene, told) != game::Asked::ok) return;
  ready_ = scene->number;
  sight_.ready();
}

void PlayerClient::on_over(const game::Over&) {
  subject_.clear();
}

void PlayerClient::on_ended(game::EndReason why, std::string_view text) {
  ++scene_.oracle.counts["sessions ended: " + std::string(name_of(why))];
  note([&] { return "has no session: " + std::string(name_of(why)) + " " + std::string(text); });
  subject_.clear();
  state_.reset();
  sight_.forget();
  const Time pause = scene_.world.random.millis(100, rests_ ? 200 : 8'000);
  scene_.world.timeline.after(pause, [this, weak = std::weak_ptr(alive_)] {
    if (!weak.expired()) play();
  });
}

std::string PlayerClient::describe() const {
  return account_ + " (" + std::string(name_of(session_.state())) + ", plays \"" + subject_ +
         "\", " + std::to_string(session_.requests_open()) + " requests)";
}

}  // namespace starbus::sim
