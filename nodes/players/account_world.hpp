/// What the accounts and players of a node reach through world(): where players are loaded, who
/// checks tickets, and how long each state may last. A program makes one, and adds it:
///
///   players::AccountWorld accounts;
///   accounts.load = players::load_at<Hero>(host, "town");        // the least busy node of a role
///   accounts.ticket = [&](const std::string& account, bus::ByteView ticket) { ... };
///   host.world().add(accounts);
///
/// A plain value, which outlives the entities; belongs to the loop's thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "nodes/hosting/entity_host.hpp"
#include "nodes/players/core/account_effects.hpp"
#include "nodes/players/limits.hpp"

namespace starbus::nodes::players {

namespace rpc = entity::rpc;

/// How long a state of an account or a player lasts at most.
struct PlayerTimes {
  std::chrono::milliseconds load = kSessionLoad;
  std::chrono::milliseconds lobby = kLobbyTime;
  std::chrono::milliseconds end = kSessionEnd;
  std::chrono::milliseconds idle = kAccountIdle;
  std::chrono::milliseconds first_client = kFirstClient;
  std::chrono::milliseconds link_dead = kLinkDead;
  std::chrono::milliseconds logout = kLogoutTime;
};

struct AccountWorld {
  /// Called once, within the time of a call. `there`: the entity lives, here or elsewhere.
  using Loaded = std::function<void(bool there)>;
  using Load = std::function<void(const std::string& channel, Loaded done)>;
  /// What a ticket says if its signature, its account (a channel) and its time are right.
  using Ticket =
      std::function<std::optional<TicketSeen>(const std::string& account, bus::ByteView ticket)>;
  Load load{};      // not set: players are not loaded; they have to be there
  Ticket ticket{};  // not set: no ticket is good
  PlayerTimes times{};
};

/// For AccountWorld::load: players of class P enter in this process.
template <entity::EntityClass P>
AccountWorld::Load load_here(entities::EntityHost& host) {
  return [&host](const std::string& channel, AccountWorld::Loaded done) {
    host.enter<P>(channel, {},
                  [done = std::move(done)](const bus::Result<entities::Entered<P>>& in) {
                    done(in.has_value());
                  });
  };
}
/// The same in the ready node of a role that is least busy, unless it lives elsewhere.
template <entity::EntityClass P>
AccountWorld::Load load_at(entities::EntityHost& host, std::string role) {
  return [&host, role = std::move(role)](const std::string& channel, AccountWorld::Loaded done) {
    entities::EnterAt where;
    where.least_loaded = role;
    host.enter_at<P>(channel, where,
                     [done = std::move(done)](const bus::Result<entities::Entered<P>>& in) {
                       done(in.has_value());
                     });
  };
}

}  // namespace starbus::nodes::players
