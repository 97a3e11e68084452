/// Sees every message from outside and knows what may become of it. Throws Violation.
///
/// It checks, at once: nothing is handled twice, nor after a definite refusal, nor past an
/// unhandled predecessor that nobody reported; every outcome is told once and is true; nothing
/// fails while nobody died; nothing is owner_lost that was sent when its owner was there, and has
/// stayed; the state of an entity is what its life has handled. At the end:
/// nothing that a living sender sent has vanished silently. A plain data structure; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"

namespace starbus::sim {

/// A promise of the bus is broken.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using NameIndex = std::uint32_t;  // of the world's names
using MessageId = std::uint64_t;  // from 1

/// What an entity carries through its moves: how much it has handled, and a digest of what.
struct EntityState {
  std::uint64_t handled = 0;
  std::uint64_t digest = 0;
  void take(MessageId id) {
    ++handled;
    digest = (digest ^ id) * 0x9e37'79b9'7f4a'7c15ULL;
  }
  friend bool operator==(const EntityState&, const EntityState&) = default;
};

class Oracle {
 public:
  /// One life of a sender: an incarnation, or a lineage of an entity that moves.
  struct Sender {
    NameIndex name = 0;
    std::uint64_t life = 0;
    friend auto operator<=>(const Sender&, const Sender&) = default;
  };

  // --- messages ---
  MessageId issue(const Sender& sender, NameIndex receiver, bus::Lane lane);
  /// It was not taken after all; must be the latest that was issued.
  void retract(MessageId id);
  void handled(MessageId id);
  void acknowledged(MessageId id);
  /// The owner that its receiver has had for a while when it was sent: see Application::Stay.
  void expect_owner(MessageId id, std::uint64_t stay) { at(id).stay = stay; }
  /// `sent` false: it never left, so the failure is definite. `excusable`: the receiver is one that
  /// comes and goes by itself. `stay`: of its owner at this moment, 0 if it has none.
  void failed(MessageId id, bus::Errc reason, bool sent, bool excusable, std::uint64_t stay = 0);
  /// The sender has taken it back; it may have been handled.
  void withdrawn(MessageId id) { at(id).excused = true; }
  bool was_handled(MessageId id) const { return messages_.at(id - 1).handled; }
  bool concluded(MessageId id) const;
  NameIndex receiver_of(MessageId id) const {
    return streams_[messages_.at(id - 1).stream].receiver;
  }

  // --- lives of entities that move ---
  void begin_life(NameIndex name, std::uint64_t life, const EntityState& state);
  void life_handled(NameIndex name, std::uint64_t life, MessageId id);
  /// The state of whoever acts as this life.
  void check_state(NameIndex name, std::uint64_t life, const EntityState& state,
                   const std::string& where) const;

  /// Somebody died, or lost its lease: from now on messages may fail.
  void disturbed() { ++disturbances_; }
  std::uint64_t disturbances() const { return disturbances_; }

  /// Messages of these lives must all have an end.
  void check_end(const std::function<bool(const Sender&)>& lives) const;
  bool all_concluded(const std::function<bool(const Sender&)>& lives) const;
  std::size_t issued() const { return messages_.size(); }
  std::string describe(MessageId id) const;
  /// For reports.
  std::function<std::string(NameIndex)> name_of = [](NameIndex name) {
    return std::to_string(name);
  };

 private:
  struct Message {
    std::uint32_t stream = 0;
    std::uint32_t number = 0;  // in its stream, from 1
    bool handled = false;
    bool refused = false;  // definite
    bool excused = false;  // failed with unknown outcome, or withdrawn
    bool told = false;     // its sender was told an outcome
    std::uint64_t stay = 0;
  };
  struct Stream {
    Sender sender;
    NameIndex receiver = 0;
    bus::Lane lane = bus::Lane::call;
    std::vector<MessageId> messages;
    std::uint32_t last_handled = 0;  // number
  };
  Message& at(MessageId id) { return messages_.at(id - 1); }
  static bool excused(const Message& message) { return message.refused || message.excused; }
  void tell(MessageId id);
  template <class Found>
  void find_unconcluded(const std::function<bool(const Sender&)>& lives, Found&& found) const;
  [[noreturn]] void broken(MessageId id, const std::string& promise) const;

  std::vector<Message> messages_;
  std::vector<Stream> streams_;
  std::map<std::tuple<Sender, NameIndex, bus::Lane>, std::uint32_t> by_key_;
  std::map<Sender, EntityState> lives_;
  std::uint64_t disturbances_ = 0;
};

}  // namespace starbus::sim
