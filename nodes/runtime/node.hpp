/// A node: a game process on the bus. Read this header first, then docs/nodes.md.
///
///   class Chat final : public nodes::App, public rpc::Callable<Chat> {
///    public:
///     bus::Result<> start(nodes::Node& node) override {
///       node.require("service/db");                            // what it cannot do without
///       node.before_ready("rooms", [this](nodes::Done done) { load(std::move(done)); });
///       node.offer("service/chat", *this);                     // callable while it is ready
///       node.on_drain("rooms", [this](nodes::Done done) { save(std::move(done)); });
///       return {};
///     }
///     void say(rpc::Caller& from, std::string text);
///     static constexpr auto kRpc = rpc::methods("chat", rpc::method<&Chat::say>("say"));
///   };
///
///   int main(int argc, char** argv) {
///     return nodes::run_node({.role = "chat", .version = "1.0"}, std::make_unique<Chat>(), argc,
///                            argv);
///   }
///
/// Threads: everything belongs to the loop's thread, the one of main(), but for Node::post and
/// Node::stop. Nothing may block it: what does goes to tasks(). Errors are values.
#pragma once

#include <boost/asio/io_context.hpp>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>

#include "bus/client/bus.hpp"
#include "daemon/config/config.hpp"
#include "daemon/main_loop.hpp"
#include "entity/rpc/rpc.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/runtime/lifecycle.hpp"
#include "nodes/runtime/load/work_name.hpp"
#include "nodes/runtime/presence.hpp"
#include "nodes/runtime/steps.hpp"
#include "nodes/runtime/tasks/task_channels.hpp"
#include "nodes/runtime/ticker.hpp"

namespace starbus::nodes {

class NodeCore;

/// What the runtime lends to the program, from App::start() until the App's destructor.
class Node {
 public:
  explicit Node(NodeCore& core) : core_(core) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::string& name() const;  // unique on its host
  const std::string& role() const;
  std::string process() const;  // "HOST.NODE"; ".NODE" until it has been registered once
  NodeState state() const;

  // --- within App::start only; a mistake in one of these fails the start ---

  /// It does not become ready before this is there: see requirements.hpp for the forms. What is
  /// gone later shows in /inspect and in the log, and changes nothing: calls to it end by
  /// themselves.
  void require(std::string name, std::size_t count = 1);
  /// Bound while the node is ready, and only then. The object, or what the handlers refer to, lives
  /// until the App's destructor. Forms of names as in bus::Bus::bind.
  void offer(std::string name, entity::rpc::CallableBase& host);
  void offer(std::string name, bus::Handlers handlers);
  /// Runs when the requirements are met, in the order of adding, one after the other, each time
  /// before the node becomes ready: so also behind a lost lease, when others may have changed what
  /// it knows. An error ends the process with exit code 1.
  void before_ready(std::string name, Step step);
  /// Runs when the node drains, the last one that was added first. By then nothing offered is
  /// routed here any more. An error is logged, and the next one runs.
  void on_drain(std::string name, Step step);
  /// Each time the state changes. ready -> starting: the lease was lost, and with it every name.
  void on_state(std::function<void(NodeState)> callback);

  // --- at any time ---

  /// Runs the closure on the loop, later, in the order of posting. **From any thread.**
  /// would_block: kMaxPosted wait; closed: the node has ended. The name, a literal, stands in
  /// reports; without one it is the closure's type.
  template <std::invocable Closure>
  bus::Result<> post(Closure closure) {
    return post(WorkName(typeid(Closure)), std::move(closure));
  }
  bus::Result<> post(WorkName name, std::function<void()> closure);
  /// Drains and ends, as SIGTERM does; with a reason, exit code 1. **From any thread.**
  void stop(bus::Error reason = {});

  bus::Bus& bus();
  entity::rpc::Endpoint& rpc();
  entity::TimerWheel& timers();
  TaskChannels& tasks();
  /// What runs every tick, in phases (docs/schedule.md), each `[loop] tick`.
  Ticker& ticks();
  boost::asio::io_context& loop();
  bus::daemon::DaemonContext& process_context();  // admin server, metrics, state folder

  /// Handlers that are measured as `what`, and named when they block the loop. Those of offer() are
  /// anyway, and so are methods of RPC.
  bus::Handlers measured(std::string_view what, bus::Handlers handlers);
  /// nodes::watch_ready over this node's bus.
  bus::Result<bus::WatchHandle> watch_ready(std::string_view of_role,
                                            std::function<void(const ReadyUpdate&)> on_update) {
    return nodes::watch_ready(bus(), of_role, std::move(on_update));
  }

 private:
  NodeCore& core_;
};

/// The program, as run_node drives it: configure, start, { configure reload }*, destructor. All on
/// the loop's thread. Only configure and the destructor are sure to come.
class App {
 public:
  virtual ~App() = default;
  /// Reads the keys of its own, and has no other effect: see bus::daemon::Daemon::configure.
  virtual void configure(bus::daemon::ConfigReader&) {}
  /// Says what it needs and offers. The node is not on the bus yet. An error ends the process.
  virtual bus::Result<> start(Node& node) = 0;
  /// SIGHUP, and the file has no problems. An error is logged and changes nothing.
  virtual bus::Result<> reload() { return {}; }
  /// One line for people, behind the state: "41 rooms".
  virtual std::string status() const { return {}; }
};

/// The constants of a program.
struct NodeInfo {
  std::string role;  // what others look for: 1..40 of a-z A-Z 0-9 _ -
  std::string version = "0";
  std::string description = {};
  std::string program = {};          // its name in logs; empty: the role
  std::string config_file = {};      // empty: /etc/starbus/PROGRAM.toml
  std::string state_directory = {};  // empty: $STATE_DIRECTORY, else /var/lib/starbus/PROGRAM
};

/// Runs the program: command line, configuration, logs, signals, systemd and admin server as of the
/// daemons (daemon/main_loop.hpp), and the node itself. Returns the exit code of the process.
int run_node(const NodeInfo& info, std::unique_ptr<App> app, int argc, const char* const* argv);

}  // namespace starbus::nodes
