#include "nodes/space/host/hosted_spaces.hpp"

#include <algorithm>

#include "nodes/space/host/check_order.hpp"
#include "nodes/space/host/limits.hpp"
#include "nodes/space/limits.hpp"

namespace starbus::nodes::space {

Seats HostedSpaces::seats_of(const Hosted& space) {
  return {space.present, static_cast<std::uint32_t>(space.held.size())};
}

void HostedSpaces::reply(std::uint64_t number, Reply::To to, const Life& life, Result<> result,
                         Seats seats) {
  replies_.push_back({term_, number, to, life, std::move(result), seats});
}

void HostedSpaces::reply(const Order& order, Reply::To to, Result<> result, const Hosted* space) {
  reply(order.number, to, order.life, std::move(result),
        space == nullptr ? Seats{} : seats_of(*space));
}

Result<> HostedSpaces::obey(const Order& order, Time now) {
  if (order.term < term_) {
    return Error(Errc::stale_service,
                 "term " + std::to_string(order.term) + " is before " + std::to_string(term_));
  }
  if (order.term > term_) {
    term_ = order.term;
    seen_ = 0;
    // Orders of the former service are answered to nobody; the announcement has their outcome.
    for (auto& [life, space] : spaces_) space.created_by = space.closed_by = 0;
  }
  seen_ = std::max(seen_, order.number);
  if (auto checked = check(order); !checked) return refuse_bad(order, std::move(checked));
  const auto found = spaces_.find(order.life);
  if (std::holds_alternative<Hello>(order.what)) {
    announce_ = true;
  } else if (const auto* const create = std::get_if<Create>(&order.what)) {
    obey_create(order, *create);
  } else if (const auto* const reserve = std::get_if<Reserve>(&order.what)) {
    obey_reserve(order, *reserve, now);
  } else if (const auto* const close = std::get_if<Close>(&order.what)) {
    obey_close(order, *close);
  } else if (found != spaces_.end()) {
    if (const auto* const release = std::get_if<Release>(&order.what)) {
      room_ = room_ || found->second.full();
      for (const Ticket& ticket : release->tickets) {
        if (found->second.held.erase(ticket) > 0) tickets_.erase(ticket);
      }
    } else if (const auto* const countdown = std::get_if<Countdown>(&order.what)) {
      count_down(order.life, found->second, countdown->after, now);
    }
  }
  return {};
}

/// What has an answer gets it; of what has none, whoever has sent it is told.
Result<> HostedSpaces::refuse_bad(const Order& order, Result<> why) {
  const auto found = spaces_.find(order.life);
  const Hosted* const space = found == spaces_.end() ? nullptr : &found->second;
  if (std::holds_alternative<Create>(order.what)) {
    reply(order, Reply::To::create, std::move(why), space);
  } else if (std::holds_alternative<Reserve>(order.what)) {
    reply(order, Reply::To::reserve, std::move(why), space);
  } else {
    return why;
  }
  return {};
}

void HostedSpaces::obey_create(const Order& order, const Create& create) {
  const auto refuse = [&](Error why) {
    reply(order, Reply::To::create, Result<>(std::move(why)), nullptr);
  };
  if (const auto found = spaces_.find(order.life); found != spaces_.end()) {
    Hosted& space = found->second;
    space.created_by = order.number;
    if (space.state == State::running) reply(order, Reply::To::create, {}, &space);
    return;
  }
  if (draining_) return refuse({Errc::ends, "the node drains"});
  if (std::ranges::find(types_, create.type.name) == types_.end()) {
    return refuse({Errc::unknown_type, "no class of '" + create.type.name + "' here"});
  }
  if (names_.contains(create.name)) return refuse({Errc::already_there, to_string(create.name)});
  if (spaces_.size() >= kMaxHosted) return refuse({Errc::would_block, "too many spaces run here"});
  Hosted space;
  space.name = create.name;
  space.capacity = create.type.capacity;
  space.created_by = order.number;
  names_.emplace(create.name, order.life);
  spaces_.emplace(order.life, std::move(space));
  work_.emplace_back(Start{order.life, create});
}

void HostedSpaces::started(const Life& life, const Result<>& result) {
  const auto found = spaces_.find(life);
  if (found == spaces_.end() || found->second.state != State::starting) return;
  Hosted& space = found->second;
  if (space.created_by != 0) {
    reply(space.created_by, Reply::To::create, life, result, seats_of(space));
  }
  if (result) {
    space.state = State::running;
    return;
  }
  names_.erase(space.name);
  spaces_.erase(found);
}

void HostedSpaces::obey_reserve(const Order& order, const Reserve& reserve, Time now) {
  const auto found = spaces_.find(order.life);
  const auto refuse = [&](Error why) {
    reply(order, Reply::To::reserve, Result<>(std::move(why)),
          found == spaces_.end() ? nullptr : &found->second);
  };
  if (found == spaces_.end()) return refuse(Errc::unknown_space);
  Hosted& space = found->second;
  if (draining_ || space.state == State::ending || space.ends_at) return refuse(Errc::ends);
  if (space.state == State::starting) return refuse({Errc::unknown_space, "it still starts"});
  const std::size_t taken = space.present + space.held.size();
  if (taken + reserve.tickets.size() > space.capacity) {
    return refuse({Errc::full, to_string(space.name) + " has " + std::to_string(taken) + " of " +
                                   std::to_string(space.capacity)});
  }
  const auto held = [&](const Ticket& ticket) { return tickets_.contains(ticket); };
  if (std::ranges::any_of(reserve.tickets, held)) {
    return refuse({Errc::bad_request, "tickets: a seat is held for one already"});
  }
  for (const Ticket& ticket : reserve.tickets) {
    space.held[ticket] = {.until = now + reserve.hold};
    tickets_[ticket] = order.life;
  }
  reply(order, Reply::To::reserve, {}, &space);
}

void HostedSpaces::obey_close(const Order& order, const Close& close) {
  const auto found = spaces_.find(order.life);
  if (found == spaces_.end()) return reply(order, Reply::To::close, {}, nullptr);  // it has gone
  Hosted& space = found->second;
  const bool empty = space.present == 0 && space.held.empty();
  if (!close.force && space.state != State::ending && (!empty || space.state == State::starting)) {
    return reply(order, Reply::To::close, Result<>(Errc::occupied), &space);
  }
  space.closed_by = order.number;
  end(order.life, space);
}

void HostedSpaces::give_up_seats(Hosted& space) {
  for (const auto& [ticket, until] : space.held) tickets_.erase(ticket);
  space.held.clear();
}

/// A player that is on its way arrives in a moment: it leaves as the others do.
void HostedSpaces::give_up_unclaimed(Hosted& space) {
  std::erase_if(space.held, [&](const auto& seat) {
    if (seat.second.claimed) return false;
    tickets_.erase(seat.first);
    return true;
  });
}

void HostedSpaces::end(const Life& life, Hosted& space) {
  if (space.state == State::ending) return;
  space.state = State::ending;
  give_up_seats(space);
  work_.emplace_back(End{life});
}

void HostedSpaces::ended(const Life& life) {
  const auto found = spaces_.find(life);
  if (found == spaces_.end()) return;
  Hosted& space = found->second;
  give_up_seats(space);
  if (space.closed_by != 0) reply(space.closed_by, Reply::To::close, life, {}, {});
  names_.erase(space.name);
  spaces_.erase(found);
}

void HostedSpaces::count_down(const Life& life, Hosted& space, std::chrono::milliseconds after,
                              Time now) {
  if (space.state == State::ending || space.ends_at) return;
  space.ends_at = now + after;
  give_up_unclaimed(space);
  work_.emplace_back(Warn{life, after});
}

Result<> HostedSpaces::end_by_itself(const Life& life, std::chrono::milliseconds after, Time now) {
  if (after < std::chrono::milliseconds(0) || after > kLongestCountdown) {
    return Error(Errc::bad_request, "a countdown of " + std::to_string(after.count()) + " ms");
  }
  const auto found = spaces_.find(life);
  if (found == spaces_.end()) return Errc::unknown_space;
  Hosted& space = found->second;
  if (space.state == State::ending || space.ends_at) return Errc::ends;
  count_down(life, space, after, now);
  return {};
}

Result<> HostedSpaces::claim(const Ticket& ticket, std::chrono::milliseconds hold, Time now) {
  const auto found = tickets_.find(ticket);
  if (found == tickets_.end()) return Errc::unknown_ticket;
  Hosted& space = spaces_.at(found->second);
  Held& seat = space.held.at(ticket);
  if (now >= seat.until) return Errc::unknown_ticket;
  if (draining_ || space.ends_at) return Error(Errc::ends, to_string(space.name));
  seat = {.until = now + hold, .claimed = true};
  return {};
}

std::size_t HostedSpaces::claimed() const {
  std::size_t sum = 0;
  for (const auto& [life, space] : spaces_) {
    sum += static_cast<std::size_t>(
        std::ranges::count_if(space.held, [](const auto& seat) { return seat.second.claimed; }));
  }
  return sum;
}

Result<Life> HostedSpaces::arrive(const Ticket& ticket, Time now) {
  const auto found = tickets_.find(ticket);
  if (found == tickets_.end()) return Errc::unknown_ticket;
  const Life life = found->second;
  Hosted& space = spaces_.at(life);
  const bool late = now >= space.held.at(ticket).until;
  space.held.erase(ticket);
  tickets_.erase(found);
  if (late) return Errc::unknown_ticket;
  ++space.present;
  return life;
}

void HostedSpaces::leave(const Life& life) {
  const auto found = spaces_.find(life);
  if (found == spaces_.end() || found->second.present == 0) return;
  room_ = room_ || found->second.full();
  --found->second.present;
}

void HostedSpaces::drain() {
  draining_ = true;
  for (auto& [life, space] : spaces_) give_up_unclaimed(space);
}

void HostedSpaces::drain(std::chrono::milliseconds after, Time now) {
  draining_ = true;
  for (auto& [life, space] : spaces_) {
    if (space.state == State::ending) continue;
    give_up_seats(space);
    if (space.present == 0) {
      end(life, space);
    } else if (!space.ends_at || *space.ends_at > now + after) {
      space.ends_at = now + after;
      work_.emplace_back(Warn{life, after});
    }
  }
}

void HostedSpaces::due(Time now) {
  for (auto& [life, space] : spaces_) {
    const bool full = space.full();
    const auto over = std::erase_if(space.held, [&](const auto& seat) {
      if (now < seat.second.until) return false;
      tickets_.erase(seat.first);
      return true;
    });
    room_ = room_ || (full && over > 0);
    if (space.ends_at && now >= *space.ends_at) end(life, space);
  }
}

Announcement HostedSpaces::announcement(double busy_ms_per_s, Time now) const {
  Announcement all{term_, seen_, busy_ms_per_s, draining_, types_, labels_, {}};
  for (const auto& [life, space] : spaces_) {
    SpaceRow row{life,           space.name,     space.state != State::starting, false, {},
                 space.capacity, seats_of(space)};
    row.ending = space.state == State::ending || space.ends_at.has_value();
    if (space.ends_at && *space.ends_at > now) {
      row.ends_in = std::chrono::ceil<std::chrono::milliseconds>(*space.ends_at - now);
    }
    all.spaces.push_back(std::move(row));
  }
  return all;
}

}  // namespace starbus::nodes::space
