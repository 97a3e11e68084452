/// A world for scripted scenarios: it begins at rest, with mover/x at a.1 and mover/y at b.1, loses
/// nothing by chance, and lets a scenario hold bundles at the very record that matters.
///
///   Script s;
///   s.move("mover/x", "c.1");
///   s.hold("busroot", "c", Kind::attached);   // and everything behind it on that link
///   s.until_held();
///   s.world.root().crash();                   // what is held is lost with its link
///   ...
///   s.finish();                               // heal, converge, nothing lost
///
/// Expectations that fail throw Violation, as the oracle does. One thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/world.hpp"

namespace starbus::sim {

class Script {
 public:
  struct Handled {
    std::string process;
    NameIndex name = 0;
    MessageId id = 0;
  };
  struct Failed {
    bus::Errc reason = bus::Errc::ok;
    bool sent = false;
  };

  explicit Script(WorldOptions options = {}, std::FILE* trace = nullptr);

  World world;
  std::vector<Handled> handled;
  std::map<MessageId, Failed> failed;

  // --- people and places ---
  ProcessNode& process(std::string_view name) { return world.process(name); }
  HostNode& host(std::string_view name);
  Node& node(std::string_view name);
  /// Where a name is active; empty if nowhere.
  std::string owner(std::string_view name);
  const Application::Copy* copy(std::string_view process_name, std::string_view name);

  // --- actions ---
  /// From an entity, wherever it is; the id of the (first) message.
  MessageId send(std::string_view from, std::string_view to, bus::Lane lane = bus::Lane::call,
                 std::size_t size = 0);
  MessageId announce(std::string_view from, const std::vector<std::string>& to,
                     bus::Lane lane = bus::Lane::call);
  bool try_send(std::string_view from, std::string_view to, bus::Lane lane, std::size_t size);
  void move(std::string_view name, std::string_view to);
  /// A move that is over, with its owner at rest.
  void move_and_wait(std::string_view name, std::string_view to);
  void bind(std::string_view process_name, std::string_view name);
  void kill(std::string_view process_name);
  /// The link that this end has opened: bytes in flight are lost.
  void cut(std::string_view connector);

  // --- holding ---
  /// Holds the link from the first bundle on that contains `kind`.
  void hold(std::string_view from, std::string_view to, Kind kind);
  void hold_all(std::string_view from, std::string_view to);
  bool held(std::string_view from, std::string_view to) const;
  void release(std::string_view from, std::string_view to);
  void release_all();
  /// Loses the records of this kind that `from` sends, until `lose_nothing`; `at_most` 0: all.
  void lose(std::string_view from, Kind kind, int at_most = 0);
  void lose_nothing() { world.network.set_loss(nullptr); }

  // --- time and expectations ---
  void run_ms(std::uint64_t ms) { world.run_for(from_ms(ms)); }
  void until(const std::function<bool()>& done, const std::string& what,
             std::uint64_t limit_ms = 60'000) {
    world.run_until(done, from_ms(limit_ms), what);
  }
  void until_held(std::string_view from, std::string_view to);
  void until_handled(MessageId id);
  void until_rest(std::uint64_t limit_ms = 90'000);
  bool was_handled(MessageId id) const { return world.oracle.was_handled(id); }
  /// Where a message was handled; empty if it was not.
  std::string handler_of(MessageId id) const;
  void expect(bool truth, const std::string& what) const;
  /// Heals, and demands that everything converges and nothing was lost.
  void finish(std::uint64_t limit_ms = 150'000);

 private:
  struct Rule {
    std::string from, to;
    std::optional<Kind> kind;  // none: everything
    bool latched = false;
  };
  void watch(ProcessNode& process);

  std::vector<Rule> rules_;
};

struct Scenario {
  std::string_view name;  // "F1", "M10"
  std::string_view title;
  void (*run)(std::FILE* trace);
};

/// All of them, in order.
std::vector<Scenario> all_scenarios();
std::vector<Scenario> filter_scenarios();
std::vector<Scenario> lineage_scenarios();
std::vector<Scenario> withdrawal_scenarios();
std::vector<Scenario> link_scenarios();
std::vector<Scenario> move_scenarios();
std::vector<Scenario> move_end_scenarios();
std::vector<Scenario> directory_scenarios();
std::vector<Scenario> relay_scenarios();
std::vector<Scenario> mail_scenarios();
std::vector<Scenario> log_scenarios();
std::vector<Scenario> liar_scenarios();
std::vector<Scenario> client_scenarios();

}  // namespace starbus::sim
