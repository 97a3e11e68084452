#include "nodes/runtime/node_daemon.hpp"

#include <iostream>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "nodes/runtime/node_admin.hpp"
#include "nodes/runtime/node_limits.hpp"
#include "nodes/runtime/schema_export.hpp"

namespace starbus::nodes {
namespace {

/// Calls a function of the program; what it throws is an error.
template <class Call>
bus::Result<> guarded_call(std::string_view name, Call call) {
  bus::Result<> result;
  if (guarded(UnitKind::program, name, [&] { result = call(); })) return result;
  return bus::Error(bus::Errc::handler_failed, std::string(name) + " of the program threw");
}

}  // namespace

NodeDaemon::~NodeDaemon() = default;

void NodeDaemon::configure(daemon::ConfigReader& reader) {
  fresh_ = read_node_settings(reader, info_.program);
  // At the first time nothing catches it: then the program has not started.
  if (!guarded(UnitKind::program, "configure", [&] { app_->configure(reader); })) {
    reader.problem("configure", "the program's configure() threw: see the log");
  }
}

bus::Result<> NodeDaemon::start(daemon::DaemonContext& context) {
  core_ = std::make_unique<NodeCore>(context, info_.role, fresh_);
  add_node_admin(*core_);
  if (auto started = guarded_call("start", [&] { return app_->start(core_->node()); }); !started) {
    return started;
  }
  return core_->begin();
}

bus::Result<> NodeDaemon::reload() {
  if (fresh_ != core_->settings()) {
    return bus::Error(bus::Errc::bad_config,
                      "node, needs, leave_deadline, ready_deadline, [bus], [loop] and [tasks] take "
                      "a restart");
  }
  return guarded_call("reload", [&] { return app_->reload(); });
}

void NodeDaemon::drain(std::function<void()> done) {
  core_->stop(std::move(done));
}

void NodeDaemon::threw(const std::exception_ptr& thrown) {
  UnitGuard::report(UnitKind::handler, {}, what_of(thrown));
}

std::string NodeDaemon::status() const {
  std::string text = core_->status();
  std::string more;
  guarded(UnitKind::program, "status", [&] { more = app_->status(); });
  if (!more.empty()) text.append("; ").append(more);
  return text;
}

bool NodeDaemon::healthy() const {
  return core_->lifecycle().state() == NodeState::ready;
}

int run_node(const NodeInfo& info, std::unique_ptr<App> app, int argc, const char* const* argv) {
  NodeInfo complete = info;
  if (complete.program.empty()) complete.program = complete.role;
  if (!bus::check_node_name(complete.role) || complete.role.size() > kMaxRole) {
    std::cerr << complete.program << ": '" << complete.role << "' is not a role: 1.." << kMaxRole
              << " of a-z A-Z 0-9 _ -" << std::endl;
    return daemon::kExitUsage;
  }
  const daemon::DaemonInfo process{
      .name = complete.program,
      .version = complete.version,
      .description = complete.description,
      .config_file = complete.config_file,
      .state_directory = complete.state_directory,
      .schema = [complete] { return schema_text(complete.program, complete.version); }};
  return daemon::run_daemon(
      process, std::make_unique<NodeDaemon>(std::move(complete), std::move(app)), argc, argv);
}

}  // namespace starbus::nodes
