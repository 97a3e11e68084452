/// The way down: parts of subjects and what is said to groups, to packets of clients; holes. A role
/// of GateCore; belongs to the loop's thread.
#pragma once

#include <deque>

#include "nodes/gate/core/desk.hpp"

namespace starbus::nodes::gate {

class Downlink {
 public:
  explicit Downlink(Desk& desk) : desk_(desk) {}

  /// A message of a home: hostile bytes.
  void bundle(const bus::Process& home, bus::ByteView bytes);
  /// The same by way of another gate.
  void forwarded(Session& session, const ForwardedParts& parts);
  void part(Session& session, const Introduction& at, const bus::Process& home, std::uint64_t n,
            const sessions::Part& part);
  /// A packet of this session; the client gets it if it is there. May end the session (too_slow).
  void packet(Session& session, PacketKind kind, Body body, const Mark& mark);
  /// A bind that the account has told: its parts that came early follow.
  void begin(Session& session, const Bind& bind);

  /// What is said to a group ("": to all sessions). False: kSpokenWaiting.
  bool announce(ForwardedSpoken word);
  /// True: its client gets it, now or when it is back.
  bool spoken(Session& session, const ForwardedSpoken& word);
  /// As GateCore::reach().
  std::optional<Reach> reach(const bus::Process& origin, std::uint64_t number) const;
  void leave_groups(Session& session);

  /// Asks the subject for what is missing, or whether it is there.
  void resync(Session& session);
  void pulse(Session& session);
  void credit(Session& session);
  /// The questions for holes that are old enough: nothing waits at this gate unread.
  void input_drained();
  /// Something may be missing.
  void suspect(Session& session);
  void due_hole(Session& session);
  /// Announcements, at most so many sessions. Returns how many.
  std::size_t speak(std::size_t most);
  bool speaking() const { return !spoken_.empty(); }

 private:
  void section(const bus::Process& home, const sessions::Section& section);
  bool pass_on(Session& session, const Introduction& at, std::uint64_t n,
               const sessions::Part& part);
  bool full_state(Session& session, const Introduction& at, std::uint64_t n,
                  const sessions::Part& part);
  void pass_all(Session& session, bool moved);
  void note_hole(Session& session, bool moved);

  struct Speaking {
    ForwardedSpoken word;
    SessionId at{};  // the last that was told
    Reach reach{};
  };
  struct Said {
    bus::Process origin{};
    std::uint64_t number = 0;
    Reach reach{};
  };
  void keep(const ForwardedSpoken& word, const Reach& reach);
  Desk& desk_;
  std::deque<Speaking> spoken_;
  std::deque<Said> said_;  // of late; the newest is the last
  std::deque<SessionId> due_holes_;
};

}  // namespace starbus::nodes::gate
