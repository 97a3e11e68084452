#include "bench/travel/rider.hpp"

#include <algorithm>
#include <utility>

#include "bench/harness/clock.hpp"
#include "bench/travel/game.hpp"
#include "clients/cpp/calls.hpp"

namespace starbus::bench::travel {
namespace {

namespace rpc = entity::rpc;
using cluster_test::Numbers;
using cluster_test::Pilot;
using cluster_test::PilotReport;
using nodes::players::Account;

constexpr const char* kClass = "test_pilot_client";
const std::uint32_t kNumber = rpc::method_id(kClass, "number");
const std::uint32_t kWord = rpc::method_id(kClass, "word");
const std::uint32_t kLanded = rpc::method_id(kClass, "landed");

constexpr std::int64_t kAgain = kSecond / 2;

game::Options options_of(const RiderOptions& options, std::size_t number) {
  game::Options made;
  made.settings.addresses = options.gates;
  made.settings.seed = number;
  made.settings.first = number % options.gates.size();
  return made;
}

double ms(std::int64_t ns) {
  return static_cast<double>(ns) / kMillisecond;
}

nlohmann::json counts_of(const Numbers& numbers, std::uint64_t said) {
  return {{"last", numbers.last()},
          {"lost", numbers.lost(said)},
          {"doubled", numbers.doubled()},
          {"disordered", numbers.disordered()}};
}

}  // namespace

Rider::Rider(const RiderOptions& options, std::size_t number)
    : options_(options),
      number_(number),
      client_(options_of(options, number), *this),
      depart_at_(0),
      ask_at_(0) {
  const std::string proof = "bot" + std::to_string(number);
  const game::ByteView bytes = game::bytes_of(proof);
  client_.login({"shop", account_of(number), {bytes.begin(), bytes.end()}});
}

void Rider::service() {
  client_.service();
  act(now_ns());
  client_.flush();
}

std::int64_t Rider::due() const {
  const game::Time at = client_.deadline();
  std::int64_t due = at == game::Time::max() ? INT64_MAX : at / std::chrono::nanoseconds(1);
  if (stage_ == Stage::resting && trips_ < options_.trips) due = std::min(due, depart_at_);
  if (stage_ > Stage::entering && stage_ < Stage::finishing) due = std::min(due, ask_at_);
  return due;
}

void Rider::act(std::int64_t now) {
  if (stage_ == Stage::resting && trips_ < options_.trips && now >= depart_at_) depart(now);
  if (stage_ > Stage::entering && stage_ < Stage::finishing && now >= ask_at_) ask_next(now);
  if (stage_ == Stage::finishing && open_ == 0 && !report_) ask_report();
  if (stage_ == Stage::comparing) compare();
}

template <auto M, class... A>
bool Rider::ask(game::Told told, const A&... arguments) {
  bus::Bytes body;
  if (!rpc::encode_call<M>(body, rpc::Behalf::own_client, 0, arguments...)) return false;
  const auto asked = client_.ask(game::ByteView(body), [this, told](const game::Outcome& end) {
    --open_;
    if (end.fate != game::Fate::replied) ++unanswered_;
    if (told) told(end);
  });
  if (asked != game::Asked::ok) return false;
  ++open_;
  return true;
}

// --- its session ---------------------------------------------------------------------------------

void Rider::on_online(bool goes_on, const game::Ticket&) {
  ++(goes_on ? resumed_ : entered_);
}

void Rider::on_full(const game::FullState& full) {
  subject_ = full.subject;
  plays_ = subject_ == player_of(number_);
  if (!plays_) return enter_as_player();
  ++fulls_;
  state_.emplace();
  state_->become_replica(entity::Audience::own_client);
  if (!state_->apply_snapshot(full.properties)) ++holes_;
}

// The account is new: it has no character, and then one.
void Rider::enter_as_player() {
  ask<&Account::create>(
      [this](const game::Outcome&) {
        ask<&Account::choose>(nullptr, std::string(player_of(number_).substr(7)));
      },
      "Bob " + std::to_string(number_));
}

void Rider::on_ended(game::EndReason reason, std::string_view text) {
  ended_ = std::string(game::name_of(reason)) + ": " + std::string(text);
}

// --- what comes ----------------------------------------------------------------------------------

void Rider::on_news(game::ByteView news) {
  if (!plays_ || !state_) return;
  if (!state_->apply_delta(news)) ++holes_;
  const std::uint64_t shown = state_->shown.get();
  if (shown < shown_) ++went_back_;
  shown_ = shown;
}

void Rider::on_call(const game::Call& call) {
  const std::int64_t now = now_ns();
  entity::Decoder in(call.arguments);
  if (call.method == kNumber) {
    heard_number(in.number<std::uint64_t>(), now);
  } else if (call.method == kWord) {
    const auto sender = in.number<std::uint32_t>();
    words_[sender].take(in.number<std::uint64_t>());
  } else if (call.method == kLanded) {
    landed(std::string(in.text()), now);
  } else {
    ++strange_;
  }
}

double Rider::beyond_period(std::int64_t gap) const {
  return std::max(0.0, ms(gap) - options_.count_ms);
}

void Rider::heard_number(std::uint64_t number, std::int64_t now) {
  numbers_.take(number);
  if (number_at_ != 0) worst_ = std::max(worst_, now - number_at_);
  number_at_ = now;
  if (stage_ != Stage::settling || ++settled_ < kSettled) return;
  freezes_.push_back(beyond_period(std::exchange(worst_, 0)));
  stage_ = Stage::resting;
  ++trips_;
  // Half of the pause to one and a half, by the number: they do not go in step.
  const std::int64_t stay = options_.stay_ms * kMillisecond;
  const auto part = static_cast<std::int64_t>((number_ * 37 + trips_ * 61U) % 100);
  depart_at_ = now + stay / 2 + stay * part / 100;
}

// --- travels -------------------------------------------------------------------------------------

void Rider::set_out() {
  if (stage_ != Stage::entering) return;
  stage_ = Stage::resting;
  worst_ = 0;
  const std::int64_t now = now_ns();
  depart_at_ =
      now + static_cast<std::int64_t>(number_ * 7919 % 100) * options_.stay_ms * kMillisecond / 100;
  ask_at_ =
      now + static_cast<std::int64_t>(number_ * 7907 % 100) * options_.ask_ms * kMillisecond / 100;
}

void Rider::depart(std::int64_t now) {
  if (trips_ > 0) quiets_.push_back(beyond_period(worst_));
  worst_ = 0;
  if (!ask<&Pilot::fly>(nullptr, std::string(trips_ % 2 == 0 ? "low" : "high"))) {
    depart_at_ = now + kAgain;
    return;
  }
  stage_ = Stage::travelling;
  departed_ = now;
}

void Rider::landed(const std::string& where, std::int64_t now) {
  if (stage_ != Stage::travelling) return static_cast<void>(++strange_);
  times_.push_back(ms(now - departed_));
  if (!where.starts_with(trips_ % 2 == 0 ? "low-" : "high-")) {
    ++failed_;
    failure_ = where;
  }
  stage_ = Stage::settling;
  settled_ = 0;
}

// --- requests ------------------------------------------------------------------------------------

void Rider::ask_next(std::int64_t now) {
  const auto told = [this](const game::Outcome& end) {
    const auto answer = game::read_answer(end.answer);
    if (!answer || answer->kind != game::AnswerKind::value) return;
    answers_.take(entity::Decoder(answer->bytes).number<std::uint64_t>());
  };
  if (ask<&Pilot::ask>(told, asked_ + 1)) ++asked_;
  ask_at_ = std::max(ask_at_ + options_.ask_ms * kMillisecond, now);
}

// --- the end -------------------------------------------------------------------------------------

void Rider::finish() {
  stage_ = Stage::finishing;
}

void Rider::ask_report() {
  ask<&Pilot::report>([this](const game::Outcome& end) {
    const auto answer = game::read_answer(end.answer);
    if (!answer || answer->kind != game::AnswerKind::value) return;
    entity::Decoder in(answer->bytes);
    report_.emplace();
    entity::get_value(in, *report_);
    stage_ = Stage::comparing;
  });
}

// The answer is behind all calls that it counts, in one stream; changes of properties follow.
void Rider::compare() {
  if (shown_ >= report_->counted) stage_ = Stage::over;
}

std::string Rider::state() const {
  return account_of(number_) + ", stage " + std::to_string(static_cast<int>(stage_)) + ", plays '" +
         subject_ + "', trips " + std::to_string(trips_) + ", heard " +
         std::to_string(numbers_.last()) + ", open " + std::to_string(open_) + ", " +
         std::string(game::name_of(client_.state())) + " " + client_.trouble() + " " + ended_;
}

nlohmann::json Rider::result() const {
  nlohmann::json words = nlohmann::json::object();
  nlohmann::json heard = nlohmann::json::object();
  for (const auto& [sender, numbers] : report_->heard) {
    const auto shown = words_.find(sender);
    heard[std::to_string(sender)] = counts_of(numbers, numbers.last());
    words[std::to_string(sender)] =
        counts_of(shown == words_.end() ? Numbers{} : shown->second, numbers.last());
  }
  return {{"trips", trips_},
          {"failed", failed_},
          {"failure", failure_},
          {"freezes", freezes_},
          {"quiets", quiets_},
          {"times", times_},
          {"client",
           {{"numbers", counts_of(numbers_, report_->counted)},
            {"words", words},
            {"answers", counts_of(answers_, asked_)}}},
          {"entity", {{"asked", counts_of(report_->asked, asked_)}, {"heard", heard}}},
          {"unanswered", unanswered_},
          {"went_back", went_back_},
          {"holes", holes_},
          {"strange", strange_},
          {"fulls", fulls_},
          {"entered", entered_},
          {"resumed", resumed_},
          {"ended", ended_}};
}

}  // namespace starbus::bench::travel
