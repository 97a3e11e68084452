/// `bustop doctor`: finds problems of a cluster, with their effects and remedies. Pure: readings
/// in, findings out; the checks and their texts are in one table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/manager/placement/setback_report.hpp"
#include "tools/bustop/gates/gate_readings.hpp"
#include "tools/cluster/model.hpp"

namespace starbus::bustop {

enum class Severity { info, warning, error };
std::string_view name_of(Severity severity);

/// The name of a check, the effect of its findings, and the remedy. Names are stable.
// X(check, why, cure)
#define STARBUS_DOCTOR_CHECKS(X)                                                                   \
  X(daemon_unreachable, "no process of this host can reach the bus",                               \
    "start busd (systemctl start starbus-busd), or give its admin socket with --admin")            \
  X(uplink_down,                                                                                   \
    "messages to other hosts wait; after the lease of 30 s this host's names are "                 \
    "freed",                                                                                       \
    "read the last error; check that busroot runs and that this host can reach it")                \
  X(uplink_young, "each new session makes all unacknowledged messages travel again",               \
    "if it repeats: look for a restarting busroot or an unstable network")                         \
  X(root_unreachable, "without busroot only this host could be examined",                          \
    "check that busroot runs and that this host has a session with it")                            \
  X(grace,                                                                                         \
    "busroot has restarted and grants no names until all known hosts have announced theirs",       \
    "wait for the lease (30 s), or start the hosts that it waits for")                             \
  X(host_down, "its processes cannot be reached; its names are freed when the lease ends",         \
    "start busd there, and look at its log and at the network")                                    \
  X(host_no_answer, "it has a link, but could not be examined", "run bustop doctor on that host")  \
  X(daemon_state, "a daemon that is not running normally takes no new work",                       \
    "wait if it is being stopped on purpose; read its log otherwise")                              \
  X(loop_lag, "all messages through this daemon are late by this time",                            \
    "look for a starved machine: processor, swapping, a stopped virtual machine")                  \
  X(link_suspect, "the peer is stopped, overloaded or cut off; at 10 s its session ends",          \
    "look at the peer's processor and state (a debugger? SIGSTOP?) and at the network")            \
  X(link_not_greeted, "a peer connects but does not complete the handshake",                       \
    "look for a wrong program or version at that address")                                         \
  X(queue_near_limit, "at the limit records are dropped with NACK overflow and sent again",        \
    "the peer is slower than its senders: find them with bustop rates")                            \
  X(link_clock_full, "the peer takes data more slowly than the bus offers it",                     \
    "check the peer's processor and the bandwidth of the network")                                 \
  X(rtt_high, "calls over this link take at least as long",                                        \
    "look for a far or congested network, or a busy peer")                                         \
  X(overflow_growing, "queues are full: senders are slowed down and send again",                   \
    "find the slow receiver: bustop rates, column QUEUED")                                         \
  X(no_owner_growing, "processes send to channels without an owner; those messages fail",          \
    "list them: bustop why NAME, or /failures of that daemon")                                     \
  X(hostile_bytes, "a peer sent bytes that are not the protocol",                                  \
    "read the daemon's log for the address; look for a foreign program or an attack")              \
  X(peers_refused, "a peer is refused: wrong key, user, role or version, or its name is in use",   \
    "read the daemon's log for the peer and the reason; add the key or the user if it is "         \
    "legitimate")                                                                                  \
  X(user_takes_most,                                                                               \
    "one program holds or asks for most of what a host has for all: others wait longer; above "    \
    "its "                                                                                         \
    "share it is refused, and they are not",                                                       \
    "look at that program, and stop it if it is not meant to do that; bound its user by "          \
    "max_sessions, max_names and rates of its [[role]]")                                           \
  X(names_near_quota, "beyond the quota bind fails with too_many_names",                           \
    "raise max_names of the role, or look for names that are never unbound")                       \
  X(process_gone, "its link is lost; its names are freed when the lease ends",                     \
    "restart the process, or find out why its link broke: bustop why process/HOST.NODE")           \
  X(flapping_link, "each new session makes all unacknowledged messages travel again",              \
    "look at the peer's log, for restarts, and at the network between the two")                    \
  X(resend_rate, "messages sent again cost twice and arrive late",                                 \
    "look for full queues (queue_near_limit, overflow_growing) and flapping links on the way")     \
  X(window_near_limit, "at the limit its sends answer would_block",                                \
    "find the receiver that does not acknowledge: bustop why, bustop trace")                       \
  X(stalled_move, "messages to a moving channel wait until the move ends",                         \
    "look at the target process; after 5 s the source takes the channel back")                     \
  X(clock_jump,                                                                                    \
    "log lines of different machines no longer fit each other; leases are not "                    \
    "touched",                                                                                     \
    "look at the time synchronisation of that machine (chronyc tracking)")                         \
  X(mail_store_full, "posts to its shards are refused with store_full; reading goes on",           \
    "free space on the disk of the mail store; it recovers by itself")                             \
  X(mail_store_opening, "posts to its shards wait with their senders",                             \
    "another program may have it open (starbus-mail): end that one; a large store takes seconds")  \
  X(mail_store_stopped,                                                                            \
    "none of its shards is served to posters or readers; posts wait with their senders",           \
    "read busd's log; remove the cause, stop busd, starbus-mail check, starbus-mail repair if "    \
    "that finds something, start busd")                                                            \
  X(mail_store_damaged,                                                                            \
    "messages there are lost or cannot be read; busd repairs the store when a compaction "         \
    "reads the place",                                                                             \
    "starbus-mail backup now, while the rest can be read; busd's log names the mailboxes; look "   \
    "at the disk, stop busd, starbus-mail check, starbus-mail repair, start busd")                 \
  X(mail_lost, "the disk has lost mail; the store was repaired and serves the rest",               \
    "busd's log names the mailboxes; look at the disk; tell their readers, or bring it back "      \
    "from a backup (mail-tools.md); then starbus-mail acknowledge")                                \
  X(mail_store_mended, "the disk returned wrong bytes; they were corrected and nothing is lost",   \
    "look at the disk (dmesg, smartctl -a); then starbus-mail acknowledge")                        \
  X(mail_quota_full, "posts above the quota are refused with store_full; reading goes on",         \
    "let readers acknowledge, purge (bustop mail purge), or raise [mail] total_bytes there")       \
  X(mail_shards_missing, "posts to their mailboxes wait with the senders until they expire",       \
    "start the host that has them, or starbus-mail adopt if it is gone for good; to list them "    \
    "in [mail] shards of another would begin them empty, and give numbers twice: only for what "   \
    "no host has ever had")                                                                        \
  X(mail_shards_refused,                                                                           \
    "a shard is one host's. What is listed there and was never there stays where it is; if that "  \
    "host keeps mail of it, too (its log says so), two stores have it, and numbers are given "     \
    "twice",                                                                                       \
    "if its log says that they are not served there: mail-tools.md, \"Two stores with one "        \
    "shard\"; otherwise take them out of [mail] shards there, or bring them: starbus-mail move")   \
  X(mail_shards_left,                                                                              \
    "they went to another host, by a move or because it had them first, and that one does not "    \
    "serve them; this one will not take them by itself, since it would begin them empty",          \
    "start the host that has them; starbus-mail adopt here, only if that one is gone for good")    \
  X(mail_shards_unlisted,                                                                          \
    "a move or starbus-mail adopt has brought them: its store alone knows that they are there. "   \
    "Nothing is wrong while the store is there; one that is lost, or restored from before, "       \
    "would leave them to nobody",                                                                  \
    "add them to [mail] shards of that host, and of no other")                                     \
  X(service_quarantined,                                                                           \
    "its hosts died each time it was placed: it is not placed until an operator releases it, and " \
    "calls to it fail",                                                                            \
    "read the logs of those hosts; then bustop cluster --release TYPE/N")                          \
  X(manager_silent, "services in quarantine could not be listed",                                  \
    "look at the manager: bustop route manager/cluster, and its log")                              \
  X(certificate_ends, "clients refuse a gate whose certificate has ended",                         \
    "renew it, put the files in place, and reload the gate (systemctl reload, or SIGHUP)")         \
  X(gate_closed, "it lets nobody in; players go to other gates, or are refused",                   \
    "start another gate; or raise sessions of [gate] or connections of [gate.limits], within "     \
    "what the machine has")                                                                        \
  X(sessions_without_home, "these players see nothing and their requests wait",                    \
    "look at the spaces and at the loader of accounts: bustop client ID, bustop route "            \
    "player/NAME, bustop why player/NAME")                                                         \
  X(clients_cut_slow,                                                                              \
    "many at once are no bad lines: the uplink of the gate is full, or the game says too much",    \
    "look at the bytes by kind (bustop client ID, starbus_gate_body_bytes_total) and at the "      \
    "network of that host")                                                                        \
  X(gate_trusted, "the words of a gate, which strangers reach, count as those of a server",        \
    "give its user a role of its own without trust, as the role gate of "                          \
    "deploy/config/busd.toml")                                                                     \
  X(gate_silent, "its clients and sessions were not examined",                                     \
    "read its log; if denied: run bustop as a user whose [[role]] may send to node/ (role "        \
    "tools)")                                                                                      \
  X(login_missing, "nobody gets in",                                                               \
    "start starbus-login, or read why it is not ready: its log, bustop cluster")                   \
  X(login_queue_stuck, "players wait, and the queue does not move",                                \
    "if the gates are full: start another one; else look at accounts and the database: the "       \
    "log of the login, bustop why service/accounts")                                               \
  X(clock_skew,                                                                                    \
    "tickets of logins are judged by the clocks of the machines: they are refused as expired, "    \
    "or live too long",                                                                            \
    "look at the time synchronisation of that machine and of this one (chronyc tracking)")         \
  X(version_mix, "only versions at most one minor apart work together",                            \
    "finish the upgrade, host by host")

enum class Check {
#define X(check, why, cure) check,
  STARBUS_DOCTOR_CHECKS(X)
#undef X
};

struct CheckInfo {
  Check check;
  std::string_view name;
  std::string_view why;
  std::string_view cure;
};
const CheckInfo& info_of(Check check);
std::size_t check_count();

struct Finding {
  Severity severity = Severity::info;
  Check check{};
  std::string where;  // a daemon, "DAEMON -> PEER" for a link, or HOST.NODE
  std::string what;
  std::string cure;  // the check's, or a better one
};

/// Two readings, some time apart, so that growing counters are told from old ones.
struct Examination {
  Error unreachable;  // not ok: the local daemon does not answer, and nothing else is known
  Cluster cluster;
  std::vector<DaemonReading> before;
  std::vector<DaemonReading> after;
  /// A shard counts as served if it had a host in either reading: it may be moving. nullopt:
  /// unknown.
  std::optional<MailPlaces> mail{};
  /// Services whose hosts have died, from the manager. nullopt: there is no manager, or it did not
  /// answer (then `manager` is not ok).
  std::optional<nodes::manager::SetbackReport> setbacks{};
  bus::Error manager{};
  /// Gates and logins, two readings. nullopt: there are none, or they could not be asked (then
  /// `gates_trouble` is not ok).
  std::optional<GateReadings> gates_before{};
  std::optional<GateReadings> gates{};
  bus::Error gates_trouble{};
};

/// Worst first.
std::vector<Finding> diagnose(const Examination& examination);
/// 0, 1 or 2: nothing, warnings, errors; 3: nothing is known, the daemon does not answer.
int exit_code_of(const std::vector<Finding>& findings);

}  // namespace starbus::bustop
