#include "clients/cpp/session.hpp"

#include <algorithm>
#include <utility>

#include "clients/cpp/calls.hpp"
#include "clients/cpp/inflate.hpp"

namespace starbus::game {

std::string_view name_of(Asked asked) {
  constexpr std::string_view kNames[] = {"ok", "no_subject", "too_many", "too_large", "differs"};
  return kNames[static_cast<std::size_t>(asked)];
}

std::string_view name_of(State state) {
  constexpr std::string_view kNames[] = {"ended",   "connecting", "greeting",
                                         "waiting", "online",     "away"};
  return kNames[static_cast<std::size_t>(state)];
}

Session::Session(Settings settings, Events& events)
    : settings_(std::move(settings)),
      events_(events),
      route_(std::move(settings_.addresses), settings_.seed, settings_.first) {
  if (settings_.names != nullptr && settings_.schema == 0 && !settings_.names->hashes.empty()) {
    settings_.schema = settings_.names->hashes.front();
  }
  std::string& program = settings_.program;
  program.resize(std::min(program.size(), kProgramBytes));
  while (!is_utf8(program)) program.pop_back();
}

// --- for the program ---------------------------------------------------------------------------

bool Session::login(Login proof, Time now) {
  if (proof.method.size() > kMethodBytes || proof.account.size() > kAccountBytes ||
      proof.proof.size() > kProofBytes || !is_utf8(proof.method) || !is_utf8(proof.account)) {
    return false;
  }
  begin(Entry::login, now);
  proof_ = std::move(proof);
  return true;
}

void Session::reenter(Ticket ticket, Time now) {
  begin(Entry::reenter, now);
  ticket_ = std::move(ticket);
}

void Session::begin(Entry entry, Time now) {
  if (state_ != State::ended) finish(EndReason::bye, {});
  now_ = progress_ = now;
  state_ = State::connecting;
  entry_ = entry;
  route_.start(now);
}

Asked Session::ask(ByteView body, Told told) {
  constexpr std::size_t kAskHead = 64;  // more than the other fields of the frame take
  const bool too_long = frame_bytes_ != 0 && body.size() + kAskHead > frame_bytes_;
  if (body.size() > kRequestBytes || too_long) return Asked::too_large;
  if (!playing_ || leaving_) return Asked::no_subject;
  if (differing_.contains(method_of(body))) return Asked::differs;
  if (requests_.full()) return Asked::too_many;
  const std::uint64_t u = requests_.add(bind_, body, std::move(told));
  if (may_ask_ && !busy_) say(encode(Ask{u, bind_, body}));
  return Asked::ok;
}

void Session::bye(Time now) {
  if (state_ == State::ended || leaving_) return;
  now_ = now;
  if (state_ != State::online) return finish(EndReason::bye, {});
  leaving_ = true;
  may_ask_ = false;
  busy_.reset();
  close_at_ = std::min(close_at_, now + kCloseTime);
  say(encode(Bye{}));
}

bool Session::refresh(Time now) {
  now_ = now;
  if (state_ != State::online || leaving_ || ended_ || ticket_.reentry.empty()) return false;
  entry_ = Entry::reenter;
  lost(now, {});
  return true;
}

// --- for the driver ----------------------------------------------------------------------------

std::optional<std::string> Session::connect(Time now) {
  now_ = now;
  if (state_ == State::ended || link_ != Link::none) return std::nullopt;
  std::optional<std::string> address = route_.take(now);
  if (address) {
    link_ = Link::opening;
    opened_ = now;
    ++counts_.connections;
  }
  return address;
}

void Session::connected(Time now) {
  if (link_ != Link::opening) return;
  link_ = Link::open;
  state_ = State::greeting;
  now_ = opened_ = heard_ = now;
  beat_ = kHeartbeat;
  inflates_ = false;
  Hello hello;
  hello.features = settings_.inflates ? kInflates : 0;
  hello.schema = settings_.schema;
  hello.program = settings_.program;
  say(encode(hello));
}

void Session::disconnected(Time now) {
  now_ = now;
  if (link_ != Link::none) lost(now, kBroke);
}

void Session::received(ByteView frame, Time now) {
  now_ = now;
  if (link_ != Link::open) return;
  heard_ = now;
  if (frame.size() > kFrameTaken) return fault(now);
  if (inflates_ && is_deflated(frame)) {
    const std::optional<Bytes> packet = inflate_packet(frame);
    return packet ? received_plain(*packet, now) : fault(now);
  }
  received_plain(frame, now);
}

void Session::received_plain(ByteView frame, Time now) {
  const Read<ToClient> read = read_to_client(frame);
  if (!read) return fault(now);
  std::visit([&](const auto& each) { hear(each, now); }, *read);
  if (overflow_) fault(now);
}

void Session::tick(Time now) {
  now_ = now;
  if (state_ == State::ended) return;
  if (now >= give_up_at()) return finish(EndReason::unreachable, {});
  if (link_ == Link::none) return;
  const bool greeted = state_ == State::waiting || state_ == State::online;
  if (!greeted && now >= opened_ + kGreetingTime) return lost(now, {});
  if (link_ != Link::open) return;
  if (now >= heard_ + beat_ * kSilentBeats) return lost(now, kBroke);
  if (now >= close_at_) return lost(now, {});
  if (now >= stable_at_) {
    stable_at_ = Time::max();
    route_.good();
  }
  if (now >= ack_at_) ack();
  if (busy_ && now >= busy_at_ && output_.empty()) say_again(*std::exchange(busy_, std::nullopt));
  if (greeted && (now >= said_ + beat_ || now >= measured_ + kMeasureEvery)) ping(now);
  if (overflow_) fault(now);
}

Time Session::deadline() const {
  if (state_ == State::ended) return Time::max();
  Time next = give_up_at();
  const auto at = [&](Time due) { next = std::min(next, due); };
  if (link_ == Link::none) {
    at(route_.due());
    return next;
  }
  const bool greeted = state_ == State::waiting || state_ == State::online;
  if (!greeted) at(opened_ + kGreetingTime);
  if (link_ != Link::open) return next;
  at(heard_ + beat_ * kSilentBeats);
  at(close_at_);
  at(stable_at_);
  at(ack_at_);
  if (busy_ && output_.empty()) at(busy_at_);
  if (greeted) at(std::min(said_ + beat_, measured_ + kMeasureEvery));
  return next;
}

Time Session::give_up_at() const {
  return state_ == State::online ? Time::max() : progress_ + kGiveUp;
}

std::optional<Bytes> Session::next_frame() {
  if (output_.empty()) return std::nullopt;
  Bytes frame = std::move(output_.front());
  output_.pop_front();
  output_bytes_ -= frame.size();
  return frame;
}

// --- what is said ------------------------------------------------------------------------------

void Session::say(Bytes frame) {
  if (link_ != Link::open) return;
  if (output_bytes_ + frame.size() > kSendBytes || output_.size() == kSendFrames) {
    overflow_ = true;
    return;
  }
  output_bytes_ += frame.size();
  output_.push_back(std::move(frame));
  said_ = now_;
}

void Session::say_again(std::uint64_t up_seen) {
  requests_.each_behind(up_seen, bind_, [&](std::uint64_t u, const Requests::Open& request) {
    say(encode(Ask{u, request.bind, request.body}));
  });
}

void Session::ask_names() {
  if (settings_.names == nullptr || !may_ask_ || requests_.full()) return;
  const Bytes body = names_request(*settings_.names);
  const auto told = [this](const Outcome& outcome) { hear_names(outcome); };
  const std::uint64_t u = requests_.add(bind_, body, told);
  say(encode(Ask{u, bind_, body}));
}

/// A server that does not say them, or not so that they can be read, checks each call itself.
void Session::hear_names(const Outcome& outcome) {
  ServerNames names;
  if (outcome.fate == Fate::replied) {
    const Read<Answer> answer = read_answer(outcome.answer);
    if (answer && answer->kind == AnswerKind::value) names = read_names(answer->bytes).value;
  }
  const std::vector<Difference> differ = differences(*settings_.names, names);
  differing_.clear();
  for (const Difference& each : differ) {
    const bool lacks = each.kind != Difference::Kind::added;
    if (lacks && each.what == Difference::What::asked) differing_.insert(hash_of(each.name));
  }
  events_.on_names(names, differ);
}

void Session::ack() {
  say(encode(Ack{position_.c}));
  ++counts_.acks;
  unacked_ = 0;
  unacked_bytes_ = 0;
  ack_at_ = Time::max();
}

void Session::ping(Time now) {
  pinged_ = measured_ = now;
  say(encode(Ping{static_cast<std::uint64_t>(now.count())}));
}

void Session::tell(std::vector<Ending> endings) {
  for (Ending& ending : endings) {
    if (ending.told) ending.told(ending.outcome);
  }
}

// --- ends --------------------------------------------------------------------------------------

void Session::fault(Time now) {
  ++counts_.faults;
  lost(now, {});
}

void Session::drop_link() {
  link_ = Link::none;
  output_.clear();
  output_bytes_ = 0;
  overflow_ = false;
  may_ask_ = false;
  busy_.reset();
  unacked_ = 0;
  unacked_bytes_ = 0;
  pinged_.reset();
  ack_at_ = stable_at_ = close_at_ = Time::max();
}

void Session::lost(Time now, const Cause& cause) {
  if (leaving_) return finish(EndReason::bye, {});
  if (ended_) return close(ended_->reason, 0, {}, now);
  const bool was_online = state_ == State::online;
  if (was_online && stable_at_ == Time::max()) progress_ = now;
  drop_link();
  state_ = let_in_ ? State::away : State::connecting;
  if (cause.next == Next::same) route_.lost(now, cause.at_least, cause.broke && was_online);
  if (cause.next == Next::elsewhere) route_.elsewhere(now, cause.at_least);
  events_.on_lost({was_online, cause.reason, cause.text, route_.due() - now});
}

void Session::close(CloseReason reason, std::uint32_t retry_ms, std::string_view text, Time now) {
  if (leaving_) return finish(EndReason::bye, text);
  Cause cause{reason, text, {}, Next::same};
  switch (reason) {
    case CloseReason::idle:
    case CloseReason::too_slow:
    case CloseReason::fault:
      break;
    case CloseReason::too_many:
    case CloseReason::full:
    case CloseReason::later:
      cause.at_least = std::min(milliseconds(retry_ms), kRetryTold);
      progress_ = now + cause.at_least;
      break;
    case CloseReason::leaving:
      cause.next = Next::elsewhere;
      break;
    case CloseReason::window:
      return enter_again(cause, now);
    default:
      return finish(static_cast<EndReason>(reason), text);
  }
  if (ended_) return enter_again(cause, now);
  lost(now, cause);
}

void Session::enter_again(const Cause& cause, Time now) {
  if (entry_ == Entry::reenter || ticket_.reentry.empty()) {
    return finish(static_cast<EndReason>(*cause.reason), cause.text);
  }
  entry_ = Entry::reenter;
  ended_.reset();
  playing_ = false;
  lost(now, cause);
}

void Session::finish(EndReason reason, std::string_view text) {
  drop_link();
  route_.stop();
  state_ = State::ended;
  let_in_ = leaving_ = playing_ = false;
  proof_ = {};
  ticket_ = {};
  position_ = {};
  bind_ = {};
  login_ = 0;
  ended_.reset();
  differing_.clear();
  tell(requests_.lost());
  events_.on_ended(reason, text);
}

}  // namespace starbus::game
