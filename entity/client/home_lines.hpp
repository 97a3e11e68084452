/// What the links of a process have to say, gathered into bundles: one line to each gate process.
///
/// Sans-IO: a Carrier hands bundles to the bus, which may refuse one; then nothing has changed, and
/// the line waits for room(). Links take turns, kSectionBytes each. At most kFullsAtOnce full
/// states are under way on a line, until handled() tells that a bundle was handled or has failed.
///
/// Belongs to the loop's thread. Does not own the links: forget() each before it ends.
#pragma once

#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "entity/client/link.hpp"

namespace starbus::entity::sessions {

class Carrier {
 public:
  /// Hands a bundle to the bus, for the channel of the gate. False: would_block; it is offered
  /// again after room(). True: handled(ticket) follows, in a later turn, unless that is 0.
  virtual bool carry(const GateId& to, const bus::Bytes& bundle, std::uint64_t ticket) = 0;
  /// The snapshot of properties for the own client of the link's entity.
  virtual bus::Bytes properties(ClientLink& link) = 0;
  /// Changes of properties that have waited may be said: the turn of the link's updates is over.
  virtual void news_due(ClientLink& link) = 0;
  /// By which updates become too old.
  virtual LinkTime now() const = 0;

 protected:
  ~Carrier() = default;
};

struct LineCounters {
  std::uint64_t bundles = 0;
  std::uint64_t parts = 0;
  std::uint64_t fulls = 0;
  std::uint64_t refused = 0;      // bundles for which the bus had no room
  std::uint64_t fulls_later = 0;  // full states that waited for others: kFullsAtOnce
};

class HomeLines {
 public:
  HomeLines() = default;
  HomeLines(const HomeLines&) = delete;
  HomeLines& operator=(const HomeLines&) = delete;

  /// The link has something to say, or another gate: it is listed, once.
  void want(ClientLink& link);
  void forget(ClientLink& link);
  /// Says what can be said. True: a line stopped at its share of full states or for room.
  bool flush(Carrier& carrier);
  /// The bus has room for this gate again.
  void room(const bus::Process& gate);
  /// A bundle was handled by its gate, or has failed.
  void handled(std::uint64_t ticket);

  bool waits() const { return !listed_.empty(); }
  const LineCounters& counters() const { return counters_; }

 private:
  struct Line {
    std::deque<ClientLink*> links{};
    std::size_t fulls = 0;  // under way
    bool blocked = false;
  };
  struct Ticket {
    bus::Process gate;
    std::size_t fulls;
  };
  /// What goes into one bundle, and whose each section is.
  struct Said {
    std::vector<ClientLink*> links{};
    std::vector<Section> sections{};
  };
  bool flush_line(const bus::Process& gate, Line& line, Carrier& carrier);
  Said gather(Line& line, Carrier& carrier);
  void unlist(ClientLink& link);

  std::map<bus::Process, Line> lines_;                    // with links, or full states under way
  std::unordered_map<ClientLink*, bus::Process> listed_;  // at which line
  std::unordered_map<std::uint64_t, Ticket> tickets_;
  std::uint64_t next_ticket_ = 1;
  std::uint32_t next_handle_ = 1;
  LineCounters counters_;
};

}  // namespace starbus::entity::sessions
