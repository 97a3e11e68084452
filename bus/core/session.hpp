/// One side of one session on one link: numbering, link clock, lanes, chunks, heartbeats. Sans-IO:
/// bundles and the time go in, records and bundles come out.
///
/// The side that connects draws the session id; the side that listens takes it from the first
/// bundle. Whatever ends a session ends all of it: the owner drops the object and its queues.
/// `receive` fails on anything that is not this session's next bundle of well-formed records.
/// Owned and used by one thread.
#pragma once

#include <array>
#include <functional>

#include "bus/core/lanes.hpp"
#include "bus/core/wire/bundle.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {

class RecordHandler {
 public:
  /// A failure ends the session. `payload` is valid during the call only. `lane` is the lane that a
  /// chunked record came in, and not meaningful otherwise.
  virtual Result<> on_record(Kind kind, ByteView payload) = 0;
  /// Asked between two records of a bundle. True: the rest of the bundle waits, see
  /// Session::receive.
  virtual bool enough() { return false; }

 protected:
  ~RecordHandler() = default;
};

struct SessionCounters {
  std::uint64_t bundles_in = 0, bundles_out = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0;
  std::uint64_t records_in = 0;
  std::uint64_t foreign_bundles = 0;  // of another session: discarded
};

class Session {
 public:
  /// `id` 0: the listening side, which adopts the id of the first bundle.
  Session(std::uint64_t id, Time now)
      : id_(id), trusted_(id != 0), heard_(now), spoke_(now), prompt_(id != 0) {}

  /// The peer is identified. Before that, its chunked records must be small and in the control
  /// lane. The side that connects trusts at once.
  void trust() { trusted_ = true; }
  /// Bytes of chunked records whose end has not come.
  std::size_t incomplete_bytes() const;
  /// How long ago the latest piece of such a record came; 0 if there is none.
  Time incomplete_for(Time now) const;

  /// Hands every record to `handler`, chunked ones reassembled. bad_bytes, version_mismatch, or
  /// what the handler returned. If the handler has had enough, it is unfinished() afterwards: the
  /// next call must give the same bundle, and goes on with the rest of it.
  Result<> receive(ByteView bundle, Time now, RecordHandler& handler);
  bool unfinished() const { return handled_ != 0; }

  /// Sends bundles while the link clock allows it and a lane has something to send. `take_buffer`
  /// returns an empty buffer, `send_bundle` gets the sealed bundle.
  using TakeBuffer = std::function<Bytes()>;
  using SendBundle = std::function<void(Bytes)>;
  void send_bundles(LaneSource& source, const TakeBuffer& take_buffer,
                    const SendBundle& send_bundle);

  /// Queues a record of the session itself (hello, welcome, reset, heartbeat): it is sent in the
  /// next bundle, before all others.
  template <class Record>
  void say(const Record& record) {
    encode(record, own_);
  }
  /// Call every 100 ms or so: queues a heartbeat when one is due (send_bundles afterwards).
  /// `lease_age`: see Heartbeat.
  void tick(Time now, std::uint64_t lease_age = Heartbeat::kNoLease);
  /// Queues a heartbeat now, because the lease has changed.
  void beat(Time now, std::uint64_t lease_age);

  std::uint64_t id() const { return id_; }
  /// Time since the last bundle of the peer.
  Time silence(Time now) const { return now - heard_; }
  /// When this side sent its latest heartbeat that the peer has echoed; 0 before the first.
  Time echoed() const { return echoed_; }
  /// In a process: busroot heard from this host at this time of the own clock, or later. 0 before
  /// the first relayed echo.
  Time lease_base() const { return lease_base_; }
  /// Smoothed round trip of heartbeats; 0 before the first.
  Time round_trip() const { return round_trip_; }
  /// How long the peer has consumed nothing of a full link clock; 0 if it is not full.
  Time stalled_for(Time now) const { return may_send() ? Time{} : now - consumed_at_; }
  /// Bytes handed to the transport that the peer has not reported as consumed.
  std::uint64_t in_flight() const { return bytes_out_ - peer_consumed_; }
  bool may_send() const { return in_flight() + kFullBundle <= kLinkClock; }
  const SessionCounters& counters() const { return counters_; }

 private:
  /// The largest bundle: the last lane may add a whole record that is not chunked.
  static constexpr std::uint64_t kFullBundle = kBundleTarget + kChunk + 4096;

  struct OutgoingChunks {
    Bytes record;  // without its length: kind byte and payload
    std::size_t sent = 0;
    bool active() const { return sent < record.size(); }
  };
  struct IncomingChunks {
    Bytes record;
    std::size_t total = 0;
    Time latest{};  // piece
  };

  Result<bool> begin_bundle(ByteView bundle, Time now);
  Result<> dispatch(ByteView bundle, RecordHandler& handler);
  Result<> receive_chunk(ByteView payload, RecordHandler& handler);
  Result<> receive_record(Kind kind, ByteView payload, RecordHandler& handler);
  bool anything_ready(const LaneSource& source) const;
  void fill(LaneSource& source, Bytes& bundle);
  std::size_t fill_from_lane(LaneSource& source, Lane lane, std::size_t budget, Bytes& bundle);
  bool lane_ready(const LaneSource& source, Lane lane) const;
  bool report_due() const { return consumed_ - reported_ >= kConsumedReport; }
  void on_heartbeat(const Heartbeat& heartbeat);

  std::uint64_t id_;
  bool trusted_;
  std::uint64_t next_in_ = 1;
  std::size_t handled_ = 0;  // bytes of a bundle whose rest waits; 0: none does
  std::uint64_t next_out_ = 1;
  std::uint64_t bytes_out_ = 0;      // handed to the transport
  std::uint64_t peer_consumed_ = 0;  // of those
  std::uint64_t consumed_ = 0;       // taken from the transport
  std::uint64_t reported_ = 0;       // of those, reported to the peer
  Bytes own_;                        // records of the session itself
  std::array<OutgoingChunks, kLanes> outgoing_;
  std::array<IncomingChunks, kLanes> incoming_;
  std::array<std::int64_t, kLanes> deficit_{};  // what a lane may send in its turn, less debts
  std::size_t turn_ = 1;                        // data lane whose turn it is

  Time heard_;
  Time spoke_;
  Time consumed_at_{};  // the peer reported more, or nothing was under way
  Time now_{};          // of the latest receive or tick
  /// The first heartbeats of a session are sent at once: their echoes renew leases, which may be
  /// nearly over after several restarts.
  bool prompt_;
  std::uint64_t peer_sent_at_ = 0;
  Time peer_sent_at_heard_{};
  Time round_trip_{};
  Time echoed_{};
  Time lease_base_{};
  SessionCounters counters_;
};

}  // namespace starbus::bus
