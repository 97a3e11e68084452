/// What an AccountCore wants done, and what it is told. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "entity/client/words.hpp"
#include "nodes/players/core/row.hpp"

namespace starbus::nodes::players {

/// What a ticket says whose signature, account and time were found right.
struct TicketSeen {
  bool reentry = false;  // the signed part of a token; else a ticket of a login
  SessionId session{};   // of a ticket of a login: for this session
  std::string gate{};    // and at this gate: its channel
  std::uint64_t login = 0;
  friend bool operator==(const TicketSeen&, const TicketSeen&) = default;
};

/// How a question to an entity has ended.
enum class Outcome : std::uint8_t {
  answered,    ///< with an answer
  no_owner,    ///< its name has no owner: nothing was done
  owner_lost,  ///< its home died: it may have been done
  silent,      ///< no answer within kSubjectAnswer: likewise
};

/// Carried out in this order: all that is told was stored before.
struct AccountEffects {
  struct Answered {
    std::uint64_t ask;
    sessions::AccountAnswer answer;
  };
  struct ForGate {
    GateId to;
    sessions::ToGate word;
  };
  struct ForSubject {
    std::string subject;
    sessions::ToSubject word;
    std::uint64_t question;  // answered() names it; 0: nobody waits
  };
  struct Load {
    std::string subject;
    std::uint64_t question;  // loaded() names it
  };
  struct Store {
    std::uint64_t number;  // stored() or store_failed() names it
    AccountRow row;
  };
  std::vector<Answered> answers{};
  std::vector<ForGate> gates{};
  std::vector<ForSubject> subjects{};
  std::optional<Load> load{};      // where the placement says, unless the name has an owner
  std::optional<Store> store{};    // with the epoch of the account as version
  bool opened = false;             // another session has the account
  bool playing = false;            // the subject has the session
  std::optional<Reason> closed{};  // the session has ended
};

}  // namespace starbus::nodes::players
