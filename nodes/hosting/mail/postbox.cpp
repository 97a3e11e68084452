#include "nodes/hosting/mail/postbox.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "base/wall_clock.hpp"
#include "nodes/hosting/host_context.hpp"
#include "nodes/hosting/limits.hpp"

namespace starbus::nodes::entities {
namespace {

bool is_over(const KeptLetter& letter, std::uint64_t now) {
  return letter.expires != 0 && letter.expires <= now;
}

/// Smaller: it leaves earlier. The id comes last, so that the oldest of a kind leaves.
std::uint8_t worth_of(const KeptLetter& letter, std::uint64_t now) {
  if (is_over(letter, now)) return 0;
  if (letter.has_items()) return 3;
  return letter.read ? 1 : 2;
}

}  // namespace

entity::EntityResult<> Postbox::on_activate() {
  sweep();
  return {};
}

entity::EntityResult<> Postbox::deliver(const MailInfo& mail, const Letter& letter) {
  if (letter.sender.size() > kLetterTitle || letter.title.size() > kLetterTitle ||
      letter.body.size() > kLetterBody || letter.items.size() > kLetterItems) {
    return entity::EntityError(
        entity::EntityErrc::too_large,
        "the letter: see the limits kLetterTitle, kLetterBody, kLetterItems");
  }
  if (letter.expires != 0 && letter.expires <= wall_ms()) return {};
  KeptLetter kept;
  kept.sender = letter.sender;
  kept.title = letter.title;
  kept.body = letter.body;
  kept.items = letter.items;
  kept.expires = letter.expires;
  const auto posted =
      std::chrono::duration_cast<std::chrono::milliseconds>(mail.posted.time_since_epoch());
  kept.posted = static_cast<std::uint64_t>(posted.count());
  if (state().letters.size() >= kLetters) make_room();
  const std::int64_t id = state().latest + 1;
  if (const auto inserted = state().letters.insert(id, std::move(kept)); !inserted) {
    return entity::EntityError(entity::EntityErrc::too_large, inserted.error().to_string());
  }
  state().latest = id;
  ++state().unread;
  sweep_later();
  return {};
}

LetterEnd Postbox::client_read(entity::rpc::Caller&, std::int64_t letter) {
  return read(letter);
}
LetterEnd Postbox::client_claim(entity::rpc::Caller&, std::int64_t letter) {
  return claim(letter);
}
LetterEnd Postbox::client_erase(entity::rpc::Caller&, std::int64_t letter) {
  return erase(letter);
}

LetterEnd Postbox::read(std::int64_t letter) {
  KeptLetter* const found = find(letter);
  if (found == nullptr) return LetterEnd::no_such_letter;
  if (!found->read) {
    found->read = true;
    --state().unread;
  }
  return LetterEnd::done;
}

/// The flag comes first: a function that fails takes nothing, and one that saves has both.
LetterEnd Postbox::claim(std::int64_t letter) {
  KeptLetter* const found = find(letter);
  if (found == nullptr) return LetterEnd::no_such_letter;
  if (!found->has_items()) return LetterEnd::nothing_to_claim;
  const std::vector<LetterItem> items = found->items;
  found->claimed = true;
  if (give(items)) {
    read(letter);
    return LetterEnd::done;
  }
  if (KeptLetter* const still = state().letters.edit(letter)) still->claimed = false;
  return LetterEnd::not_taken;
}

LetterEnd Postbox::erase(std::int64_t letter) {
  if (find(letter) == nullptr) return LetterEnd::no_such_letter;
  remove(letter);
  return LetterEnd::done;
}

KeptLetter* Postbox::find(std::int64_t letter) {
  KeptLetter* const found = state().letters.edit(letter);
  return found == nullptr || is_over(*found, wall_ms()) ? nullptr : found;
}

bool Postbox::give(const std::vector<LetterItem>& items) {
  if (!give_) return false;
  try {
    return give_(items).has_value();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& thrown) {
    spdlog::error("entities: {}: items of a letter were not given: {}", entity().label(),
                  thrown.what());
    return false;
  }
}

void Postbox::remove(std::int64_t letter) {
  const KeptLetter* const found = state().letters.find(letter);
  if (found == nullptr) return;
  if (!found->read) --state().unread;
  state().letters.erase(letter).value();
}

void Postbox::make_room() {
  const std::uint64_t now = wall_ms();
  std::pair<std::uint8_t, std::int64_t> least{std::numeric_limits<std::uint8_t>::max(), 0};
  state().letters.for_each([&](std::int64_t id, const KeptLetter& letter, std::uint32_t) {
    least = std::min(least, std::pair{worth_of(letter, now), id});
  });
  const KeptLetter* const leaves = state().letters.find(least.second);
  if (leaves != nullptr && leaves->has_items() && claim(least.second) != LetterEnd::done) {
    spdlog::warn("entities: {}: letter {} leaves with its items", entity().label(), least.second);
  }
  remove(least.second);
}

void Postbox::sweep() {
  const std::uint64_t now = wall_ms();
  std::vector<std::int64_t> over;
  state().letters.for_each([&](std::int64_t id, const KeptLetter& letter, std::uint32_t) {
    if (is_over(letter, now)) over.push_back(id);
  });
  for (const std::int64_t id : over) remove(id);
  sweep_later();
}

/// One step waits at a time; it travels.
void Postbox::sweep_later() {
  std::optional<std::uint64_t> next;
  state().letters.for_each([&](std::int64_t, const KeptLetter& letter, std::uint32_t) {
    if (letter.expires != 0) next = std::min(next.value_or(letter.expires), letter.expires.get());
  });
  if (!next || entity().waiting<&Postbox::sweep>() != 0) return;
  const std::uint64_t now = wall_ms();
  const auto left = std::chrono::milliseconds(*next > now ? *next - now + 1 : 1);
  const entity::Time first = std::min<entity::Time>(left, kLetterSweep);
  // Without a timer letters are looked at when they are called, and at the next activation.
  if (const auto set = entity().run_later<&Postbox::sweep>({.first = first}); !set) {
    spdlog::debug("entities: {}: {}", entity().label(), set.error().to_string());
  }
}

}  // namespace starbus::nodes::entities
