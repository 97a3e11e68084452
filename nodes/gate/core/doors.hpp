/// Connections of clients: login, resume here or from another gate, welcome, away. A role of
/// GateCore; belongs to the loop's thread. What a client says is hostile: a frame that is not at
/// its place, or that lies, closes its connection with a reason, and is counted.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "nodes/gate/core/desk.hpp"

namespace starbus::nodes::gate {

/// In ms, until a client comes again that is told `later` or `full`.
inline constexpr std::uint32_t kRetryMs = 2'000;

/// Whether a client whose session has ended so may play on by its login.
bool may_reenter(CloseReason reason);

class Doors {
 public:
  explicit Doors(Desk& desk) : desk_(desk) {}

  /// As GateCore::opened() and frame().
  void opened(ConnectionId connection, std::string address);
  /// Of a connection that was opened, and not hung up on.
  void frame(ConnectionId connection, const FromClient& frame);
  /// A request that the shell refuses; see Uplink::refuse.
  void refused_request(ConnectionId connection, const Ask& request, Body reply);
  /// `why`: for operators.
  void closed(ConnectionId connection, std::string_view why);
  void login_said(std::uint64_t question, const LoginAnswer& answer);
  /// The client of a session that a login has just opened gets its welcome.
  void welcome_new(Session& session);

  /// The last frame of its connection, if it has one: the client is away then.
  void close(Session& session, Closed why);
  /// Where its client comes from; empty: it is away.
  std::string address_of(const Session& session) const;
  void send_elsewhere(Session& session, const std::string& address);
  /// This gate is cut off from the bus: the client is to go to another one. One whose login has not
  /// answered begins there from the start.
  void turn_away(Session& session);

  /// Another gate has given the session: a connection that still waits for it continues.
  void given(Session& session);
  /// `number`: of the Give. `again`: the client may come in by its login.
  void not_given(const SessionId& session, std::uint64_t number, CloseReason reason, bool again);
  /// The outcome of a Give: it did not reach the other gate.
  void give_failed(const Question& question);
  /// All connections end, at once, and no login needs answer any more.
  void hang_up_all();
  void gate_died(const bus::Process& process);
  /// Gives up other gates that are silent; says `waiting`.
  void tick(std::size_t most);
  /// nullopt: this client may continue. An erased token ends the session.
  std::optional<CloseReason> check(Session& session, const Key& token, const Position& position);
  /// The login needs not answer any more.
  void forget_login(Session& session);
  void say_waiting(Session& session, WaitsFor what);

  /// The session that the client of this fresh one, which a re-entry opens, would rather go on
  /// with; nullopt: none, or the account has said where it is.
  std::optional<SessionId> sought(const Session& fresh) const;
  /// The account has said that. True: the client goes on with it, and the fresh session is
  /// forgotten.
  bool found(Session& fresh, const sessions::AccountAnswer& said);

  std::size_t waiting() const { return waiting_.size(); }
  bool leaving = false;  // a drain: nobody is let in

 private:
  /// A session that a client wants to go on with, and that is not here.
  struct Sought {
    Resume resume{};
    std::uint32_t turn = 0;  // a gate that had it under this one was asked
  };
  struct Door {
    std::string address{};
    SessionId session{};               // of its session, or of the one that it waits for
    std::uint64_t give = 0;            // that it waits for; 0: none
    std::unique_ptr<Sought> sought{};  // until the account has said where it is
  };
  struct Waiter {
    Sought sought{};
    ConnectionId connection = 0;
    GateTime since{};
    GateTime said{};
    bus::Process gate{};  // known if this gate gave it there itself, or the account says so
  };
  /// By session and number of the Give: a late answer to an earlier one says nothing of the next.
  using WaiterKey = std::pair<SessionId, std::uint64_t>;
  using Waiters = std::map<WaiterKey, Waiter>;
  void enter(ConnectionId connection, LoginAsk ask, bool reentry);
  void resume(ConnectionId connection, const Resume& frame);
  void resume_here(Session& session, ConnectionId connection, const Resume& frame);
  void ask_other(ConnectionId connection, Sought sought, const std::string& channel,
                 const bus::Process& process);
  void reenter(ConnectionId connection, Sought sought);
  Waiter stop_waiting(Waiters::iterator at);
  void hang_up(ConnectionId connection, Closed why);
  void in_session(ConnectionId connection, Session& session, const FromClient& frame);
  void attach(Session& session, ConnectionId connection);
  Welcome welcome_of(Session& session);

  Desk& desk_;
  std::unordered_map<ConnectionId, Door> doors_;
  Waiters waiting_;          // for another gate
  std::uint64_t gives_ = 0;  // the number of the last one
  WaiterKey walked_{};       // the waiter that tick() has looked at last
  std::map<std::uint64_t, SessionId> logins_;
};

}  // namespace starbus::nodes::gate
