#include "tools/bots/player.hpp"

#include <algorithm>
#include <utility>

#include "tools/bots/answers.hpp"

namespace starbus::bots {
namespace {

constexpr std::string_view kAccountPrefix = "account/";
// Methods of every account (nodes/players/account.hpp), and their types.
constexpr std::uint32_t kChoose = game::hash_of("starbus_account.choose");
constexpr std::uint32_t kCreate = game::hash_of("starbus_account.create");
constexpr std::uint32_t kChooseTypes = game::hash_of("(str)->!{{u16,u16},{n,bytes}}");
constexpr std::uint32_t kCreateTypes = game::hash_of("(str)->str!{{u16,u16},{n,bytes}}");
// Their error no_character (docs/reference/errors.md).
constexpr std::uint16_t kPlayerErrors = 25;
constexpr std::uint16_t kNoCharacter = 6;
/// Until an account that is busy is asked again.
constexpr Nanos kChooseAgain = kSecond / 2;

game::Options options_of(const Ground& ground, std::uint64_t bot, std::uint64_t seed) {
  game::Options options = ground.options;
  options.settings.seed = seed;
  options.settings.names = state_names();
  options.settings.first = static_cast<std::size_t>(bot % ground.script.gates.urls.size());
  if (ground.script.gates.from) options.from = ground.script.gates.from->at(bot);
  return options;
}

}  // namespace

Player::Player(Ground& ground, std::uint64_t bot, const std::string& account, Memory& memory)
    : ground_(ground),
      bot_(bot),
      account_(account),
      memory_(memory),
      client_(options_of(ground, bot, ground.random() | 1), *this),
      listener_(ground, bot, account, memory),
      own_(ground, bot, account, memory),
      walker_(ground, bot, account, client_, memory),
      asker_(ground, bot, account, client_, memory, walker_) {}

void Player::note(std::string_view what, std::string_view detail) {
  ground_.log.add({bot_, what, memory_.gate, memory_.space, detail});
}

void Player::look(std::vector<Sighting>& all) const {
  walker_.look(all);
  const OwnState* const own = own_.state();
  if (own == nullptr) return;
  const auto& states = ground_.script.states;
  const auto which = std::ranges::find_if(states, &StateTable::own) - states.begin();
  all.push_back({static_cast<std::size_t>(which), 0, bot_, *own, own_.changed_at()});
}

void Player::log_in(const std::string& method, const std::string& proof) {
  const game::ByteView bytes = game::bytes_of(proof);
  if (client_.login({method, account_, {bytes.begin(), bytes.end()}})) return;
  on_ended(game::EndReason::malformed, "the account, the method or the proof is too long");
}

void Player::come_back(const game::Bytes& reentry) {
  pass_queue();
  game::Ticket ticket;
  ticket.reentry = reentry;
  client_.reenter(std::move(ticket));
}

void Player::service() {
  const Nanos before = now_nanos();
  client_.service();
  note_asked(before);
  if (std::exchange(lost_, false)) {
    is_to_break_ = false;
    if (client_.trouble().ends_with(game::kWasCut)) {
      ++ground_.figures.cuts;
    } else if (!client_.trouble().empty()) {
      count(ground_.figures.troubles, client_.trouble());
      note("trouble", client_.trouble());
    }
  }
  const std::uint64_t made = client_.session().counts().connections;
  ground_.figures.made += made - made_;
  made_ = made;
}

void Player::act(Nanos now) {
  const bool chooses = now >= choose_at_;
  if (chooses) choose();
  const bool walks = walker_.act(now);
  if (asker_.act(now) || chooses || walks) client_.flush();
}

bool Player::cut(std::size_t bytes) {
  if (is_to_break_) return false;
  is_to_break_ = client_.cut_after(bytes);
  return is_to_break_;
}

Nanos Player::client_due() const {
  const game::Time at = client_.deadline();
  return at == game::Time::max() ? kNever : at / std::chrono::nanoseconds(1);
}

Nanos Player::due() const {
  return std::min({client_due(), asker_.due(), choose_at_, walker_.due()});
}

void Player::say_goodbye() {
  client_.bye();
  client_.flush();
}

// --- what it hears -------------------------------------------------------------------------------

void Player::on_waiting(const game::Waiting& waiting) {
  if (waiting.what != game::WaitsFor::place) return;
  if (!waits_) ++ground_.figures.waited;
  waits_ = true;
  ground_.figures.queue_most = std::max(ground_.figures.queue_most, waiting.ahead);
  judge_place(waiting.ahead);
}

/// A gate that greets is asked to let the bot in at once. `before`: not after it was.
void Player::note_asked(Nanos before) {
  if (!place_.asked && client_.state() == game::State::waiting) place_.asked = before;
}

void Player::judge_place(std::uint64_t ahead) {
  if (!ground_.script.login.in_order || !queues_) return;
  const Nanos now = now_nanos();
  if (!place_.asked) place_.asked = now;  // greeted and told in one turn
  const auto wrong = ground_.queue.told(place_, ahead, now);
  if (!wrong) return;
  ground_.violations.add({(now - ground_.started) / 1'000'000, bot_, account_, Broken::order,
                          "queue", wrong->expected, wrong->got});
}

void Player::on_online(bool goes_on, const game::Ticket& ticket) {
  ++(goes_on ? ground_.figures.resumed : ground_.figures.entered);
  reentry_ = ticket.reentry;
  memory_.gate = ticket.gate;
  note(goes_on ? "resumed" : "online");
  if (!std::exchange(queues_, false) || !ground_.script.login.in_order) return;
  const std::uint64_t overtaken = ground_.queue.let_in(place_, now_nanos());
  ground_.figures.overtaken_most = std::max(ground_.figures.overtaken_most, overtaken);
}

void Player::on_lost(const game::Lost& lost) {
  if (lost.was_online) {
    ++ground_.figures.lost;
    note("lost", lost.reason ? game::name_of(*lost.reason) : std::string_view());
  }
  place_.placed.reset();
  if (!lost.reason) {
    lost_ = true;  // the client knows why when it has dropped the connection
  } else {
    is_to_break_ = false;
    Texts& reasons = lost.was_online ? ground_.figures.troubles : ground_.figures.refused;
    count(reasons, std::string(game::name_of(*lost.reason)));
  }
}

void Player::on_full(const game::FullState& full) {
  ++ground_.figures.fulls;
  note("full", full.subject);
  if (plays_) end_stretch();
  memory_.stretch = next_turn();
  memory_.stretch_at = now_nanos();
  listener_.on_full();
  walker_.restart();
  own_.forget();
  if (ground_.script.character && full.subject.starts_with(kAccountPrefix)) {
    plays_ = false;
    return choose();
  }
  plays_ = has_played_ = true;
  own_.full(full.properties, now_nanos());
  asker_.on_full();
}

void Player::on_news(game::ByteView news) {
  ++ground_.figures.news;
  if (plays_) own_.news(news, now_nanos());
}

void Player::on_names(const game::ServerNames& names, std::span<const game::Difference>) {
  if (plays_) own_.learn(names, now_nanos());
  if (!walker_.learn(names)) client_.refresh();
}

void Player::on_over(const game::Over&) {
  note("over");
  end_stretch();
  plays_ = false;
}

void Player::end_stretch() {
  memory_.over_at = now_nanos();
}

void Player::on_spoken(const game::Spoken& spoken) {
  const auto call = game::read_call(spoken.body);
  if (!call) return listener_.on_malformed_spoken(spoken.group);
  listener_.on_call(*call, &spoken.group);
}

void Player::on_ended(game::EndReason reason, std::string_view text) {
  ended_ = reason;
  ended_text_ = text;
  note("ended", game::name_of(reason));
  if (plays_) end_stretch();
  plays_ = false;
  asker_.on_ended();
  count(ground_.figures.ended, std::string(game::name_of(reason)));
}

// --- its character -------------------------------------------------------------------------------

void Player::choose() {
  choose_at_ = kNever;
  game::Bytes arguments;
  put_value(Type::str, account_ + ".1", arguments);
  const game::Bytes body = game::call_body(kChoose, kChooseTypes, arguments);
  // Without an outcome another full state comes, and it chooses again.
  client_.ask(body, [this](const game::Outcome& outcome) {
    const auto answer = game::read_answer(outcome.answer);
    if (outcome.fate != game::Fate::replied || !answer) return;
    const auto refusal = refusal_of(*answer);
    if (!refusal) return;
    if (refusal->domain == kPlayerErrors && refusal->number == kNoCharacter) return create();
    choose_at_ = now_nanos() + kChooseAgain;
  });
}

void Player::create() {
  game::Bytes arguments;
  put_value(Type::str, filled(*ground_.script.character, bot_, {account_}), arguments);
  const game::Bytes body = game::call_body(kCreate, kCreateTypes, arguments);
  client_.ask(body, [this](const game::Outcome& outcome) {
    const auto answer = game::read_answer(outcome.answer);
    if (outcome.fate != game::Fate::replied || !answer) return;
    const auto refusal = refusal_of(*answer);
    if (!refusal) return choose();
    count(ground_.figures.troubles, "no character: " + refusal->to_string());
  });
}

}  // namespace starbus::bots
