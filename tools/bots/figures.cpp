#include "tools/bots/figures.hpp"

#include <algorithm>

#include "tools/bots/limits.hpp"

namespace starbus::bots {
namespace {

void add_texts(Texts& to, const Texts& from) {
  for (const auto& [text, times] : from) count(to, text, times);
}

void add_say(SayFigures& to, const SayFigures& from) {
  to.asked += from.asked;
  to.replied += from.replied;
  to.reply_lost += from.reply_lost;
  to.not_begun += from.not_begun;
  to.unknown += from.unknown;
  to.failed += from.failed;
  add_texts(to.errors, from.errors);
  to.late_most = std::max(to.late_most, from.late_most);
  to.latency.merge(from.latency);
}

void add_hear(HearFigures& to, const HearFigures& from) {
  to.heard += from.heard;
  to.bytes += from.bytes;
  to.passed_over += from.passed_over;
  to.missing += from.missing;
  to.latency.merge(from.latency);
}

}  // namespace

void count(Texts& texts, const std::string& text, std::uint64_t times) {
  const bool known = texts.contains(text);
  texts[known || texts.size() < kTexts ? text : "others"] += times;
}

void BackFigures::add(const BackFigures& other) {
  times += other.times;
  amount += other.amount;
  oldest = std::max(oldest, other.oldest);
}

void SightFigures::add(const SightFigures& other) {
  bodies += other.bodies;
  bytes += other.bytes;
  scenes += other.scenes;
  entered += other.entered;
  left += other.left;
  corrections += other.corrections;
  teleports += other.teleports;
}

void Figures::add(const Figures& other) {
  for (std::size_t i = 0; i < say.size(); ++i) add_say(say[i], other.say[i]);
  for (std::size_t i = 0; i < hear.size(); ++i) add_hear(hear[i], other.hear[i]);
  unheard += other.unheard;
  news += other.news;
  sight.add(other.sight);
  back.resize(std::max(back.size(), other.back.size()));
  for (std::size_t i = 0; i < other.back.size(); ++i) back[i].add(other.back[i]);
  travel.begun += other.travel.begun;
  travel.unanswered += other.travel.unanswered;
  travel.latency.merge(other.travel.latency);
  leaves += other.leaves;
  arrived += other.arrived;
  came_in += other.came_in;
  waited += other.waited;
  queue_most = std::max(queue_most, other.queue_most);
  overtaken_most = std::max(overtaken_most, other.overtaken_most);
  entered += other.entered;
  resumed += other.resumed;
  fulls += other.fulls;
  takeovers += other.takeovers;
  cuts += other.cuts;
  made += other.made;
  lost += other.lost;
  add_texts(refused, other.refused);
  add_texts(ended, other.ended);
  add_texts(troubles, other.troubles);
  entry.merge(other.entry);
}

void Gauges::add(const Gauges& other) {
  playing += other.playing;
  waiting += other.waiting;
  away += other.away;
  open += other.open;
  asked.resize(std::max(asked.size(), other.asked.size()));
  for (std::size_t i = 0; i < other.asked.size(); ++i) asked[i] += other.asked[i];
  state_sums.resize(std::max(state_sums.size(), other.state_sums.size()));
  for (std::size_t i = 0; i < other.state_sums.size(); ++i) state_sums[i] += other.state_sums[i];
  state_bots += other.state_bots;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
}

}  // namespace starbus::bots
