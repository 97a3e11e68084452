// What a ClientLink hands to the bus, and when: properties, sight and droppable updates wait for
// credit.
#include <algorithm>
#include <cassert>
#include <utility>

#include "entity/client/link.hpp"

namespace starbus::entity::sessions {

/// For what may wait, when `more` bytes go before it.
bool ClientLink::has_credit(std::size_t more) const {
  return in_flight_ + unsent_bytes_ + more < state_.allowed &&
         state_.sizes.size() + state_.unsent.size() < kSoftParts;
}

/// Properties are `bytes` further ahead.
void ClientLink::lead(std::int64_t bytes) {
  constexpr auto kMost = static_cast<std::int64_t>(kSoftLead);
  const bool both = bytes > 0 ? !droppables_.empty() : news_wait_ || sight_wait_;
  lead_ = both ? std::clamp(lead_ + bytes, -kMost, kMost) : 0;
}

// --- properties ----------------------------------------------------------------------------------

bool ClientLink::wants_news() const {
  const bool its_turn = droppables_.empty() || lead_ <= 0;
  return linked() && !frozen_ && !away() && epoch_ != 0 && !state_.full_due && its_turn &&
         has_credit(0);
}

void ClientLink::news(Body body, Effects& out) {
  assert(wants_news());
  note_news(false);
  lead(static_cast<std::int64_t>(body->size()));
  if (const auto may = may_say(body, out)) return say(PartKind::news, std::move(body), out);
  // Too large for a part: the newest state, whole, if that fits one.
  if (linked()) new_run(out);
}

Result<> ClientLink::sight(Body body, Effects& out) {
  if (const auto may = may_say(body, out); !may) return may;
  note_sight(!wants_sight());
  if (sight_wait_) return SessionErrc::no_credit;
  lead(static_cast<std::int64_t>(body->size()));
  say(PartKind::sight, std::move(body), out);
  return {};
}

// --- droppable updates ---------------------------------------------------------------------------

Result<> ClientLink::droppable(std::uint64_t slot, const DropRule& rule, Body body, LinkTime now,
                               Effects& out) {
  if (frozen_) return Error(SessionErrc::frozen, subject_ + ": packed for a move; say it later");
  if (!linked()) return SessionErrc::no_client;
  if (body->size() > kDroppableBytes) return SessionErrc::too_large;
  droppables_.put(slot, rule, std::move(body), now);
  out.send = out.send || ready();
  return {};
}

/// Another one may go, after so many bytes of them.
bool ClientLink::may_update(std::size_t more) const {
  const bool its_turn =
      !(news_wait_ || sight_wait_) || lead_ - static_cast<std::int64_t>(more) >= 0;
  return its_turn && has_credit(more);
}

// --- sections ------------------------------------------------------------------------------------

bool ClientLink::ready() const {
  if (epoch_ == 0 || frozen_ || away() || !state_.session) return false;
  return state_.full_due || !state_.unsent.empty() || (!droppables_.empty() && may_update(0));
}

Section ClientLink::draft(std::size_t bytes, std::size_t parts, bus::Bytes properties,
                          std::uint32_t fresh) const {
  assert(ready());
  Section section;
  section.handle = introduced_ ? handle_ : fresh;
  if (!introduced_) {
    section.introduces =
        Introduction{state_.session, state_.turn, state_.bind, state_.run, subject_};
  }
  section.first = state_.next;
  std::size_t written = 0;
  const auto add = [&](const Part& part) {
    const std::size_t size = part.body->size();
    const bool fits = section.parts.size() < parts && written + size <= bytes;
    if (!section.parts.empty() && !fits) return false;
    written += size;
    section.parts.push_back(part);
    return true;
  };
  if (state_.full_due) {
    FullState full{subject_,    state_.bind,   state_.since,         state_.up_done,
                   state_.open, state_.groups, std::move(properties)};
    add({PartKind::full, body_of(full)});
  }
  for (const Part& part : state_.unsent) {
    if (!add(part)) return section;
  }
  if (state_.full_due) return section;
  std::size_t updates = 0;
  droppables_.each([&](const Body& body) {
    if (!may_update(updates) || !add({PartKind::call, body})) return false;
    updates += body->size();
    return true;
  });
  return section;
}

void ClientLink::taken(const Section& sent) {
  assert(sent.first == state_.next && !frozen_);
  handle_ = sent.handle;
  introduced_ = true;
  std::size_t updates = 0;
  std::int64_t update_bytes = 0;
  for (const Part& part : sent.parts) {
    const std::size_t size = part.body->size();
    state_.sizes.push_back(static_cast<std::uint32_t>(size));
    in_flight_ += size;
    ++state_.next;
    if (part.kind == PartKind::full) {
      state_.full_due = false;
      note_news(false);                  // it has them
    } else if (state_.unsent.empty()) {  // after all of those: see draft()
      ++updates;
      update_bytes += static_cast<std::int64_t>(size);
    } else {
      unsent_bytes_ -= size;
      if (part.kind == PartKind::reply) std::erase(state_.open, request_of(part));
      state_.unsent.pop_front();
    }
  }
  droppables_.said(updates);
  if (updates > 0) lead(-update_bytes);
  if (sent.parts.back().kind == PartKind::over) end_stretch();
}

}  // namespace starbus::entity::sessions
