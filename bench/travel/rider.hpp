// Rider: a client whose player travels to and fro between two places, and counts what comes: the
// numbers of the player itself, those that processes elsewhere send to it, the answers to requests,
// and properties. Measures how long each travel freezes what it sees.
//
// One thread uses it, which waits for its socket and calls service() when that is ready, or it is
// due. Never fails: what is wrong is counted.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "clients/cpp/client.hpp"
#include "tests/cluster/travel/pilot.hpp"

namespace starbus::bench::travel {

struct RiderOptions {
  std::vector<std::string> gates;  // HOST:PORT
  std::size_t riders = 1;
  int trips = 1;
  int stay_ms = 1;
  int count_ms = 1;
  int ask_ms = 1;
};

class Rider final : private game::Events {
 public:
  Rider(const RiderOptions& options, std::size_t number);

  void service();
  // When service() is called at the latest, by now_ns().
  std::int64_t due() const;
  const game::Client& client() const { return client_; }

  // Its player says numbers.
  bool plays() const { return plays_ && numbers_.last() >= kFlowing; }
  void set_out();
  // All its travels have ended.
  bool is_back() const { return trips_ == options_.trips && stage_ == Stage::resting; }
  // Asks no more, and compares with its player.
  void finish();
  bool over() const { return stage_ == Stage::over; }
  // Why it is not over, for people.
  std::string state() const;
  nlohmann::json result() const;

 private:
  enum class Stage : std::uint8_t {
    entering,    // until its player says numbers
    resting,     // between two travels
    travelling,  // asked for, and not ended
    settling,    // ended a moment ago
    finishing,   // waits for all outcomes, and for what its player counts
    comparing,   // and for the last of what its player has said
    over,
  };
  static constexpr std::uint64_t kFlowing = 5;
  static constexpr int kSettled = 3;  // numbers after the end of a travel that belong to it

  // game::Events
  void on_online(bool goes_on, const game::Ticket& ticket) override;
  void on_full(const game::FullState& full) override;
  void on_news(game::ByteView news) override;
  void on_call(const game::Call& call) override;
  void on_ended(game::EndReason reason, std::string_view text) override;

  template <auto M, class... A>
  bool ask(game::Told told, const A&... arguments);
  void enter_as_player();
  void act(std::int64_t now);
  void depart(std::int64_t now);
  void landed(const std::string& where, std::int64_t now);
  void heard_number(std::uint64_t number, std::int64_t now);
  void ask_next(std::int64_t now);
  void ask_report();
  void compare();
  double beyond_period(std::int64_t gap) const;

  const RiderOptions& options_;
  const std::size_t number_;
  game::Client client_;
  std::optional<cluster_test::PilotState> state_;  // the properties of its player
  std::string subject_;
  bool plays_ = false;
  Stage stage_ = Stage::entering;

  // Travels.
  int trips_ = 0;
  int failed_ = 0;  // ended elsewhere than asked
  std::string failure_;
  std::int64_t depart_at_;
  std::int64_t departed_ = 0;
  std::int64_t number_at_ = 0;  // when the latest number came
  std::int64_t worst_ = 0;      // gap between two numbers, in this stage
  int settled_ = 0;
  std::vector<double> freezes_;  // ms
  std::vector<double> quiets_;   // the same, of the times between two travels
  std::vector<double> times_;    // ms, of whole travels

  // What has come.
  cluster_test::Numbers numbers_;
  std::map<std::uint32_t, cluster_test::Numbers> words_;  // by sender
  cluster_test::Numbers answers_;
  std::uint64_t asked_ = 0;
  std::size_t open_ = 0;  // requests without an outcome
  std::uint64_t unanswered_ = 0;
  std::uint64_t shown_ = 0;      // the property, last
  std::uint64_t went_back_ = 0;  // how often it was less than before
  std::uint64_t holes_ = 0;      // changes of properties that did not fit
  std::uint64_t strange_ = 0;    // calls that nobody knows
  std::int64_t ask_at_;
  std::optional<cluster_test::PilotReport> report_;

  // Its session.
  int fulls_ = 0;  // states of its player
  int entered_ = 0;
  int resumed_ = 0;
  std::string ended_;
};

}  // namespace starbus::bench::travel
