/// The login as gates see it: asks come in, answers go out. Joins admission, the verifiers by their
/// methods, and the key that signs; knows the bus by two functions.
///
/// Belongs to the loop's thread, and owns the verifiers. Call step() when next() says so. What is
/// asked has exactly one last answer (LoginAdmitted or LoginRefused), unless its gate said gone()
/// or died. Its end drops what has not been answered.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "nodes/gate/wire/login_words.hpp"
#include "nodes/login/core/gate_reports.hpp"
#include "nodes/login/core/verifier.hpp"
#include "nodes/login/tickets/ticket.hpp"

namespace starbus::nodes::login {

using gate::LoginAdmitted;
using gate::LoginAnswer;
using gate::LoginAsk;
using gate::LoginRefused;
using gate::LoginTold;
using gate::LoginWaiting;

/// What a game may want otherwise.
struct DeskOptions {
  AdmissionOptions admission{};
  std::chrono::milliseconds reentry_life = kReentryLife;
};

class Desk {
 public:
  /// May be called several times, the last time with LoginAdmitted or LoginRefused. Must not call
  /// the desk.
  using Reply = std::function<void(const LoginAnswer&)>;
  /// Asks an account (its channel) for the number of a login (sessions::Prove); answers later,
  /// nullopt if the account could not say.
  using Numbered = std::function<void(std::optional<std::uint64_t>)>;
  using Numbers = std::function<void(const std::string& account, Numbered done)>;
  using Clock = std::function<Now()>;

  Desk(SigningKey key, Numbers numbers, Clock clock, const DeskOptions& options = {})
      : key_(std::move(key)),
        numbers_(std::move(numbers)),
        clock_(std::move(clock)),
        options_(options),
        admission_(options.admission) {}
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  /// Errors: exists, too_many (kMethods).
  Result<> add(const std::string& method, std::unique_ptr<Verifier> verifier);

  /// The same session again from the same gate (whose call was lost) goes on, with this reply.
  void ask(LoginAsk ask, Reply reply);
  /// The client has hung up. Ignored if it is not known.
  void gone(const entity::sessions::SessionId& session);
  /// Its clients are gone. Their places are kept; done in steps.
  void gate_died(const bus::Process& gate);
  /// A gate says how many sessions it has, and may have: every few seconds. Ignored beyond kGates.
  void gate_reports(const bus::Process& gate, std::uint64_t sessions, std::uint64_t most);
  /// The ready nodes of a role where players live: every few seconds.
  void nodes(const std::string& role, const std::vector<NodeBusy>& nodes);
  void step();
  /// When step() has something to do; nullopt: not before another call.
  std::optional<Time> next();

  /// Why the queue moves, or does not.
  PlacesView places() { return admission_.places(clock_()); }
  /// Gates that have reported of late.
  std::size_t gates() const { return reports_.gates(); }

  Admission& admission() { return admission_; }
  const Admission& admission() const { return admission_; }

 private:
  struct Method {
    std::size_t lane = 0;
    std::unique_ptr<Verifier> verifier;
  };
  struct Asked {
    LoginAsk ask;
    Reply reply;
  };
  void carry_out(const Effects& effects);
  void take(const Look& look);
  void take(const Number& number);
  void take(const Tell& tell);
  void take(const Admit& admit);
  void take(const Refuse& refuse);
  void end(AttemptId id, const LoginAnswer& answer);
  void forget(AttemptId id);
  void bury();
  void measure();

  const SigningKey key_;
  const Numbers numbers_;
  const Clock clock_;
  const DeskOptions options_;
  Admission admission_;
  GateReports reports_;
  std::map<std::string, Method> methods_;
  std::unordered_map<AttemptId, Asked> asked_;
  std::map<entity::sessions::SessionId, AttemptId> sessions_;
  std::map<bus::Process, std::set<AttemptId>> gates_;
  std::vector<AttemptId> dying_;  // of gates that died
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace starbus::nodes::login
