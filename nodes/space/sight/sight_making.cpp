#include <algorithm>
#include <optional>
#include <utility>

#include "nodes/space/sight/sight_view.hpp"

namespace starbus::nodes::sight {

/// One body, while it is made.
class SightView::Making {
 public:
  Making(SightView& view, TickStore& store, const movement::Position& from, bus::Bytes& out)
      : view_(view), store_(store), from_(from), out_(out), writer_(out) {}

  /// False: nothing was told.
  bool run() {
    if (leaves()) {
      enters();
      news();
    }
    moves();
    if (writer_.empty()) {
      out_.clear();
      return false;
    }
    ++store_.counters().bodies;
    store_.counters().bytes += out_.size();
    return true;
  }

 private:
  bool leaves();
  void enters();
  void drop_told();
  bool enter(std::uint16_t index);
  void news();
  bool tell_news(std::uint16_t index);
  void moves();
  std::optional<std::size_t> move(std::uint16_t index, std::size_t left);
  movement::MoveBatch& batch();

  /// Movers get a share of each body, whatever else there is.
  std::size_t kept_for_moves() const {
    return view_.schedule_.size() == 0 ? 0 : view_.options_.budget / 4;
  }
  bool fits(std::size_t size) const {
    return out_.size() + size + kept_for_moves() <= view_.options_.budget;
  }
  float distance_of(const Seen& seen) const {
    if (seen.subject->moved() == 0) return 0;
    return static_cast<float>(movement::distance(from_, seen.subject->move().position));
  }
  Detail detail_at(float distance) const {
    return distance <= view_.options_.fine ? Detail::fine : Detail::coarse;
  }

  SightView& view_;
  TickStore& store_;
  const movement::Position& from_;
  bus::Bytes& out_;
  SightWriter writer_;
  std::optional<movement::MoveBatch> batch_;
  bool has_enter_ = false;
  bool has_news_ = false;
  bool timed_ = false;  // an enter has a move, whose age is taken from the time of the moves
};

bool SightView::make(TickStore& store, const movement::Position& from, bus::Bytes& out) {
  if (!open_) return false;
  return Making(*this, store, from, out).run();
}

/// False: some are left, and nothing may come in before they have gone. Their number is bounded by
/// that.
bool SightView::Making::leaves() {
  std::size_t done = 0;
  for (const std::uint16_t index : view_.leaving_) {
    Seen& seen = view_.at(index);
    const bool goes = seen.state == State::leaving || seen.state == State::renewed;
    if (goes && !fits(kLeaveSize)) break;
    ++done;
    seen.in_leaving = false;
    if (!goes) continue;  // it has come back
    writer_.leave(index);
    ++store_.counters().leaves;
    seen.state == State::leaving ? view_.give_free(index) : view_.want(index);
  }
  view_.leaving_.erase(view_.leaving_.begin(),
                       view_.leaving_.begin() + static_cast<std::ptrdiff_t>(done));
  return view_.leaving_.empty();
}

/// The nearest first. One that is larger than the budget goes as the only enter.
void SightView::Making::enters() {
  auto& wanted = view_.wanted_;
  if (wanted.empty()) return;
  drop_told();
  std::vector<std::pair<float, std::uint16_t>> order;
  order.reserve(wanted.size());
  for (const std::uint16_t index : wanted) {
    if (view_.at(index).subject->shown()) order.emplace_back(distance_of(view_.at(index)), index);
  }
  std::ranges::sort(order);
  for (const auto& [distance, index] : order) {
    if (!enter(index)) break;
  }
  drop_told();
}

void SightView::Making::drop_told() {
  std::erase_if(view_.wanted_, [&](std::uint16_t index) {
    Seen& seen = view_.at(index);
    return seen.state != State::wanted && std::exchange(seen.in_wanted, false);
  });
}

/// False: it waits, and so do those after it.
bool SightView::Making::enter(std::uint16_t index) {
  Seen& seen = view_.at(index);
  Subject& subject = *seen.subject;
  const auto properties = subject.snapshot(store_);
  if (!properties) return !subject.shown();  // that one alone, or all: the store is full
  const std::size_t size = enter_size(subject.class_name().size(), properties->size());
  if (!fits(size + kMovesHead) && has_enter_) return false;
  has_enter_ = true;
  const float distance = distance_of(seen);
  seen.detail = detail_at(distance);
  seen.moved = subject.moved();
  seen.version = subject.version();
  const bus::ByteView move =
      seen.moved == 0 ? bus::ByteView() : subject.body(store_, seen.detail).view();
  writer_.enter(index, subject.id(), subject.class_name(), move, *properties);
  timed_ = timed_ || !move.empty();
  seen.state = State::told;
  view_.schedule_if_moving(index, distance);
  ++store_.counters().enters;
  return true;
}

/// In turns: a look that ends early goes on there in the next tick.
void SightView::Making::news() {
  const std::size_t count = view_.seen_.size();
  std::size_t place = view_.news_from_ < count ? view_.news_from_ : 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!tell_news(static_cast<std::uint16_t>(place + 1))) break;
    if (++place == count) place = 0;
  }
  view_.news_from_ = place;
}

/// False: it waits, and so do those after it.
bool SightView::Making::tell_news(std::uint16_t index) {
  Seen& seen = view_.at(index);
  if (seen.state != State::told || !seen.subject->is_here()) return true;
  Subject& subject = *seen.subject;
  if (subject.shown() && subject.version() == seen.version) return true;
  const auto changes = subject.changes(store_, seen.version);
  if (!changes && subject.shown()) return false;  // the store is full
  if (!changes) {
    view_.renew(index);
    return true;
  }
  if (!fits(news_size(changes->size())) && has_news_) return false;
  has_news_ = true;
  writer_.news(index, *changes);
  seen.version = subject.version();
  ++store_.counters().news;
  return true;
}

void SightView::Making::moves() {
  for (std::size_t i = 0; i < view_.seen_.size(); ++i) {
    const Seen& seen = view_.seen_[i];
    if (seen.state != State::told || seen.subject->moved() == 0) continue;
    const auto index = static_cast<std::uint16_t>(i + 1);
    const float distance = distance_of(seen);
    if (view_.schedule_.set_distance(index, distance)) continue;
    static_cast<void>(view_.schedule_.add(index, distance));  // it has a place only now
  }
  if (timed_) batch();
  const std::size_t budget = view_.options_.budget;
  const std::size_t left = budget - std::min(budget, out_.size());
  const std::size_t room = std::max(left, kept_for_moves());
  const std::size_t head = batch_ ? 0 : kMovesHead;
  if (room <= head) return;
  view_.schedule_.tick(
      room - head, [this](std::uint16_t index, std::size_t bytes) { return move(index, bytes); });
}

/// What it has taken; 0: the client knows it; nullopt: it does not fit.
std::optional<std::size_t> SightView::Making::move(std::uint16_t index, std::size_t left) {
  Seen& seen = view_.at(index);
  Subject& subject = *seen.subject;
  if (!subject.is_here()) return 0;
  const Detail detail = detail_at(distance_of(seen));
  const bool finer = detail == Detail::fine && seen.detail == Detail::coarse;
  if (subject.moved() == seen.moved && !finer) return 0;
  const MoveBody& body = subject.body(store_, detail);
  const std::size_t size = movement::kMoveIndex + body.size();
  if (size > left) return std::nullopt;
  if (!batch().add(index, body)) return std::nullopt;
  seen.moved = subject.moved();
  seen.detail = detail;
  ++store_.counters().moves;
  store_.counters().move_bytes += size;
  return size;
}

movement::MoveBatch& SightView::Making::batch() {
  if (!batch_) {
    batch_.emplace(writer_.moves({view_.number_, store_.number(), store_.time()}));
  }
  return *batch_;
}

}  // namespace starbus::nodes::sight
