/// The single checks; each appends what it finds. Only doctor.cpp includes this.
#pragma once

#include "tools/bustop/doctor/doctor.hpp"

namespace starbus::bustop::checks {

using Findings = std::vector<Finding>;

void add(Findings& to, Severity severity, Check check, std::string where, std::string what,
         std::string cure = {});

/// `before` may be null: the daemon was not there.
void check_daemon(const DaemonReading* before, const DaemonReading& after, Findings& to);
void check_counters(const DaemonReading* before, const DaemonReading& after, Findings& to);
void check_shares(const DaemonReading* before, const DaemonReading& after, Findings& to);
void check_links(const DaemonReading* before, const DaemonReading& after, Findings& to);

void check_root(const Cluster& cluster, Findings& to);
void check_hosts(const Cluster& cluster, Findings& to);
void check_processes(const Cluster& cluster, Findings& to);
void check_mail_shards(const Examination& examination, Findings& to);
void check_services(const Examination& examination, Findings& to);
void check_gates(const Examination& examination, Findings& to);
void check_versions(const Examination& examination, Findings& to);

}  // namespace starbus::bustop::checks
