#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "nodes/gate/net/ending.hpp"
#include "nodes/gate/net/frame_reader.hpp"
#include "nodes/gate/net/front_settings.hpp"
#include "nodes/gate/net/out_queue.hpp"
#include "nodes/gate/net/token_bucket.hpp"
#include "nodes/gate/net/wire.hpp"

namespace starbus::nodes::gate::net {

using ConnectionId = std::uint64_t;

/// What the connections of one listener have in common. Immutable: a reload makes a new one, and
/// connections go on with theirs.
struct ListenerRules {
  bool websocket = false;
  bool proxy = false;
  std::shared_ptr<const TlsContext> tls{};  // null: bare TCP
  UpgradeRules upgrade{};
};

/// One client's socket, from accept to its last byte: PROXY header, TLS, upgrade, frames, farewell.
///
/// Its owner asks it for events and writes its queue when the socket is ready: it calls nobody and
/// never waits. One thread. It keeps a buffer only while a frame is cut or unsent.
class Connection {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Where it is on its way; they come in this order.
  enum class Phase : std::uint8_t {
    proxy,       ///< the header of a load balancer comes first
    before_tls,  ///< waits for the first byte, and then for admit_tls()
    tls,
    upgrade,
    open,
    closing,    ///< says its last word
    lingering,  ///< has said it, and waits for the peer to hang up
    over,
  };

  Connection(ConnectionId id, FileDescriptor socket, std::shared_ptr<const ListenerRules> rules,
             const PeerAddress& address, Time now);

  struct Event {
    /// What has happened.
    enum class Kind : std::uint8_t {
      nothing,    ///< the socket has no more for now
      addressed,  ///< the PROXY header said who the client is: address()
      hello,      ///< the first bytes of TLS are here: admit_tls() goes on
      opened,     ///< frames are next
      frame,      ///< `frame`, until the next call of next()
      part,       ///< something of a WebSocket that is no frame, and counts as one
      ended,      ///< `ending` says why; the owner decides on the farewell
    };
    Kind kind = Kind::nothing;
    std::span<const std::byte> frame{};
    Ending ending = Ending::left;
  };
  /// Before next(): a turn of the loop has begun, in which at most kReadTurn bytes are read.
  void begin_turn(Time now);
  /// What the socket has to say next. `buffer` is shared by all connections: the owner calls next()
  /// until `nothing`, or keep_rest(), before it serves another one.
  Event next(std::span<std::byte> buffer);
  /// The owner stops asking: what was read and not handed out is kept.
  void keep_rest();
  /// True if next() has something to say before the socket is ready again.
  bool has_rest() const { return !input_.empty() || more_ready_; }
  /// The handshake of TLS may begin. False without memory.
  bool admit_tls();

  /// Queues a frame: the prefix, of at most kPrefixBytes, and then the body. Not after close().
  void push(Body body, bus::ByteView prefix = {});
  /// Writes what is queued. False: the connection is over.
  bool flush(std::span<std::byte> scratch);
  /// No more is read or queued but `last`, which may be null. With `drop`, what is queued and not
  /// begun is forgotten. Before frames are spoken, HTTP has its own last word, and TLS none.
  void close(Body last, bool drop, Time now);
  /// The connection is over without a word.
  void cut() { phase_ = Phase::over; }

  ConnectionId id() const { return id_; }
  int descriptor() const { return wire_.descriptor(); }
  Phase phase() const { return phase_; }
  const PeerAddress& address() const { return address_; }
  const ListenerRules& rules() const { return *rules_; }
  bool is_ending() const { return phase_ >= Phase::closing; }
  /// Bytes that wait to be written.
  std::size_t queued() const { return queue_.bytes(); }
  /// Bytes that it has in memory, in and out.
  std::size_t held() const { return queue_.bytes() + reader_.held() + kept_.size(); }
  /// The events of epoll that it waits for.
  std::uint32_t wants() const;
  struct Due {
    Time at;  // Time::max(): never
    Ending ending;
  };
  /// When it ends if nothing comes.
  Due due(const FrontLimits& limits) const;

  /// What the owner notes about it: read and written by the owner alone.
  struct Notes {
    explicit Notes(Time now) : frames(0, now) {}
    TokenBucket frames;
    std::size_t frame_limit = kFirstFrameBytes;
    std::size_t counted = 0;    // of held(), in the sum of all
    std::uint64_t source = 0;   // address().source(), once it counts
    std::uint32_t watched = 0;  // the events that epoll knows
    Time alarm{};               // for which it is in the list of times; epoch: not there
    bool entered = false;       // counts as a connection
    bool has_source = false;
    bool told = false;         // the handler has heard on_open, and not the end
    bool first_frame = false;  // has come: the handshake is over
    bool paused = false;
    bool dirty = false;   // is in the list of those that are written to
    bool again = false;   // is in the list of those that are asked again
    bool doomed = false;  // too slow: ends when it is its turn
    bool linger = false;  // counts as refused at once
  };
  Notes& notes() { return notes_; }
  const Notes& notes() const { return notes_; }
  Time began() const { return began_; }
  /// The owner looks at it again after a pause: silence counts from now.
  void look_again(Time now) { heard_ = now; }

 private:
  Event ended(Ending ending) const { return {Event::Kind::ended, {}, ending}; }
  Event next_proxy(std::span<std::byte> buffer);
  Event first_of_tls();
  Event next_tls();
  Event next_upgrade(std::span<std::byte> buffer);
  Event answer(std::size_t request);
  Event next_frame(std::span<std::byte> buffer);
  Event event_of(const FrameStep& step);
  /// Reads into the buffer; nullopt: there is something.
  std::optional<Event> read(std::span<std::byte> buffer);
  Event linger(std::span<std::byte> buffer);
  /// What follows on the PROXY header, or on accept.
  Phase after_address() const;
  Phase after_tls() const { return rules_->websocket ? Phase::upgrade : Phase::open; }
  Event opened();
  void say(std::string text);  // HTTP
  void say(WsOpcode opcode, bus::ByteView payload);
  void note_cut_frame();
  void forget_input();

  const ConnectionId id_;
  Wire wire_;
  const std::shared_ptr<const ListenerRules> rules_;
  PeerAddress address_;
  Phase phase_;
  bool write_blocked_ = false;
  bool read_blocked_on_write_ = false;  // OpenSSL must write before it can read
  bool waits_for_tls_ = false;          // `hello` was told
  bool more_ready_ = false;             // the turn is over, and the socket has more
  bool drained_ = false;                // the socket has no more in this turn
  FrameReader reader_;
  std::span<std::byte> input_;  // read, not handed out: in the shared buffer or kept_
  bus::Bytes kept_;             // a header in part, or what came before a pause
  std::size_t dropped_ = 0;     // bytes read after the last word
  std::size_t read_ = 0;        // bytes of this turn
  Time now_;                    // of this turn
  OutQueue queue_;
  Time began_;
  Time heard_;
  Time frame_since_{};  // epoch: no frame is cut
  Time closing_since_{};
  Notes notes_;
};

}  // namespace starbus::nodes::gate::net
