/// One player's session: what a client says and when, what it believes, and what becomes of its
/// requests (docs/reference/client-protocol.md). sans-IO: frames and a clock in, frames and events
/// out. Owned by the caller and used by one thread; `Client` (client.hpp) drives it over sockets.
///
/// It never fails: what a gate should not say ends the connection, which is made again after a
/// pause, and what cannot go on ends in Events::on_ended with a reason.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clients/cpp/events.hpp"
#include "clients/cpp/requests.hpp"
#include "clients/cpp/route.hpp"

namespace starbus::game {

/// What a session is made of.
struct Settings {
  std::vector<std::string> addresses{};  // of gates, host:port
  std::string program = "starbus";       // name and version, for logs
  std::uint64_t schema = 0;              // hash of the schema; 0: none
  std::uint64_t seed = 0;                // of pauses; a Client draws one instead of 0
  bool inflates = true;                  // a gate may send deflated packets
  const NameTable* names = nullptr;      // of generated code; then `schema` need not be given
  std::optional<std::size_t> first{};    // place of the address to begin at; nullopt: by chance
};

/// Where a session stands.
enum class State : std::uint8_t {
  ended,       ///< nobody is logged in
  connecting,  ///< no gate has let it in yet
  greeting,    ///< connected, and the gate has not answered
  waiting,     ///< the gate has not let it in
  online,
  away,  ///< the connection is lost; the session goes on when there is one again
};
std::string_view name_of(State state);

/// Why a request was not taken. Nothing is told of it later.
enum class Asked : std::uint8_t {
  ok,
  no_subject,  ///< no full state yet, or the stretch is over
  too_many,    ///< kRequestsOpen have no fate yet: wait for one
  too_large,   ///< the body is longer than kRequestBytes, or than the gate takes
  differs,     ///< the server does not have this method, or with other types (on_names)
};
std::string_view name_of(Asked asked);

/// What a session has counted.
struct Counts {
  std::uint64_t packets = 0;
  std::uint64_t acks = 0;
  std::uint64_t connections = 0;
  std::uint64_t faults = 0;  ///< of gates: connections that were ended as a frame was not right
};

/// See above. Times are of the caller's steady clock, and never go back.
class Session {
 public:
  /// `events` must outlive it. No callback is called by the destructor.
  Session(Settings settings, Events& events);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // --- for the program ---

  /// Begins a session, after that of before has ended at once as `bye`. False: a text or the proof
  /// is too long, or a text is not UTF-8; nothing has changed.
  bool login(Login proof, Time now);
  /// Begins a session with what a Welcome of an earlier run of the program has given.
  void reenter(Ticket ticket, Time now);
  /// Asks the subject; `told` is called once. The body is a call (calls.hpp), and is copied.
  Asked ask(ByteView body, Told told);
  /// Leaves: the session ends, and so do its requests.
  void bye(Time now);
  /// What the program has of the state is wrong: comes back for a full state, by a new session of
  /// the same login. False: not online, or no gate has given it anything to come back with.
  bool refresh(Time now);

  State state() const { return state_; }
  const Position& position() const { return position_; }
  const ServerClock& clock() const { return clock_; }
  const Counts& counts() const { return counts_; }
  std::size_t requests_open() const { return requests_.size(); }
  /// The schema of the last gate that has greeted; 0: none.
  std::uint64_t server_schema() const { return server_schema_; }

  // --- for the driver ---

  /// Where to connect now; then connected() or disconnected() follows.
  std::optional<std::string> connect(Time now);
  void connected(Time now);
  /// The connection was not made, or is lost.
  void disconnected(Time now);
  /// Bytes have come that are no frame yet.
  void heard(Time now) { heard_ = now; }
  /// One whole frame.
  void received(ByteView frame, Time now);
  /// Does what is due; call it at the deadline, or at any time.
  void tick(Time now);
  /// When tick() or connect() has something to do; Time::max(): never.
  Time deadline() const;
  /// Whether the connection is wanted: if not, the driver closes it, and says nothing.
  bool connection() const { return link_ != Link::none; }
  /// The next frame to send; nullopt: none.
  std::optional<Bytes> next_frame();
  bool has_frames() const { return !output_.empty(); }

 private:
  enum class Link : std::uint8_t { none, opening, open };
  /// How the gate is asked to let the client in.
  enum class Entry : std::uint8_t { login, resume, reenter };
  /// Which address comes after a connection.
  enum class Next : std::uint8_t { same, elsewhere, named };

  void begin(Entry entry, Time now);
  void hear(const Greeting& frame, Time now);
  void hear(const Waiting& frame, Time now);
  void hear(const Welcome& frame, Time now);
  void hear(const Packet& frame, Time now);
  void received_plain(ByteView frame, Time now);
  void hear(const Busy& frame, Time now);
  void hear(const GoTo& frame, Time now);
  void hear(const Ping& frame, Time now);
  void hear(const Pong& frame, Time now);
  void hear(const Closed& frame, Time now);

  // Packets whose c was right.
  void show_full(const FullState& full);
  void show_ended(const Ended& ended, Time now);
  /// A body that cannot be read is a fault; else it counts, and `show` gets it.
  template <class T, class Show>
  void shown(const Packet& packet, const Read<T>& body, Time now, Show show);
  void count_packet(const Packet& packet, Time now);

  void say(Bytes frame);
  void let_in_by(const Welcome& frame, Time now);
  void say_again(std::uint64_t up_seen);
  void ask_names();
  void hear_names(const Outcome& outcome);
  void ack();
  void ping(Time now);
  void tell(std::vector<Ending> endings);

  /// The gate has said what it should not.
  void fault(Time now);
  /// No connection any more; it is made again, or the session ends.
  void drop_link();
  /// What a gate has said of it, if it has.
  struct Cause {
    std::optional<CloseReason> reason{};
    std::string_view text{};
    milliseconds at_least{};  // until the next attempt
    Next next = Next::same;
    bool broke = false;  // and nobody has ended it
  };
  static constexpr Cause kBroke{{}, {}, {}, Next::same, true};
  void lost(Time now, const Cause& cause);
  void close(CloseReason reason, std::uint32_t retry_ms, std::string_view text, Time now);
  void enter_again(const Cause& cause, Time now);
  void finish(EndReason reason, std::string_view text);
  Time give_up_at() const;

  Settings settings_;
  Events& events_;
  State state_ = State::ended;
  Link link_ = Link::none;
  Entry entry_ = Entry::login;
  Route route_;
  bool let_in_ = false;  // by a Welcome of this session
  Login proof_{};
  Ticket ticket_{};

  // What the program was shown.
  Position position_{};
  Bind bind_{};
  bool playing_ = false;  // a full state was shown, and the stretch is not over
  std::uint64_t login_ = 0;
  std::optional<Ended> ended_;  // the last packet was shown

  std::set<std::uint32_t> differing_;  // methods that the server does not have as the program does

  Requests requests_;
  bool may_ask_ = false;               // the gate takes requests under bind_ on this connection
  std::optional<std::uint64_t> busy_;  // up_seen of a Busy, not answered yet
  Time busy_at_{};

  std::deque<Bytes> output_;
  std::size_t output_bytes_ = 0;
  bool overflow_ = false;
  std::uint64_t unacked_ = 0;  // packets
  std::size_t unacked_bytes_ = 0;
  Time ack_at_ = Time::max();

  ServerClock clock_;
  milliseconds beat_ = kHeartbeat;
  std::uint64_t server_schema_ = 0;
  std::size_t frame_bytes_ = 0;  // that the gate takes; 0: not known
  bool inflates_ = false;        // the gate may send deflated packets
  Time now_{};
  Time opened_{};
  Time heard_{};
  Time said_{};
  Time progress_{};
  Time stable_at_ = Time::max();
  std::optional<Time> pinged_;
  Time measured_{};
  Time close_at_ = Time::max();  // after Bye, or the last packet
  bool leaving_ = false;
  Counts counts_;
};

}  // namespace starbus::game
