/// Encoded records of a process for the control lane, first in, first out, for one session.
///
/// Bounded by kControlQueue bytes. A record that does not fit is dropped and `overflowed` is true
/// until `reset`: the session must end then. That loses nothing: requests are repeated until they
/// are answered, watches are sent again in the next session, and a sender that misses an ACK sends
/// a PROBE. Owns its bytes; one thread.
#pragma once

#include "bus/core/fifo.hpp"
#include "bus/core/lanes.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {

class ControlQueue {
 public:
  /// A session has begun. Without one, records are dropped.
  void open() { open_ = true; }
  /// The session has ended: drops all records.
  void reset();

  /// Encodes and queues a record. Does nothing while no session is open or after an overflow.
  template <class Record>
  void add(const Record& record) {
    scratch_.clear();
    encode(record, scratch_);
    add_encoded(scratch_);
  }
  /// As `add`, for a record that is encoded with its header.
  void add_encoded(ByteView record);

  bool overflowed() const { return overflowed_; }
  bool empty() const { return records_.empty(); }
  std::size_t bytes() const { return records_.size(); }
  /// See LaneSource::fill_bundle.
  FillResult fill_bundle(std::size_t budget, Bytes& out);

 private:
  bool open_ = false;
  bool overflowed_ = false;
  Fifo<std::byte> records_;
  Bytes scratch_;
};

}  // namespace starbus::bus
