/// Model -> text for people. Pure functions; every text ends with a newline or is empty.
#pragma once

#include <string>
#include <vector>

#include "tools/bustop/doctor/doctor.hpp"
#include "tools/bustop/rates.hpp"
#include "tools/cluster/cluster_view.hpp"
#include "tools/cluster/model.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::bustop {

std::string render_tree(const Cluster& cluster, const Look& look);
std::string render_hosts(const Cluster& cluster, const Look& look);
std::string render_nodes(const Cluster& cluster, const Look& look);
std::string render_names(const NamesAnswer& answer, const NamesQuery& query, const Look& look);
std::string render_rates(const std::vector<DaemonRates>& rates, double seconds, const Look& look);
std::string render_doctor(const std::vector<Finding>& findings, const Examination& examination,
                          const Look& look);
std::string render_tail_line(const TailLine& line, const Look& look);

/// The way from a process of this host to the owner.
struct Hop {
  std::string from;
  std::string to;
  double rtt_us = 0;  // 0: not known
  std::string remark;
};
struct RouteView {
  RouteAnswer route;
  std::string local;  // the daemon that was asked first
  std::vector<Hop> hops;
};
std::string render_route(const RouteView& view, const Look& look);
/// Computed from the views of the cluster and of the owner's host.
std::vector<Hop> hops_to(const RouteInfo& route, const Cluster& cluster);

struct WhyView {
  std::string name;
  RouteAnswer route;
  Error route_trouble;  // not ok: `route` is empty
  std::vector<FailureRow> failures;
  std::vector<std::string> asked;
  std::vector<std::string> silent;
};
std::string render_why(const WhyView& view, const Look& look);

/// The remedy for a recorded reason such as "already_bound: entity/7 is owned by ...".
/// Empty for a reason that the error catalogue does not know.
std::string cure_of(const std::string& reason);
std::string meaning_of(const std::string& reason);

/// A hint if `name` is a shared name or a group where one channel is needed; else empty.
std::string set_text(const std::string& name);

/// Notes on an incomplete view.
std::vector<std::string> notes_on(const Cluster& cluster);

Cell host_state(const HostView& host, const Cluster& cluster);
Cell process_state(const ProcessInfo& process);
/// "gate-1" of "hostA.gate-1".
std::string node_of(const std::string& process);

}  // namespace starbus::bustop
