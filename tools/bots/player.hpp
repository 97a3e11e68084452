/// One session of a bot: a client, what it chooses, what it asks and hears, and how it ends.
/// Belongs to one loop, in its thread. It is destroyed when its session is over, or with the run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "clients/cpp/client.hpp"
#include "tools/bots/asker.hpp"
#include "tools/bots/ground.hpp"
#include "tools/bots/listener.hpp"
#include "tools/bots/state/own_watch.hpp"
#include "tools/bots/walker.hpp"

namespace starbus::bots {

/// See above.
class Player final : public game::Events {
 public:
  /// `memory` is the bot's, and outlives it.
  Player(Ground& ground, std::uint64_t bot, const std::string& account, Memory& memory);

  void log_in(const std::string& method, const std::string& proof);
  void come_back(const game::Bytes& reentry);
  /// Before it logs in: it has the place of the session before, and not one of its own.
  void pass_queue() { queues_ = false; }
  /// Another session of the bot goes on where that one is.
  void follow(const Player& before) { listener_.follow(before.listener_); }

  /// The socket is ready, or time has passed.
  void service();
  /// Says what is due.
  void act(Nanos now);
  Nanos due() const;
  /// When its client is due.
  Nanos client_due() const;
  /// Breaks the connection within so many bytes. False: there is none, or it is to break already.
  bool cut(std::size_t bytes);
  void say_goodbye();

  const game::Client& client() const { return client_; }
  /// A full state of what the bot is to play has come.
  bool has_played() const { return has_played_; }
  /// Its latest full state counts.
  bool plays() const { return plays_ && client_.state() == game::State::online; }
  bool waits() const { return waits_ && !has_played_; }
  std::optional<game::EndReason> ended() const { return ended_; }
  const std::string& ended_text() const { return ended_text_; }
  const Asker& asker() const { return asker_; }
  /// What it sees and plays, of the classes of [[state]]. Only while plays().
  void look(std::vector<Sighting>& all) const;
  /// The properties of what it plays; null: not known.
  const OwnState* state() const { return own_.state(); }
  /// The signed part of its latest ticket.
  const game::Bytes& reentry() const { return reentry_; }

 private:
  void on_waiting(const game::Waiting& waiting) override;
  void on_online(bool goes_on, const game::Ticket& ticket) override;
  void on_lost(const game::Lost& lost) override;
  void on_full(const game::FullState& full) override;
  void on_call(const game::Call& call) override {
    if (!walker_.hear(call)) listener_.on_call(call, nullptr);
  }
  void on_news(game::ByteView news) override;
  void on_names(const game::ServerNames& names, std::span<const game::Difference>) override;
  void on_sight(game::ByteView body) override {
    if (!walker_.take(body)) client_.refresh();
  }
  void on_spoken(const game::Spoken& spoken) override;
  void on_over(const game::Over&) override;
  void on_ended(game::EndReason reason, std::string_view text) override;

  void note_asked(Nanos before);
  void judge_place(std::uint64_t ahead);
  void choose();
  void create();
  void note(std::string_view what, std::string_view detail = {});
  void end_stretch();

  Ground& ground_;
  const std::uint64_t bot_;
  const std::string account_;
  Memory& memory_;
  game::Client client_;
  Listener listener_;
  OwnWatch own_;
  Walker walker_;
  Asker asker_;
  Nanos choose_at_ = kNever;
  std::uint64_t made_ = 0;  // connections that were counted
  bool plays_ = false;
  bool has_played_ = false;
  bool waits_ = false;
  bool queues_ = true;  // and is judged by it
  QueueCheck::Place place_{};
  bool is_to_break_ = false;
  bool lost_ = false;  // and not counted by its trouble yet
  std::optional<game::EndReason> ended_;
  std::string ended_text_;
  game::Bytes reentry_;
};

}  // namespace starbus::bots
