// Bots: one run of starbus-bots against a game (docs/operate/bots.md). One thread uses it; the
// process belongs to the game. Failures are values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/gate/game.hpp"
#include "bench/harness/result.hpp"

namespace starbus::bench::gate {

// A script: what all of the benchmark share, and tables of its own.
struct Script {
  std::string name;  // of its files
  std::size_t bots = 1;
  std::size_t first = 1;              // the number of the first
  double arrive = 500;                // in a second; 0: all at once
  double warm_up = 1;                 // seconds
  double seconds = 1;                 // 0: until stop()
  bool character = true;              // they play characters; else their accounts
  bool passwords = false;             // of the login; else the server of accounts lets them in
  bool wrong = false;                 // they guess, and go on guessing
  bool in_order = false;              // whether the queue is kept is checked
  std::string from = "127.1.0.0/16";  // their addresses
  std::string tables = {};            // [[say]], [[hear]], [cut], [takeover]
};

class Bots {
 public:
  static Result<Bots> start(Game& game, const Script& script);

  // Waits until all have come in and the warm-up is over.
  Result<void> await_measured();
  // What its lines of progress have told since the start of the measured time.
  struct Told {
    double cuts = 0;
    double takeovers = 0;
    double violations = 0;
    std::string players = {};  // "60 play, 0 wait, 0 away", of the last line
  };
  Told told() const;
  // Whether a line of its progress has this.
  bool said(const std::string& text) const;
  // Waits for its end. Fails if it has failed, unless it was a violation: those are for the caller.
  Result<nlohmann::json> finish(double seconds);
  // Ends the run as the end of its time does.
  Result<nlohmann::json> stop();
  bool runs() const { return process_->alive(); }
  pid_t pid() const { return process_->pid(); }

 private:
  Bots(Process* process, std::string log) : process_(process), log_(std::move(log)) {}

  std::string log_tail() const;

  Process* process_;
  std::string log_;
};

// The tables of a script.
std::string echo_at(double rate, std::size_t bytes);
std::string stream_at(double rate, std::size_t bytes);

// The count of violations, and each kind of them, told on standard error.
double violations_of(const nlohmann::json& summary);

}  // namespace starbus::bench::gate
