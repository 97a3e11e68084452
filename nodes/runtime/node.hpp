/// A node: a game process on the bus. Read this header first, then docs/guide/nodes.md.
///
///   class Chat final : public nodes::App, public rpc::Callable<Chat> {
///    public:
///     bus::Result<> start(nodes::Node& node) override {
///       node.require("service/db");                            // not ready without it
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
/// Threads: everything belongs to the loop's thread, which is the thread of main(), except
/// Node::post and Node::stop. Do not block it: submit blocking work to tasks(). Errors are values.
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

/// The interface of the runtime to the program, valid from App::start() until the App's destructor.
class Node {
 public:
  explicit Node(NodeCore& core) : core_(core) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::string& name() const;  // unique on its host
  const std::string& role() const;  // of the configuration; fixed
  std::string process() const;      // "HOST.NODE"; ".NODE" until it has been registered once
  NodeState state() const;          // the present one
  /// How busy its loop was in the latest second, in ms of 1000: what its report says (load/).
  double busy_ms_per_s() const;
  /// It drains since the whole cluster ends (docs/guide/manager.md): what would go to another node
  /// stays, and is saved. May become true while it drains.
  bool cluster_ends() const;

  // --- within App::start only; a mistake in one of these fails the start ---

  /// The node does not become ready before this name exists: see requirements.hpp for the forms. If
  /// it ends later, /inspect and the log show that, and the node stays ready.
  void require(std::string name, std::size_t count = 1);
  /// Binds the name while the node is ready. The object, and all that the handlers refer to, must
  /// live until the App's destructor. Forms of names as in bus::Bus::bind.
  void offer(std::string name, entity::rpc::CallableBase& host);
  void offer(std::string name, bus::Handlers handlers);
  /// Runs the steps one after the other, in the order of adding, each time after the requirements
  /// are met and before the node becomes ready: also after a lost lease, when other processes may
  /// have changed its data. An error ends the process with exit code 1.
  void before_ready(std::string name, Step step);
  /// Runs the steps when the node drains, in the reverse order of adding. By then no calls are
  /// routed to its offers any more. An error is logged, and the next step runs.
  void on_drain(std::string name, Step step);
  /// Called after each change of the state. ready -> starting: the lease and all names are lost.
  void on_state(std::function<void(NodeState)> callback);
  /// Called when the link with busd is there, and when it has ended: until it is back nothing
  /// leaves the node, and nothing comes.
  void on_link(std::function<void(bool there)> callback);

  // --- at any time ---

  /// Runs the closure on the loop, later, in the order of posting. **From any thread.**
  /// would_block: kMaxPosted wait; closed: the node has ended. Reports show the name, a literal, or
  /// the type of the closure.
  template <std::invocable Closure>
  bus::Result<> post(Closure closure) {
    return post(WorkName(typeid(Closure)), std::move(closure));
  }
  bus::Result<> post(WorkName name, std::function<void()> closure);
  /// Drains and ends, as SIGTERM does; with a reason, exit code 1. **From any thread.**
  void stop(bus::Error reason = {});

  /// The parts of the node, each of which lives as long as the node. They belong to the loop's
  /// thread.
  bus::Bus& bus();
  entity::rpc::Endpoint& rpc();
  entity::TimerWheel& timers();
  TaskChannels& tasks();
  /// The functions of each tick, in phases (docs/guide/schedule.md); the period is `[loop] tick`.
  Ticker& ticks();
  boost::asio::io_context& loop();
  daemon::DaemonContext& process_context();  // admin server, metrics, state folder

  /// Wraps handlers: their time counts as `what`, which the stall detector names. Handlers of
  /// offer() and RPC methods are measured without this.
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
/// the loop's thread. Only configure and the destructor are always called.
class App {
 public:
  virtual ~App() = default;
  /// Reads its own keys, and has no other effect: see daemon::Daemon::configure.
  virtual void configure(daemon::ConfigReader&) {}
  /// Declares requirements and offers. The node is not on the bus yet. An error ends the process.
  virtual bus::Result<> start(Node& node) = 0;
  /// Called after SIGHUP if the file has no problems. An error is logged and changes nothing.
  virtual bus::Result<> reload() { return {}; }
  /// One line for people, shown after the state: "41 rooms".
  virtual std::string status() const { return {}; }
};

/// The constants of a program.
struct NodeInfo {
  std::string role;  // part of ready/ROLE/HOST.NODE: 1..40 of a-z A-Z 0-9 _ -
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
