#include "bus/client/feed_book.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace starbus::bus {

void FeedBook::open(std::uint64_t position) {
  assert(!open_);
  open_ = true;
  position_ = position;
  ring_.floor = ring_.top = position;
  for (const auto& [id, place] : listeners_) {
    if (place->cursor == LogOptions::kFromEnd) place->cursor = position;
  }
}

void FeedBook::append(Mail mail) {
  assert(open_ && mail.number > position_);
  position_ = ring_.top = mail.number;
  ring_bytes_ += mail.body.size();
  ring_.messages.push_back(std::make_shared<const Mail>(std::move(mail)));
  // The latest stays, however large it is: listeners that are online have it from here.
  while (ring_.messages.size() > 1 &&
         (ring_.messages.size() > kFeedMessages || ring_bytes_ > kFeedBytes)) {
    ring_bytes_ -= ring_.messages.front()->body.size();
    ring_.floor = ring_.messages.front()->number;
    ring_.messages.pop_front();
  }
  round_ = 0;
}

bool FeedBook::page(std::uint64_t from, LogPage page) {
  page_ = {};
  if (page.items.empty() && page.last < from) return false;
  page_.floor = from - 1;
  // Complete up to its last message; if it has none, nothing is kept up to the end of the log.
  page_.top = page.items.empty() ? page.last : page.items.back().number;
  // From there on the ring has what the log may not keep any more.
  page_.top = std::min(page_.top, ring_.floor);
  for (Mail& mail : page.items) {
    if (mail.number > page_.top) break;
    page_.messages.push_back(std::make_shared<const Mail>(std::move(mail)));
  }
  round_ = 0;
  return true;
}

Result<FeedBook::Id> FeedBook::add(std::shared_ptr<Place> place) {
  if (listeners_.size() >= kFeedListeners) return Error{Errc::would_block};
  if (open_ && place->cursor == LogOptions::kFromEnd) place->cursor = position_;
  listeners_.emplace(++last_id_, std::move(place));
  round_ = 0;
  return last_id_;
}

const FeedBook::Stretch* FeedBook::stretch_for(std::uint64_t cursor) const {
  if (ring_.reaches(cursor)) return &ring_;
  return page_.reaches(cursor) ? &page_ : nullptr;
}

/// Null: all between his cursor and the end of the stretch is not kept any more; he is past it.
std::shared_ptr<const Mail> FeedBook::give(Place& to, const Stretch& from) {
  const auto found = std::ranges::upper_bound(from.messages, to.cursor, {},
                                              [](const auto& mail) { return mail->number; });
  const std::uint64_t number = found == from.messages.end() ? from.top + 1 : (*found)->number;
  to.missed += number - to.cursor - 1;
  if (found == from.messages.end()) {
    to.cursor = from.top;
    return nullptr;
  }
  to.cursor = number;
  return *found;
}

/// The listener has been given all stored messages. One that is ahead of the feed (it came from a
/// process that follows the log closer) has been given messages that are still on their way here.
bool FeedBook::served(const Place& place) const {
  return place.cursor >= position_;
}

std::optional<FeedBook::Delivery> FeedBook::next() {
  while (open_ && round_ < listeners_.size()) {
    auto at = listeners_.lower_bound(turn_);
    if (at == listeners_.end()) at = listeners_.begin();
    turn_ = at->first;
    const Stretch* const from =
        burst_ < kFeedBurst && !served(*at->second) ? stretch_for(at->second->cursor) : nullptr;
    if (from == nullptr) {
      if (burst_ == 0) ++round_;
      burst_ = 0;
      ++turn_;
      continue;
    }
    ++burst_;
    round_ = 0;
    if (auto mail = give(*at->second, *from)) return Delivery{at->first, std::move(mail)};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> FeedBook::wanted() {
  if (!open_) return std::nullopt;
  const auto waits = [this](const Listeners::value_type& row) {
    return !served(*row.second) && stretch_for(row.second->cursor) == nullptr;
  };
  const auto behind = listeners_.upper_bound(read_for_);
  auto found = std::find_if(behind, listeners_.end(), waits);
  if (found == listeners_.end()) {
    found = std::find_if(listeners_.begin(), behind, waits);
    if (found == behind) {
      page_ = {};  // no listener needs it any more
      return std::nullopt;
    }
  }
  read_for_ = found->first;
  return found->second->cursor + 1;
}

}  // namespace starbus::bus
