#include "tools/bustop/commands.hpp"

#include <algorithm>
#include <optional>
#include <ostream>

#include "bus/core/wire/name.hpp"
#include "nodes/manager/manager_service.hpp"
#include "tools/bustop/json_out.hpp"
#include "tools/bustop/render.hpp"
#include "tools/bustop/trace.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

template <class Text, class Json>
int print(const Context& context, const Text& text, const Json& json) {
  context.out << (context.json ? dump(json()) : text());
  context.out.flush();
  return kExitOk;
}

/// The frame of tree, hosts and nodes.
template <class Render, class ToJson>
int show_cluster(const Context& context, ClusterView::Depth depth, const Render& render,
                 const ToJson& to_json) {
  const auto cluster = context.view.load(depth);
  if (!cluster) return report(context, cluster.error());
  return print(
      context, [&] { return render(*cluster, context.look); }, [&] { return to_json(*cluster); });
}

bool good_name(const Context& context, const std::string& name) {
  const auto checked = bus::check_channel_name(name);
  if (!checked) {
    context.err << "bustop: " << printable(name) << ": " << printable(checked.error().to_string())
                << "\n";
  }
  return checked.has_value();
}

/// A shared or a group name has no owner: its instances or members have.
bool good_channel(const Context& context, const std::string& name) {
  if (!good_name(context, name)) return false;
  const std::string set = set_text(name);
  if (!set.empty()) {
    context.err << "bustop: " << printable(name) << " is " << printable(set) << "\n";
  }
  return set.empty();
}

}  // namespace

int report(const Context& context, const Error& error) {
  context.err << "bustop: " << printable(text_of(error)) << "\n";
  if (error == Errc::unreachable || error == Errc::deadline) {
    context.err << "  the daemon at " << printable(context.admin) << " does not answer\n"
                << "  -> start it (systemctl start starbus-busd), or name its admin socket with\n"
                << "     --admin unix://PATH or $STARBUS_ADMIN (the key [admin] socket of its "
                   "configuration)\n";
    return kExitUnreachable;
  }
  if (error == Errc::denied) {
    context.err << "  -> run this as root or as the user of the daemon, or add this user to the\n"
                << "     daemon's group: that may open " << printable(context.admin) << "\n";
    return kExitFailed;
  }
  const std::string cure = cure_of(std::string(bus::name_of(error.code)));
  if (error == Errc::bad_bytes) {
    context.err << "  -> " << printable(context.admin)
                << " is not the admin socket of a busd or busroot: correct --admin\n";
  } else if (!cure.empty() && error.code != Errc::handler_failed) {
    context.err << "  -> " << cure << "\n";
  }
  return kExitFailed;
}

int run_tree(const Context& context) {
  return show_cluster(context, ClusterView::Depth::hosts, render_tree, json_of_tree);
}

int run_hosts(const Context& context) {
  return show_cluster(context, ClusterView::Depth::root, render_hosts, json_of_hosts);
}

int run_nodes(const Context& context) {
  return show_cluster(context, ClusterView::Depth::hosts, render_nodes, json_of_nodes);
}

int run_channels(const Context& context, const NamesQuery& query) {
  const auto answer = context.view.names(query);
  if (!answer) return report(context, answer.error());
  return print(
      context, [&] { return render_names(*answer, query, context.look); },
      [&] { return json_of_names(*answer); });
}

int run_route(const Context& context, const std::string& name) {
  if (!good_name(context, name)) return kExitUsage;
  auto route = context.view.route(name);
  if (!route) return report(context, route.error());
  RouteView view;
  view.route = std::move(*route);
  if (view.route.info.found) {
    auto cluster = context.view.load(ClusterView::Depth::root);
    if (!cluster) return report(context, cluster.error());
    for (HostView& host : cluster->hosts) {
      if (host.name != view.route.info.host || host.topology) continue;
      if (auto topology = context.view.host(host.name)) host.topology = std::move(*topology);
    }
    view.local = cluster->local.name;
    view.hops = hops_to(view.route.info, *cluster);
  }
  print(
      context, [&] { return render_route(view, context.look); },
      [&] { return json_of_route(view); });
  if (view.route.info.found) return kExitOk;
  return view.route.root_answered() ? kExitNotFound : kExitFailed;
}

int run_trace(const Context& context, const TraceOptions& options) {
  if (!good_channel(context, options.name)) return kExitUsage;
  const auto status = context.view.status();
  if (!status) return report(context, status.error());
  if (status->is_root()) {
    context.err << "bustop: a trace begins at a busd: run it on a host, against its busd\n";
    return kExitFailed;
  }
  const auto text = context.view.trace(options.name, options.lane);
  if (!text && text.error().detail.starts_with("504")) {  // busd's own deadline
    context.err << "bustop: the trace was lost on its way: nothing came back within 3 s\n"
                << "  -> bustop why " << printable(options.name) << "; bustop doctor\n";
    return kExitFailed;
  }
  if (!text) return report(context, text.error());
  const auto trace = parse_trace(*text);
  if (!trace) return report(context, trace.error());
  print(
      context, [&] { return render_trace(*trace, context.look); },
      [&] { return json_of_trace(*trace); });
  return trace->end == "owner" ? kExitOk : kExitNotFound;
}

int run_why(const Context& context, const WhyOptions& options) {
  if (!good_name(context, options.name)) return kExitUsage;
  WhyView view;
  view.name = options.name;
  auto route = context.view.route(options.name);
  if (route) {
    view.route = std::move(*route);
  } else if (route.error() == Errc::handler_failed) {
    view.route_trouble = route.error();
  } else {
    return report(context, route.error());
  }
  const auto cluster = context.view.load(ClusterView::Depth::root);
  if (!cluster) return report(context, cluster.error());
  std::vector<std::string> hosts;
  for (const HostView& host : cluster->hosts) {
    const bool on_the_way = view.route.info.found && host.name == view.route.info.host;
    if (host.connected() && (options.everywhere || on_the_way)) hosts.push_back(host.name);
  }
  auto failures = context.view.failures(options.name, options.limit, hosts, view.silent);
  if (!failures) return report(context, failures.error());
  view.failures = std::move(*failures);
  const OriginNames origins(*cluster);
  for (FailureRow& row : view.failures) row.origin = origins.resolve(row.origin);
  view.asked = {"busroot"};
  if (!cluster->local.is_root()) view.asked.push_back(cluster->local.name);
  for (const std::string& host : hosts) {
    if (host != cluster->local.name) view.asked.push_back(host);
  }
  std::erase_if(view.asked, [&](const std::string& daemon) {
    return std::ranges::find(view.silent, daemon) != view.silent.end();
  });
  return print(
      context, [&] { return render_why(view, context.look); }, [&] { return json_of_why(view); });
}

namespace {

/// kExitOk if a tail on this host shows the channel; otherwise says where it does.
int check_tail_place(const Context& context, const TailOptions& options, const std::string& here) {
  const auto route = context.view.route(options.name);
  if (!route) return report(context, route.error());
  const RouteInfo& info = route->info;
  const std::string name = printable(options.name);
  if (!info.found) {
    context.err << "bustop: "
                << (route->root_answered()
                        ? name + " has no owner now"
                        : "busroot does not answer, so the owner of " + name + " is not known")
                << "; showing the messages that pass through this host\n";
    return kExitOk;
  }
  if (info.host == here) return kExitOk;
  context.err << "bustop: " << name << " is owned by " << printable(info.owner)
              << "; a tail does not travel over the bus\n  -> on host " << printable(info.host)
              << " run:  bustop tail '" << name
              << "'\n  -> or see the messages that pass through this host:  bustop tail --here '"
              << name << "'\n";
  return kExitFailed;
}

}  // namespace

int run_tail(const Context& context, const TailOptions& options) {
  if (!good_channel(context, options.name)) return kExitUsage;
  const auto cluster = context.view.load(ClusterView::Depth::root);
  if (!cluster) return report(context, cluster.error());
  if (cluster->local.is_root()) {
    context.err << "bustop: busroot has no tail: run it on the owner's host, against its busd\n";
    return kExitFailed;
  }
  if (!options.here) {
    const int code = check_tail_place(context, options, cluster->local.name);
    if (code != kExitOk) return code;
  }
  const OriginNames origins(*cluster);
  std::size_t shown = 0;
  const auto ended = context.view.tail(options.name, [&](std::string_view text) {
    auto line = report::from_json<TailLine>(text);
    if (!line) return true;  // an empty line keeps the connection alive
    line->origin = origins.resolve(line->origin);
    context.out << (context.json ? dump(report::to_json<OrderedJson>(*line), true)
                                 : render_tail_line(*line, context.look));
    context.out.flush();
    return context.out.good() && (options.count == 0 || ++shown < options.count);
  });
  return ended ? kExitOk : report(context, ended.error());
}

int run_rates(const Context& context, const RatesOptions& options) {
  auto before = context.view.readings(options.local);
  if (!before) return report(context, before.error());
  do {
    context.sleep(options.interval);
    auto after = context.view.readings(options.local);
    if (!after && options.once) return report(context, after.error());
    if (!after) {  // it may be back for the next one; a rate needs two in a row
      context.err << "bustop: " << printable(text_of(after.error())) << "; trying again\n";
      do {
        context.sleep(options.interval);
        before = context.view.readings(options.local);
      } while (!before && context.out.good());
      continue;
    }
    const auto rates = compute_rates(*before, *after);
    const double seconds = after->front().at_s - before->front().at_s;
    // One document per line where several follow each other.
    context.out << (context.json ? dump(json_of_rates(rates, seconds), !options.once)
                                 : render_rates(rates, seconds, context.look));
    if (!context.json && !options.once) context.out << "\n";
    context.out.flush();
    before = std::move(after);
  } while (!options.once && context.out.good());
  return kExitOk;
}

namespace {

/// Where mail is now; a shard that has no host for a moment, because it moves, has the earlier one.
std::optional<MailPlaces> mail_places(const Context& context,
                                      const std::optional<MailPlaces>& earlier) {
  auto places = context.view.mail_places();
  if (!places) return std::nullopt;
  for (std::size_t shard = 0; earlier && shard < bus::kShards; ++shard) {
    if (places->host[shard].empty()) places->host[shard] = earlier->host[shard];
  }
  return std::move(*places);
}

/// nullopt: there are none, or they could not be asked: `trouble` says why.
std::optional<GateReadings> ask_gates(const Context& context, bus::Error& trouble) {
  if (!context.gates) return std::nullopt;
  const auto some = context.view.names({std::string(bus::kGatePrefix), {}, 1});
  if (!some || some->names.empty()) return std::nullopt;
  auto readings = context.gates();
  if (readings) return std::move(*readings);
  trouble = readings.error();
  return std::nullopt;
}

Result<> examine(const Context& context, std::chrono::milliseconds interval, Examination& into) {
  auto before = context.view.readings(false);
  if (!before) return before.error();
  const auto places = mail_places(context, std::nullopt);
  into.gates_before = ask_gates(context, into.gates_trouble);
  context.sleep(interval);
  into.gates_trouble = {};
  into.gates = ask_gates(context, into.gates_trouble);
  auto after = context.view.readings(false);
  if (!after) return after.error();
  into.mail = mail_places(context, places);
  auto cluster = context.view.load(ClusterView::Depth::hosts);
  if (!cluster) return cluster.error();
  into.before = std::move(*before);
  into.after = std::move(*after);
  into.cluster = std::move(*cluster);
  return {};
}

/// Without a manager no services are placed.
void ask_manager(const Context& context, Examination& examination) {
  if (!context.setbacks) return;
  const auto route = context.view.route(std::string(nodes::manager::kManagerChannel));
  if (!route || !route->info.found) return;
  auto held = context.setbacks();
  if (held) {
    examination.setbacks = std::move(*held);
  } else {
    examination.manager = held.error();
  }
}

}  // namespace

int run_doctor(const Context& context, std::chrono::milliseconds interval) {
  Examination examination;
  const auto examined = examine(context, interval, examination);
  if (!examined) examination.unreachable = examined.error();
  if (examined) ask_manager(context, examination);
  const auto findings = diagnose(examination);
  print(
      context, [&] { return render_doctor(findings, examination, context.look); },
      [&] { return json_of_doctor(findings); });
  return exit_code_of(findings);
}

}  // namespace starbus::bustop
