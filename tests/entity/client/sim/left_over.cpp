// What must not be left when a simulated world has come to rest.
#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {
namespace {

template <class Value>
std::string number_text(const Value& value) {
  return std::to_string(value.epoch) + '.' + std::to_string(value.counter);
}

std::string text_of(const LinkState& link, const gates::Session& record, const Client& client) {
  return "link bind " + number_text(link.bind) + " run " + number_text(link.run) + " next " +
         std::to_string(link.next) + " turn " + std::to_string(link.turn) + " unsent " +
         std::to_string(link.unsent.size()) + " at " + link.gate.channel + ", record bind " +
         number_text(record.order.bind()) + " run " + number_text(record.order.run()) + " next " +
         std::to_string(record.order.next()) + " turn " + std::to_string(record.hand.turn) +
         " subject " + record.subject + (record.locating ? " locating" : "") +
         (record.pulsing ? " pulsing" : "") + ", client bind " + number_text(client.bind) +
         " run " + number_text(client.run) + " n " + std::to_string(client.n) +
         (link.session == client.session ? "" : ", another session");
}

std::string text_of(const gates::Session& record) {
  return "of " + record.account + " stage " + std::to_string(static_cast<int>(record.stage)) +
         " bind " + number_text(record.order.bind()) + " turn " + std::to_string(record.hand.turn) +
         " login " + std::to_string(record.login) + (record.connection != 0 ? " connected" : "") +
         (record.away ? " away" : "") + (record.binding ? " binding" : "");
}

bool is_over(const gates::Session& record) {
  return record.stage == gates::Stage::ended || record.stage == gates::Stage::stub;
}

bool is_calm(const gates::Session& record) {
  return !record.locating && !record.locate_due && !record.relink_due && !record.relinking &&
         !record.hole && record.requests.state().pending.empty();
}

}  // namespace

void World::check_client(Client& client, std::vector<std::string>& left) {
  Gate* const there = gate(client.at());
  const gates::Session* const record = there == nullptr ? nullptr : there->find(client.session);
  Player* const subject = player(client.subject);
  if (!client.on || record == nullptr || subject == nullptr ||
      record->connection != client.wire->number) {
    return left.push_back(client.name + " is not on");
  }
  const LinkState& link = subject->link.state();
  const bool whole = link.session == client.session && link.bind == client.bind &&
                     link.run == client.run && link.unsent.empty() &&
                     subject->link.droppables().empty() && oracle.all_silent(client);
  if (!whole) {
    left.push_back(client.name + " was not shown all of " + subject->name + ": " +
                   text_of(link, *record, client));
  } else if (client.value != subject->value) {
    left.push_back(client.name + " has an old state");
  }
  if (!client.out.empty()) left.push_back(client.name + " has open requests");
  if (!is_calm(*record)) left.push_back(client.name + "'s gate has work");
  if (deaths && !record->hand.givers.empty()) left.push_back(client.name + " has stubs");
}

void World::check_owners(const std::set<SessionId>& used, std::vector<std::string>& left) {
  for (const auto& [name, owner] : owners_) {
    Player* const there = player(name);
    if (there == nullptr) continue;
    const LinkState& link = there->link.state();
    if (link.lost) left.push_back(name + " asks its account for ever");
    if (!there->link.linked() || used.contains(link.session)) continue;
    left.push_back(name + " has a client that is not there: " + link.gate.channel + " turn " +
                   std::to_string(link.turn) + " bind " + number_text(link.bind) +
                   (alive(link.gate.process) ? " alive" : "") +
                   (there->link.away() ? " away" : ""));
  }
  std::map<std::string, int> homes;
  for (const auto& [place, player] : players_) {
    if (!player->link.frozen() && ++homes[place.first] == 2) {
      left.push_back(place.first + " acts at two homes");
    }
  }
  for (const auto& [name, owner] : owners_) {
    Account* const there = account(name);
    const SessionId session = there == nullptr ? SessionId{} : there->row().session;
    if (session && !used.contains(session)) left.push_back(name + " has a session that is over");
  }
}

std::vector<std::string> World::left_over() {
  std::vector<std::string> left;
  std::set<SessionId> used;
  for (const auto& client : clients) {
    if (client->told) continue;
    used.insert(client->session);
    check_client(*client, left);
  }
  for (const auto& [pid, gate] : gates_) {
    for (const SessionId& session : gate->sessions()) {
      if (used.contains(session) || is_over(*gate->find(session))) continue;
      left.push_back("a session that nobody uses: " + channel_of(pid) + ' ' +
                     text_of(*gate->find(session)));
    }
  }
  check_owners(used, left);
  return left;
}

}  // namespace starbus::entity::sessions::sim
