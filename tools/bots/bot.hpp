/// One account that plays: arrives, comes back, cuts its connection, takes itself over. Belongs to
/// one loop, in its thread.
#pragma once

#include <memory>
#include <string>

#include "tools/bots/player.hpp"

namespace starbus::bots {

/// See above.
class Bot {
 public:
  /// `arrival`: on the clock of now_nanos().
  Bot(Ground& ground, std::uint64_t number, Nanos arrival);

  /// Does what is due, and has the sessions that are over away. `ready`: a socket is.
  void turn(Nanos now, bool ready);
  /// When turn() is due at the latest.
  Nanos due() const;
  /// Its sessions: one, two during a takeover, or none.
  Player* present() const { return present_.get(); }
  Player* next() const { return next_.get(); }
  bool came_in() const { return came_in_; }
  const std::string& account() const { return account_; }
  /// What it may come back with; empty: nothing.
  const game::Bytes& reentry() const { return reentry_; }
  void measure(Gauges& gauges) const;
  /// What it sees, and what it plays, if it plays.
  void look(std::vector<Sighting>& all) const;
  void stand(std::vector<Standing>& all) const;
  /// The run ends: what should have come by now, and has not, is a violation.
  void judge_end() const;

 private:
  std::unique_ptr<Player> make();
  void arrive(Nanos now);
  void log_in(Nanos now);
  static void play(Player& player, Nanos now, bool ready);
  void cut(Nanos now);
  void take_over(Nanos now);
  void leave();
  void after_end(Nanos now);
  void forget(std::unique_ptr<Player>& player);
  void report_end(const std::string& expected, const std::string& got) const;

  Ground& ground_;
  const std::uint64_t number_;
  const std::string account_;
  const Nanos arrival_;
  Memory memory_;  // of all its sessions
  std::unique_ptr<Player> present_;
  std::unique_ptr<Player> next_;  // takes over from present_
  bool arrived_ = false;
  bool came_in_ = false;
  bool exists_ = false;  // its account does
  Nanos log_in_at_ = kNever;
  Nanos cut_at_ = kNever;
  Nanos take_over_at_ = kNever;
  Nanos leave_at_ = kNever;
  game::Traffic past_{};  // of sessions that are over
  game::Bytes reentry_;
};

}  // namespace starbus::bots
