/// Drives a router with the links of a fuzz input. A link that the router has closed is opened anew
/// by the next step that speaks on it.
#pragma once

#include <map>
#include <string>

#include "bus/core/routers/router.hpp"
#include "tests/fuzz/steps.hpp"

namespace starbus::bus {

// Actors beyond the links.
inline constexpr std::uint8_t kTimePasses = 0x10;  // 100 ms times (1 + kind)
inline constexpr std::uint8_t kLinkBreaks = 0x20;  // that of the low bits

/// What both shells do: nothing, but notice that a link is closed.
template <class Shell>
class DeafShell : public Shell {
 public:
  Bytes take_buffer(LinkId) override { return {}; }
  void send(LinkId, Bytes) override {}
  void close(LinkId link) override { closed.push_back(link); }
  void log(RouterShell::Level, const std::string&) override {}
  std::vector<LinkId> closed;
};

/// One router, its links by actor, and the time.
template <class Shell>
class RouterDriver {
 public:
  RouterDriver(Router& router, DeafShell<Shell>& shell) : router_(router), shell_(shell) {}

  Time now() const { return now_; }
  /// A new link for this actor; returns its number, whose session is `session_of` it.
  LinkId opened(std::uint8_t actor) {
    const LinkId id = ++last_;
    links_.insert_or_assign(actor, Open{id, FarEnd(session_of(id))});
    return id;
  }
  static std::uint64_t session_of(LinkId id) { return 0x5000 + id; }

  template <class Record>
  void say(std::uint8_t actor, const Record& record) {
    if (is_open(actor)) deliver(actor, links_.at(actor).end.bundle(record));
  }
  bool is_open(std::uint8_t actor) const {
    const auto found = links_.find(actor);
    return found != links_.end() &&
           std::ranges::find(shell_.closed, found->second.id) == shell_.closed.end();
  }

  /// `open(actor)` opens the link of an actor that has none.
  template <class Open>
  void run(ByteView input, std::uint8_t actors, const Open& open) {
    for (std::uint8_t actor = 0; actor < actors; ++actor) open(actor);
    Steps steps(input);
    while (const auto step = steps.next()) {
      const auto actor = static_cast<std::uint8_t>((step->actor & 0x0f) % actors);
      if ((step->actor & kTimePasses) != 0) {
        now_ += from_ms(100 * (1 + static_cast<std::uint64_t>(step->kind)));
        router_.tick(now_);
      } else if ((step->actor & kLinkBreaks) != 0) {
        break_link(actor);
      } else {
        if (!is_open(actor)) open(actor);
        if (is_open(actor)) {
          deliver(actor, links_.at(actor).end.bundle(step->kind, step->payload));
        }
      }
      router_.flush();
    }
    now_ += std::chrono::hours(1);  // everything that waits comes to its end
    router_.tick(now_);
    router_.flush();
    (void)router_.link_status();
  }

 private:
  struct Open {
    LinkId id = 0;
    FarEnd end;
  };
  void deliver(std::uint8_t actor, const Bytes& bundle) {
    router_.on_bundle(links_.at(actor).id, bundle, now_);
    router_.flush();
  }
  void break_link(std::uint8_t actor) {
    if (!is_open(actor)) return;
    const LinkId id = links_.at(actor).id;
    shell_.closed.push_back(id);
    router_.link_closed(id, {Errc::io_error, "cut"}, now_);
  }

  Router& router_;
  DeafShell<Shell>& shell_;
  Time now_ = from_ms(10'000);
  LinkId last_ = 0;
  std::map<std::uint8_t, Open> links_;
};

}  // namespace starbus::bus
