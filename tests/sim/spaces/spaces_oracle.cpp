#include "tests/sim/spaces/spaces_oracle.hpp"

namespace starbus::sim {
namespace {

std::string of(const std::string& player, const std::string& sender, std::uint64_t number) {
  return "message " + std::to_string(number) + " of " + sender + " to " + player;
}

}  // namespace

SpacesOracle::Life SpacesOracle::new_life(const std::string& player, int rounds) {
  const Life life = lives_.size() + 1;
  lives_[life].player = player;
  lives_[life].rounds = rounds;
  players_[player].latest = life;
  note(player + " begins life " + std::to_string(life));
  return life;
}

void SpacesOracle::in_doubt(Life life) {
  note(lives_[life].player + ", life " + std::to_string(life) + ": in doubt");
  lives_[life].doubt = true;
  ++players_[lives_[life].player].ends;
}

void SpacesOracle::life_ends(Life life, const std::string& why) {
  LifeRow& row = lives_[life];
  note(row.player + ", life " + std::to_string(life) + ": ended, " + why);
  ++players_[row.player].ends;
  if (row.doubt) return;
  ++counts["ended: " + why];
  demand(!row.ended, row.player + " has ended twice");
  row.ended = true;
}

std::string SpacesOracle::lost(const std::set<Life>& living) const {
  for (const auto& [life, row] : lives_) {
    if (!row.ended && !row.doubt && !living.contains(life)) {
      return "life " + std::to_string(life) + " of " + row.player;
    }
    if (row.ended && living.contains(life)) return "the end of " + row.player;
  }
  return {};
}

void SpacesOracle::round(Life life, int number) {
  int& last = lives_[life].rounds;
  demand(number == last + 1 || is_in_doubt(life), lives_[life].player + " makes round " +
                                                      std::to_string(number) + " after " +
                                                      std::to_string(last));
  last = number;
}

SpacesOracle::Job SpacesOracle::begin_job(Life life, const std::string& what) {
  const Job job = jobs_.size() + 1;
  jobs_[job] = {life, what + " " + std::to_string(job)};
  ++counts["begun: " + what];
  return job;
}

void SpacesOracle::did(Job job, Life life) {
  JobRow& row = jobs_.at(job);
  if (row.life == 0) row.life = life;
  ++row.done;
  demand(row.done == 1 || is_in_doubt(row.life), row.what + " was done twice");
}

void SpacesOracle::told(Job job, bool done) {
  JobRow& row = jobs_.at(job);
  demand(!row.known, row.what + " has ended twice");
  row.known = true;
  if (is_in_doubt(row.life)) return;
  demand(!done || row.done == 1, row.what + " is said to be done, and is not");
  demand(done || row.done == 0, row.what + " is said not to be done, and is");
}

std::uint64_t SpacesOracle::next_message(const std::string& player, const std::string& sender) {
  Stream& stream = streams_[{player, sender}];
  ++counts["messages"];
  Message& message = stream.messages[++stream.last];
  const PlayerRow& row = players_[player];
  const auto life = lives_.find(row.latest);
  if (life != lives_.end() && !life->second.ended && !life->second.doubt) message.ends = row.ends;
  return stream.last;
}

void SpacesOracle::heard(const std::string& player, const std::string& sender,
                         std::uint64_t number) {
  Stream& stream = streams_[{player, sender}];
  Message& message = stream.messages[number];
  ++counts["heard"];
  demand(!message.heard, of(player, sender, number) + " was heard twice");
  demand(number > stream.latest,
         of(player, sender, number) + " was heard after " + std::to_string(stream.latest));
  message.heard = true;
  message.heard_at = players_[player].ends;
  stream.latest = number;
}

void SpacesOracle::ended(const std::string& player, const std::string& sender, std::uint64_t number,
                         End end, bool sender_lost) {
  Stream& stream = streams_[{player, sender}];
  Message& message = stream.messages[number];
  demand(!message.over, of(player, sender, number) + " has ended twice");
  message.over = true;
  if (end == End::handled) {
    demand(message.heard, of(player, sender, number) + " is said to be handled, and is not");
    stream.known = message.heard_at;
  } else if (end != End::unknown) {
    demand(!message.heard, of(player, sender, number) + " is said not to be handled, and is");
  } else {
    ++counts["of unknown outcome"];
  }
  // A player who lives all the time is there all the time, wherever it goes. What is meant for a
  // former life ends as unknown: its sender had not heard of the present one.
  const bool lived = message.ends && *message.ends == players_[player].ends && !sender_lost;
  const bool meant = stream.known && *stream.known == players_[player].ends;
  demand(end != End::absent || !lived,
         of(player, sender, number) + " has found nobody, and its player lives");
  // Of one that was heard the answer may end with a process that the player has left.
  demand(end != End::unknown || message.heard || !lived || !meant,
         of(player, sender, number) + " is lost, and its player lives");
}

std::string SpacesOracle::open(const std::set<Life>& living,
                               const std::set<std::string>& senders) const {
  for (const auto& [job, row] : jobs_) {
    const bool lives = living.contains(row.life) && !is_in_doubt(row.life);
    if (lives && row.done == 0 && !row.known) return row.what + " to be done";
  }
  for (const auto& [key, stream] : streams_) {
    if (!senders.contains(key.second)) continue;
    for (const auto& [number, message] : stream.messages) {
      if (!message.over) return of(key.first, key.second, number) + " to end";
    }
  }
  return {};
}

}  // namespace starbus::sim
