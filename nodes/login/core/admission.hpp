/// Who may log in, when, and in which order. docs/design/login.md has the rules and the reasons.
///
///   begin -> (delay) -> Look -> judged -> queue -> Number -> numbered -> Admit
///        any of these may end as Refuse; those who wait in the queue are told Tell
///
/// Sans-IO: clock in, effects out, to be carried out in their order. Belongs to one thread. Asks
/// for a proof to be looked at and for the number of a login; knows neither passwords nor the bus.
/// An attempt ends with Admit or Refuse, exactly one, or silently after gone(). Each wait has an
/// end, each table a bound; no step grows with the number of those who wait.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "nodes/gate/wire/frames.hpp"
#include "nodes/login/core/address_rates.hpp"
#include "nodes/login/core/bans.hpp"
#include "nodes/login/core/guesses.hpp"
#include "nodes/login/core/login_queue.hpp"
#include "nodes/login/core/places.hpp"
#include "nodes/login/core/under_way.hpp"

namespace starbus::nodes::login {

using gate::CloseReason;

/// Now, by both clocks.
struct Now {
  Time steady{0};
  std::uint64_t wall = 0;  // milliseconds since 1970: for bans
};

/// What a game may want otherwise; limits.hpp has the reasons for the defaults.
struct AdmissionOptions {
  RateOptions rates{};
  PlaceOptions places{};
  std::size_t looking_at_once = kLookingAtOnce;  // of each lane
  std::size_t queue_places = kQueuePlaces;       // that is the most
};

// --- effects -------------------------------------------------------------------------------------

/// Let the verifier look at its proof, and say judged().
struct Look {
  AttemptId id = 0;
  friend bool operator==(const Look&, const Look&) = default;
};
/// Ask the account for the number of this login, and say numbered().
struct Number {
  AttemptId id = 0;
  std::string account{};
  friend bool operator==(const Number&, const Number&) = default;
};
/// It waits in the queue.
struct Tell {
  AttemptId id = 0;
  std::uint64_t ahead = 0;
  std::uint32_t seconds = 0;  // an estimate; 0: none
  friend bool operator==(const Tell&, const Tell&) = default;
};
/// It is in: sign its ticket. The attempt has ended.
struct Admit {
  AttemptId id = 0;
  std::string account{};
  std::uint64_t login = 0;
  friend bool operator==(const Admit&, const Admit&) = default;
};
/// The attempt has ended.
struct Refuse {
  AttemptId id = 0;
  CloseReason reason = CloseReason::denied;
  std::uint32_t retry_ms = 0;
  std::string text{};
  friend bool operator==(const Refuse&, const Refuse&) = default;
};
using Effect = std::variant<Look, Number, Tell, Admit, Refuse>;
using Effects = std::vector<Effect>;

// --- inputs --------------------------------------------------------------------------------------

/// What a verifier says.
struct Verdict {
  enum class Kind : std::uint8_t {
    right,   ///< it is the player of `account`
    wrong,   ///< it is not: counts as a guess
    banned,  ///< it is, and may not: `text` says until when and why
    later,   ///< could not be found out; `text` says why
    stale,   ///< was right once; `text` says what to do. No guess
  };
  Kind kind = Kind::later;
  std::string account{};  // its name, without `account/`
  std::string text{};
  std::uint64_t login{0};  // not 0: comes back under this login, which has a place and a number
};

/// Present figures, and counts since the start.
struct AdmissionCounts {
  std::size_t attempts = 0;  // not in the queue
  std::size_t queued = 0;
  std::size_t looking = 0;
  std::size_t rows = 0;  // of all tables that go down to nothing when nobody logs in
  std::uint64_t begun = 0;
  std::uint64_t admitted = 0;
  std::uint64_t refused = 0;
  std::uint64_t wrong = 0;    // proofs
  std::uint64_t delayed = 0;  // attempts that had to wait for wrong ones before
};

class Admission {
 public:
  explicit Admission(const AdmissionOptions& options = {})
      : options_(options),
        rates_(options.rates),
        queue_(options.queue_places),
        places_(options.places) {}

  /// Somebody asks, for an account (empty: the verifier finds out), from an address. `lane`, below
  /// kMethods, is the verifier's: one that is slow holds up nobody but its own.
  AttemptId begin(const std::string& account, const Address& address, Now now, Effects& effects,
                  std::size_t lane = 0);
  /// The answer to Look. A guess counts also if who made it has gone meanwhile.
  void judged(AttemptId id, const Verdict& verdict, Now now, Effects& effects);
  /// The answer to Number; nullopt: the account could not say.
  void numbered(AttemptId id, std::optional<std::uint64_t> login, Now now, Effects& effects);
  /// The client was cut off, or its gate died. In the queue its place is kept for the account.
  void gone(AttemptId id, Now now);
  void measured(const Measured& measured, Now now) { places_.measured(measured, now.steady); }
  /// The ready nodes of a role where players live.
  void nodes(const std::string& role, const std::vector<NodeBusy>& nodes, Now now) {
    places_.nodes(role, nodes, now.steady);
  }
  /// Does what is due, a bounded part of it: call again while next() is not after now.
  void step(Now now, Effects& effects);
  /// When step() has something to do; nullopt: not before another call.
  std::optional<Time> next(Now now);

  Bans& bans() { return bans_; }
  /// Its present figures, for metrics.
  AdmissionCounts counts() const;
  /// Why the queue moves, or does not.
  PlacesView places(Now now) { return places_.view(now.steady); }
  const AdmissionOptions& options() const { return options_; }

 private:
  enum class State : std::uint8_t { delayed, ready, looking, queued, numbering };
  struct Attempt {
    State state = State::delayed;
    Trier trier{};
    std::size_t lane = 0;
    bool known = false;
    bool left = false;      // its client has gone, and the verifier still looks
    std::string account{};  // proved
    Time due{0};            // end of the present wait, but of the queue
  };
  using Attempts = std::unordered_map<AttemptId, Attempt>;
  /// Those whose proof waits to be looked at, in the order of coming, by one verifier.
  struct Lane {
    std::set<AttemptId> known{};
    std::set<AttemptId> others{};
    std::size_t looking = 0;
    std::uint64_t looks = 0;
    std::set<AttemptId>& waiting(bool of_known) { return of_known ? known : others; }
  };

  std::optional<Refuse> refused_at_once(const Trier& trier, const Address& address, Now now);
  void set_due(AttemptId id, Attempt& attempt, State state, Time due);
  void clear_due(AttemptId id, const Attempt& attempt);
  void ready(AttemptId id, Attempt& attempt, Now now);
  void look(Lane& lane, Now now, Effects& effects);
  void stop_looking(Attempts::iterator found);
  void proved(AttemptId id, Now now, Effects& effects);
  void come_back(AttemptId id, std::uint64_t login, Now now, Effects& effects);
  void enter(Now now, Effects& effects);
  void ask_number(AttemptId id, Now now, Effects& effects);
  void step_queue(Now now, Effects& effects);
  void step_due(Now now, Effects& effects);
  void overdue(AttemptId id, Now now, Effects& effects);
  void tell(AttemptId id, std::uint64_t ahead, Time now, Effects& effects);
  void refuse(AttemptId id, CloseReason reason, Time retry, std::string text, Effects& effects);
  void forget(AttemptId id);
  void count_entry(Time now);
  Time spread(Time least);

  const AdmissionOptions options_;
  AddressRates rates_;
  Guesses guesses_;
  Bans bans_;
  UnderWay under_way_;
  LoginQueue queue_;
  Places places_;
  Attempts attempts_;                          // also those that are queued
  std::map<std::string, AttemptId> accounts_;  // that are proved, and queued or numbering
  std::set<std::pair<Time, AttemptId>> due_;   // delays and deadlines
  std::array<Lane, kMethods> lanes_{};
  double pace_ = 0;  // players that enter in a second, of late
  Time paced_{0};
  AttemptId next_ = 1;
  std::uint64_t chance_ = 0x9e37'79b9'7f4a'7c15ULL;  // spreads those who are to come again
  AdmissionCounts counts_;
};

}  // namespace starbus::nodes::login
