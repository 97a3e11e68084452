/// What was said, shown, begun and concluded in a world of sessions, and whether it may be so:
/// P1 to P4 of docs/design/sessions.md at every instant. (P5, that all ends, is for heal().)
/// One thread; throws Violation.
#pragma once

#include <any>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nodes/gate/core/gate_core.hpp"
#include "nodes/players/core/account_core.hpp"
#include "tests/entity/client/sim/session_bus.hpp"

namespace starbus::entity::sessions::sim {

namespace gates = nodes::gate;
using gates::Parcel;

class Client;

/// A droppable update: a call with this body.
struct Update {
  std::uint64_t slot = 0, version = 0, born = 0;  // born: of the world's clock, ms
  static constexpr std::uint64_t kStays = 0;      // the slot whose updates are never too old
  static constexpr LinkTime kMaxAge{3'000};       // of the others
  Body body() const;
  static std::optional<Update> read(const Body& body);  // nullopt: another call
};

class Oracle {
 public:
  struct Asked {
    std::string client, subject;
    int begun = 0;
    std::string fate;
    int deaths = 0;
  };
  [[noreturn]] static void bad(const std::string& what) { throw Violation(what); }

  // --- homes ---
  /// The bus has taken a section.
  void said(const std::string& subject, const Introduction& at, const Section& section,
            LinkTime now);
  /// A home has been packed and lives elsewhere since: no clock has counted that time.
  void was_on_the_way(const std::string& subject, LinkTime from, LinkTime to);
  void begin(const std::string& subject, std::uint64_t id);
  /// What was said to it and is not shown is never shown: it has seen all.
  bool all_silent(const Client& client) const;

  // --- clients ---
  void show(Client& client, const Parcel& parcel);
  void fate(std::uint64_t id, const std::string& what);
  /// A client was told that a later login has its account.
  void check_replaced(const Client& client) const;
  /// Another session of its login has the account: it has re-entered, and does not know.
  bool came_back(const Client& client) const;

  // --- accounts ---
  /// What the disk has.
  std::optional<nodes::players::AccountRow> row_of(const std::string& account) const;

  std::map<std::string, std::any> disk;
  std::map<std::uint64_t, Asked> requests;
  std::map<std::string, int> count;
  std::map<std::string, int> died;  // per account; also questions that had no answer in time
  std::map<std::string, Bind> top;  // the highest bind that a subject was told
  std::map<std::string, std::uint64_t> logins;        // the latest that has had an account
  std::map<std::pair<SessionId, Bind>, int> died_at;  // when a stretch began

 private:
  void check_part(Client& client, const Parcel& parcel);
  void check_shown_update(Client& client, const Body& body);
  void check_spoken(Client& client, const Parcel& parcel);
  struct SaidKey {
    SessionId session;
    std::string subject;
    Bind bind;
    Run run;
    auto operator<=>(const SaidKey&) const = default;
  };
  const std::vector<Part>& said_to(const SaidKey& key) const;
  void check_said_update(const SaidKey& key, const Body& body, LinkTime now);
  std::map<SaidKey, std::vector<Part>> said_;
  std::map<std::pair<SaidKey, std::uint64_t>, std::uint64_t> updated_;  // by slot: the version
  std::map<std::string, std::uint64_t> last_begun_;
  std::map<std::string, std::vector<std::pair<LinkTime, LinkTime>>> ways_;  // by subject
};

/// account/a of player/a/1
inline std::string account_of(const std::string& subject) {
  return "account/" + subject.substr(7, 1);
}

}  // namespace starbus::entity::sessions::sim
