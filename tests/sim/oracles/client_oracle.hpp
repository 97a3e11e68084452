/// Sees what clients ask of their library, what handlers get, and what the library tells; knows
/// what may be true. A plain data structure; one thread.
///
/// It checks at once: every call, message and announcement ends at most once, and truly; nothing is
/// handled twice, out of order, or after a definite refusal; a reply is one that a handler sent to
/// this call, and is believed once; no call ends as deadline before its time. The first breach is
/// kept in `violation`: the library that called cannot be left by an exception. `open` says what
/// has no end yet.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bus/client/bus_types.hpp"
#include "bus/core/lanes.hpp"

namespace starbus::sim {

using bus::Time;

class ClientOracle {
 public:
  using Id = std::uint64_t;  // from 1, of calls, messages and announcements together
  enum class Kind : std::uint8_t { message = 1, call = 2, announcement = 3 };
  struct Question {
    Kind kind = Kind::message;
    std::uint64_t asker = 0;  // life of the client
    std::string to;
    std::uint64_t key = 0;  // of a shared name
    bus::Lane lane = bus::Lane::call;
    Time begun{};
    Time deadline{};         // zero: none
    bool awaited = true;     // an end is told
    std::uint64_t stay = 0;  // of the owner that was there, 0 if none was for long
    bool calm = false;       // nothing is broken: it must succeed
  };

  Id begin(Question question);
  /// At most one of these three, for what is awaited. `stay`: of the owner that is there now.
  void call_ended(Id id, const bus::Result<bus::Bytes>& result, Time now, std::uint64_t stay);
  void message_ended(Id id, const bus::Result<>& result, Time now, std::uint64_t stay);
  void announcement_ended(Id id, const bus::Result<bus::GroupOutcome>& result);

  /// A handler of this life got it, which has had the channel since then.
  void handled(Id id, std::uint64_t life, const std::string& channel, Time since = {});
  /// A handler answers: the number that its reply carries.
  std::uint64_t answers(Id call);
  /// A handler fails it, or drops it.
  void fails(Id call) { at(call).failed = true; }

  /// What lives and has had no end; empty if there is nothing. A call whose handler has died, or
  /// that its handler never answers, may wait for its deadline.
  std::string open(const std::function<bool(std::uint64_t life)>& lives) const;
  /// A call of this life that should have ended at its deadline, by then; empty if there is none.
  std::string overdue(std::uint64_t life, Time now) const;
  std::size_t issued() const { return asked_.size(); }
  const Question& question(Id id) const { return asked_.at(id - 1).question; }
  /// Empty: none so far.
  const std::string& violation() const { return violation_; }

 private:
  struct Asked {
    Question question;
    bool ended = false;
    bool refused = false;              // definite: no handler may get it
    bool failed = false;               // by its handler
    std::uint64_t handler = 0;         // the life that got it
    std::set<std::string> handled{};   // by these channels
    std::set<std::string> left_out{};  // members of a group that may not get it
    std::size_t replies = 0;
  };
  struct Reply {
    Id call = 0;
    bool believed = false;
  };
  Asked& at(Id id) { return asked_.at(id - 1); }
  bool known(Id id, const char* by);
  bool end(Id id);
  void check_failure(Id id, const bus::Error& reason, Time now, std::uint64_t stay);
  void check_reply(Id id, bus::ByteView body);
  void check_order(Id id, const std::string& stream);
  void broken(Id id, const std::string& promise);

  std::vector<Asked> asked_;
  std::vector<Reply> replies_;
  std::map<std::string, Id> latest_;  // handled, by stream
  std::set<Id> open_;
  std::string violation_;
};

/// What a reply says first: the call, and its number of `answers`.
inline bus::Bytes encode_reply(ClientOracle::Id call, std::uint64_t reply, std::size_t padding) {
  bus::Bytes bytes;
  bus::Writer writer(bytes);
  writer.put(call);
  writer.put(reply);
  bytes.resize(bytes.size() + padding);
  return bytes;
}

}  // namespace starbus::sim
