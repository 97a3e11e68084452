#include "tools/bustop/doctor/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/bustop/render.hpp"

namespace starbus::bustop {
namespace {

using testing::IsEmpty;

/// A healthy cluster of one host with one process, to be spoilt by each test.
class Doctor : public testing::Test {
 protected:
  Doctor() {
    examination_.cluster.local = status("busd", "a");
    examination_.cluster.local.uptime_s = 4000;
    examination_.cluster.root = RootTopology{"busroot", "starbus 0.1.0", 3, false, {}, {}, 1};
    HostView host;
    host.name = "a";
    host.local = true;
    host.row = HostRow{"a", true, "", 1, {}, std::nullopt, "0.1.0"};
    host.topology = HostTopology{"a", 3, {"tcp://r:7600", true, 300, 3900, ""}, {}, 1};
    ProcessInfo process;
    process.name = "a.gate-1";
    host.topology->processes.push_back(process);
    examination_.cluster.hosts.push_back(host);
    for (auto* readings : {&examination_.before, &examination_.after}) {
      readings->push_back(reading("root", status("busroot", "busroot")));
      readings->push_back(reading("a", status("busd", "a")));
    }
    for (auto& reading : examination_.after) reading.at_s += 1;
  }

  static DaemonStatus status(const std::string& kind, const std::string& name) {
    DaemonStatus status;
    status.kind = kind;
    status.name = name;
    status.version = "0.1.0";
    status.pid = 7;
    return status;
  }
  static DaemonReading reading(const std::string& name, DaemonStatus status) {
    LinkInfo link;
    link.id = "1";
    link.peer = "a.gate-1";
    link.greeted = true;
    link.rtt_us = 100;
    return {name, 10, std::move(status), {link}, {}};
  }

  LinkInfo& link() { return examination_.after[1].links[0]; }
  LinkInfo& earlier_link() { return examination_.before[1].links[0]; }
  HostView& host() { return examination_.cluster.hosts[0]; }
  void count(const std::string& counter, std::uint64_t before, std::uint64_t after) {
    examination_.before[1].status.counters[counter] = before;
    examination_.after[1].status.counters[counter] = after;
  }

  /// The only finding.
  void expect(Check check, Severity severity) {
    const auto findings = diagnose(examination_);
    ASSERT_EQ(findings.size(), 1U) << render_doctor(findings, examination_, {});
    EXPECT_EQ(info_of(findings[0].check).name, info_of(check).name);
    EXPECT_EQ(findings[0].severity, severity);
    EXPECT_FALSE(findings[0].what.empty());
    EXPECT_FALSE(findings[0].where.empty());
    EXPECT_FALSE(findings[0].cure.empty());
    EXPECT_EQ(exit_code_of(findings), static_cast<int>(severity));
  }
  void expect_nothing() { EXPECT_THAT(diagnose(examination_), IsEmpty()); }

  Examination examination_;
};

TEST_F(Doctor, FindsNothingInAHealthyCluster) {
  expect_nothing();
  EXPECT_EQ(exit_code_of({}), 0);
  EXPECT_EQ(render_doctor({}, examination_, {}),
            std::to_string(check_count()) + " checks of 2 daemons and 1 process: nothing found\n");
}

TEST_F(Doctor, DaemonUnreachable) {
  examination_.unreachable = {Errc::unreachable, "127.0.0.1:7611"};
  const auto findings = diagnose(examination_);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].check, Check::daemon_unreachable);
  EXPECT_EQ(findings[0].severity, Severity::error);
  EXPECT_EQ(exit_code_of(findings), 3);
}

TEST_F(Doctor, RootUnreachable) {
  examination_.cluster.root.reset();
  examination_.cluster.root_trouble = {Errc::handler_failed, "503"};
  expect(Check::root_unreachable, Severity::error);
}

TEST_F(Doctor, UplinkDownWithTheCureOfItsError) {
  host().topology->uplink.connected = false;
  host().topology->uplink.last_error = "unauthorized: key not on the list";
  expect(Check::uplink_down, Severity::error);
  EXPECT_NE(diagnose(examination_)[0].cure.find("allow list"), std::string::npos);
  host().topology->uplink.last_error = "";
  EXPECT_EQ(diagnose(examination_)[0].cure, info_of(Check::uplink_down).cure);
}

TEST_F(Doctor, UplinkYoungerThanTheDaemon) {
  host().topology->uplink.since_s = 5;
  expect(Check::uplink_young, Severity::warning);
  examination_.cluster.local.uptime_s = 6;  // both have just started
  expect_nothing();
}

TEST_F(Doctor, Grace) {
  examination_.cluster.root->grace = true;
  examination_.cluster.root->waiting_for = {"c", "d"};
  expect(Check::grace, Severity::warning);
  EXPECT_NE(diagnose(examination_)[0].what.find("c, d"), std::string::npos);
}

TEST_F(Doctor, HostDownOrSilent) {
  HostView other;
  other.name = "b";
  other.row = HostRow{};
  examination_.cluster.hosts.push_back(other);
  expect(Check::host_down, Severity::error);
  examination_.cluster.hosts[1].row->connected = true;
  examination_.cluster.hosts[1].trouble = Errc::deadline;
  expect(Check::host_no_answer, Severity::warning);
}

TEST_F(Doctor, LoopLag) {
  examination_.before[1].status.loop_lag_ms = 150;
  expect(Check::loop_lag, Severity::warning);
  examination_.after[1].status.loop_lag_ms = 1500;
  expect(Check::loop_lag, Severity::error);
}

TEST_F(Doctor, DrainingIsOnlyToKnow) {
  examination_.after[1].status.state = "draining";
  expect(Check::daemon_state, Severity::info);
}

TEST_F(Doctor, SuspectAndSilentLinks) {
  link().suspect = true;
  expect(Check::link_suspect, Severity::warning);
  link().suspect = false;
  link().silence_ms = 3500;
  expect(Check::link_suspect, Severity::warning);
}

TEST_F(Doctor, LinksThatStayUngreeted) {
  link().greeted = false;
  expect_nothing();
  earlier_link().greeted = false;
  expect(Check::link_not_greeted, Severity::warning);
}

TEST_F(Doctor, QueuesNearTheirLimit) {
  link().queued_bytes[2] = 3'000'000;
  expect_nothing();
  link().queued_bytes[2] = 5'000'000;
  expect(Check::queue_near_limit, Severity::warning);
  link().queued_bytes[2] = 8'000'000;
  expect(Check::queue_near_limit, Severity::error);
  link().queued_bytes = {8'000'000, 0, 0, 0};  // control may hold much more
  expect_nothing();
}

TEST_F(Doctor, LinkClockFullInBothReadings) {
  link().in_flight_bytes = 512 * 1024;
  expect_nothing();
  earlier_link().in_flight_bytes = 600 * 1024;
  expect(Check::link_clock_full, Severity::warning);
}

TEST_F(Doctor, HighRoundTrip) {
  link().rtt_us = 50'001;
  expect(Check::rtt_high, Severity::warning);
}

TEST_F(Doctor, GrowingCounters) {
  count("nacks_overflow", 5, 5);
  count("nacks_no_owner", 7, 7);
  expect_nothing();
  count("nacks_overflow", 5, 6);
  expect(Check::overflow_growing, Severity::warning);
  count("nacks_overflow", 6, 6);
  count("nacks_no_owner", 7, 9);
  expect(Check::no_owner_growing, Severity::warning);
  examination_.before[1].status.pid = 8;  // restarted in between
  expect_nothing();
}

TEST_F(Doctor, RefusedPeers) {
  count("sessions_refused", 2, 2);
  expect(Check::peers_refused, Severity::info);
  count("sessions_refused", 2, 3);
  expect(Check::peers_refused, Severity::warning);
}

TEST_F(Doctor, HostileBytes) {
  count("hostile_bytes", 1, 1);
  expect(Check::hostile_bytes, Severity::warning);
  count("hostile_bytes", 1, 2);
  expect(Check::hostile_bytes, Severity::error);
}

TEST_F(Doctor, NamesNearTheQuota) {
  ProcessInfo& process = host().topology->processes[0];
  process.names = 160'000;
  expect(Check::names_near_quota, Severity::warning);
  process.names = 200'000;
  expect(Check::names_near_quota, Severity::error);
  process.names = 90;
  process.max_names = 100;
  expect(Check::names_near_quota, Severity::warning);
}

TEST_F(Doctor, UserTakesMost) {
  report::HostShares shares{{600, 1000}, {10, 1000}, {0, 1000}, {{.uid = 33, .processes = 400}}};
  const auto set = [&] { examination_.after[1].status.shares = shares; };
  shares.users[0].programs = {{.pid = 4711, .program = "evil", .processes = 390},
                              {.pid = 4712, .program = "good", .processes = 10}};
  set();
  expect_nothing();
  shares.users[0].processes = 500;
  set();
  expect(Check::user_takes_most, Severity::warning);
  const std::string what = diagnose(examination_)[0].what;
  EXPECT_NE(what.find("pid 4711 (evil) of uid 33"), std::string::npos) << what;
  shares.users[0].processes = 800;
  set();
  expect(Check::user_takes_most, Severity::error);
  shares.users[0].processes = 1;
  shares.users[0].queued_bytes = 900;
  set();
  expect(Check::user_takes_most, Severity::error);
}

/// Of the programs of a user, that one which was refused most between the readings.
TEST_F(Doctor, UserTakesMostByRefusals) {
  report::HostShares shares{{2, 1000}, {0, 1000}, {0, 1000}, {{.uid = 33, .over_rate = 50'000}}};
  shares.users[0].programs = {{.pid = 1, .processes = 9, .over_rate = 49'000},
                              {.pid = 2, .program = "evil", .processes = 1, .over_rate = 1'000}};
  examination_.before[1].status.shares = shares;
  shares.users[0].over_rate += 900;
  shares.users[0].programs[1].over_rate += 900;
  examination_.after[1].status.shares = shares;
  expect_nothing();
  shares.users[0].over_rate += 900;
  shares.users[0].programs[1].over_rate += 900;
  examination_.after[1].status.shares = shares;
  expect(Check::user_takes_most, Severity::warning);
  const std::string what = diagnose(examination_)[0].what;
  EXPECT_NE(what.find("pid 2 (evil) of uid 33"), std::string::npos) << what;
  EXPECT_NE(what.find("refused 1800 times"), std::string::npos) << what;
}

/// What it sends is within its rate, and keeps busd busy.
TEST_F(Doctor, UserTakesMostOfTheLoop) {
  report::HostShares shares{{2, 1000}, {0, 1000}, {0, 1000}, {{.uid = 33, .loop_s = 7}}};
  shares.users[0].programs = {{.pid = 1, .processes = 9, .loop_s = 5},
                              {.pid = 2, .program = "evil", .processes = 1, .loop_s = 2}};
  examination_.before[1].status.shares = shares;
  const double seconds = examination_.after[1].at_s - examination_.before[1].at_s;
  ASSERT_GT(seconds, 0);
  shares.users[0].loop_s += 0.4 * seconds;
  examination_.after[1].status.shares = shares;
  expect_nothing();
  shares.users[0].loop_s += 0.2 * seconds;
  shares.users[0].programs[1].loop_s += 0.6 * seconds;
  examination_.after[1].status.shares = shares;
  expect(Check::user_takes_most, Severity::warning);
  const std::string what = diagnose(examination_)[0].what;
  EXPECT_NE(what.find("pid 2 (evil) of uid 33"), std::string::npos) << what;
  EXPECT_NE(what.find("of busd's loop"), std::string::npos) << what;
}

TEST_F(Doctor, ProcessGone) {
  host().topology->processes[0].connected = false;
  expect(Check::process_gone, Severity::warning);
}

TEST_F(Doctor, FlappingLinks) {
  host().topology->processes[0].recent_sessions = 3;
  expect_nothing();
  host().topology->processes[0].recent_sessions = 4;
  expect(Check::flapping_link, Severity::warning);
  host().topology->processes[0].recent_sessions = 1;
  host().row->recent_sessions = 4;
  expect(Check::flapping_link, Severity::warning);
}

TEST_F(Doctor, MessagesThatAreSentAgain) {
  Vitals& vitals = host().topology->processes[0].vitals;
  vitals.sent_per_s = 10'000;
  vitals.resent_per_s = 500;
  expect_nothing();
  vitals.resent_per_s = 501;
  expect(Check::resend_rate, Severity::warning);
  vitals.sent_per_s = vitals.resent_per_s = 99;  // few
  expect_nothing();
}

TEST_F(Doctor, WindowsNearTheirLimit) {
  Vitals& vitals = host().topology->processes[0].vitals;
  vitals.window_bytes = 13'000'000;
  expect_nothing();
  vitals.window_bytes = 14'000'000;
  expect(Check::window_near_limit, Severity::warning);
  vitals.window_bytes = vitals.stuck_bytes = 900'000;
  vitals.stuck_channel = "7f";
  expect(Check::window_near_limit, Severity::warning);
  EXPECT_NE(diagnose(examination_)[0].what.find("channel 7f"), std::string::npos);
}

TEST_F(Doctor, StalledMoves) {
  Vitals& vitals = host().topology->processes[0].vitals;
  vitals.oldest_move = "entity/7";
  vitals.oldest_move_ms = 9'000;
  expect_nothing();
  vitals.oldest_move_ms = 10'000;
  expect(Check::stalled_move, Severity::warning);
  EXPECT_NE(diagnose(examination_)[0].what.find("entity/7"), std::string::npos);
}

TEST_F(Doctor, MailWithDamagedFiles) {
  MailStatus& mail = examination_.after[1].status.mail.emplace();
  mail.state = "running";
  expect_nothing();
  mail.scrub.damaged = 2;
  mail.scrub.findings = {"guild/7: damaged_block 22 to 64: in 000007.ldb"};
  expect(Check::mail_store_damaged, Severity::error);
  EXPECT_EQ(diagnose(examination_)[0].what,
            "its mail store has 2 damaged places: guild/7: damaged_block 22 to 64: in 000007.ldb");
}

TEST_F(Doctor, MailThatWasMended) {
  MailStatus& mail = examination_.after[1].status.mail.emplace();
  mail.state = "running";
  mail.damage.repaired = 1;
  mail.damage.notes = {"000012.log, byte 4711: put right"};
  expect(Check::mail_store_mended, Severity::warning);
  mail.damage.lost = 2;
  mail.damage.notes = {"000007.ldb: the file is gone; of guild/7"};
  expect(Check::mail_lost, Severity::error);
  EXPECT_EQ(diagnose(examination_)[0].what,
            "its mail store has lost mail in 2 places: 000007.ldb: the file is gone; of guild/7");
}

TEST_F(Doctor, MailNearItsQuota) {
  MailStatus& mail = examination_.after[1].status.mail.emplace();
  mail.bytes = 899;
  expect_nothing();
  mail.quota_bytes = 1'000;
  expect_nothing();
  mail.bytes = 950;
  expect(Check::mail_quota_full, Severity::warning);
  EXPECT_EQ(diagnose(examination_)[0].what,
            "its mail has 950 B of the 1.0 kB that [mail] total_bytes allows");
}

TEST_F(Doctor, ShardsOfMailWithoutAHome) {
  expect_nothing();
  MailPlaces& mail = examination_.mail.emplace();
  mail.from_root = true;
  expect_nothing();  // nobody has mail
  for (unsigned shard = 128; shard < bus::kShards; ++shard) mail.host[shard] = "a";
  expect(Check::mail_shards_missing, Severity::error);
  EXPECT_EQ(diagnose(examination_)[0].what,
            "no host serves 128 shards of mail (0-127): posts to them wait");
  mail.from_root = false;  // the others may be elsewhere
  expect_nothing();
  mail.from_root = true;
  for (unsigned shard = 0; shard < 128; ++shard) mail.host[shard] = "b";
  expect_nothing();
  mail.host[7].clear();
  examination_.cluster.root->grace = true;
  expect(Check::grace, Severity::warning);
}

TEST_F(Doctor, ShardsThatAHostListsAndAnotherServes) {
  MailPlaces& mail = examination_.mail.emplace();
  mail.from_root = true;
  mail.host.fill("a");
  examination_.after[1].status.mail.emplace().shards_listed = {0, 1, 2, 7};
  expect_nothing();
  for (const std::size_t shard : {1u, 2u, 7u, 9u}) mail.host[shard] = "b";
  expect(Check::mail_shards_refused, Severity::warning);
  const Finding finding = diagnose(examination_)[0];
  EXPECT_EQ(finding.where, "a");
  EXPECT_EQ(finding.what, "lists 3 shards of mail (1-2, 7), which b serves");
  EXPECT_NE(finding.cure.find("take them out of [mail] shards of a"), std::string::npos);
  EXPECT_NE(finding.cure.find("starbus-mail move"), std::string::npos);
}

TEST_F(Doctor, ShardsThatAHostKeepsAndNobodyLists) {
  MailPlaces& mail = examination_.mail.emplace();
  mail.from_root = true;
  mail.host.fill("a");
  MailStatus& status = examination_.after[1].status.mail.emplace();
  status.shards_listed = {0, 1};
  status.shards_kept = std::vector<std::uint8_t>{0, 1, 5, 6, 9};
  expect(Check::mail_shards_unlisted, Severity::info);
  const Finding finding = diagnose(examination_)[0];
  EXPECT_EQ(finding.where, "a");
  EXPECT_EQ(finding.what, "keeps 3 shards of mail (5-6, 9), which no configuration lists");
  status.shards_kept.reset();  // its store is not open, or its busd does not say
  expect_nothing();
  status.shards_kept = std::vector<std::uint8_t>{0, 1};
  expect_nothing();
}

TEST_F(Doctor, ShardsThatAHostListsAndNeitherItNorAnybodyHas) {
  MailPlaces& mail = examination_.mail.emplace();
  mail.from_root = true;
  mail.host.fill("a");
  MailStatus& status = examination_.after[1].status.mail.emplace();
  status.shards_listed = {0, 1, 5};
  status.shards_kept = std::vector<std::uint8_t>{0, 1};
  expect_nothing();
  mail.host[5].clear();
  const std::vector<Finding> findings = diagnose(examination_);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].check, Check::mail_shards_missing);
  EXPECT_EQ(findings[1].check, Check::mail_shards_left);
  EXPECT_EQ(findings[1].severity, Severity::warning);
  EXPECT_EQ(findings[1].where, "a");
  EXPECT_EQ(findings[1].what,
            "lists 1 shard of mail (5), which its store does not have, and no host serves");
}

TEST_F(Doctor, ClockJumps) {
  examination_.after[1].status.clock_jump_age_s = 3'700;
  expect_nothing();
  examination_.after[1].status.clock_jump_age_s = 60;
  expect(Check::clock_jump, Severity::warning);
}

TEST_F(Doctor, VersionMix) {
  examination_.after[1].status.version = "0.2.0";
  expect(Check::version_mix, Severity::warning);
}

TEST_F(Doctor, VersionMixOfHostsThatWereNotAsked) {
  HostView other;
  other.name = "b";
  other.row = HostRow{"b", true, "", 0, {}, std::nullopt, "0.0.9"};
  examination_.cluster.hosts.push_back(other);
  expect(Check::version_mix, Severity::warning);
}

TEST_F(Doctor, WorstFirstAndExplained) {
  link().rtt_us = 60'000;
  host().topology->uplink.connected = false;
  const auto findings = diagnose(examination_);
  const std::string text = render_doctor(findings, examination_, {});
  EXPECT_LT(text.find("error   a: no session"), text.find("warning a -> a.gate-1: round trip 60"));
  EXPECT_NE(text.find("why it matters: "), std::string::npos);
  EXPECT_NE(text.find("what to do:     "), std::string::npos);
  EXPECT_NE(text.find("1 error, 1 warning, 0 to know"), std::string::npos);
}

TEST_F(Doctor, TellsWhatIsAlikeInOneGo) {
  std::vector<Finding> findings;
  for (int i = 0; i < 6; ++i) {
    const std::string where = "a -> a.gate-" + std::to_string(i);
    findings.push_back({Severity::warning, Check::rtt_high, where, "slow", "look"});
  }
  findings.insert(findings.begin() + 1, {Severity::warning, Check::loop_lag, "a", "late", "look"});
  const std::string text = render_doctor(findings, examination_, {});
  std::size_t explained = 0;
  for (auto at = text.find("why it"); at != std::string::npos; at = text.find("why it", at + 1)) {
    ++explained;
  }
  EXPECT_EQ(explained, 2U) << text;
  EXPECT_NE(text.find("a -> a.gate-3: slow"), std::string::npos) << text;
  EXPECT_EQ(text.find("a -> a.gate-4: slow"), std::string::npos) << text;
  EXPECT_NE(text.find("and 2 more: --json lists all"), std::string::npos) << text;
  EXPECT_NE(text.find("7 warnings"), std::string::npos) << text;
}

TEST_F(Doctor, AServiceInQuarantine) {
  nodes::manager::SetbackReport held;
  held.rows.push_back({.instance = "rank/3of16", .deaths = 3, .host = "b", .quarantined = true});
  held.rows.push_back({.instance = "chat/1", .deaths = 1, .host = "a", .pause_ms = 500});
  examination_.setbacks = held;
  expect(Check::service_quarantined, Severity::error);
  const auto findings = diagnose(examination_);
  ASSERT_EQ(findings.size(), 1U) << "one that pauses comes back by itself";
  EXPECT_EQ(findings[0].where, "rank/3of16");
  EXPECT_THAT(findings[0].cure, testing::HasSubstr("bustop cluster --release rank/3of16"));
}

TEST_F(Doctor, AManagerThatDoesNotAnswer) {
  examination_.manager = bus::Error(bus::Errc::deadline, "the manager does not answer");
  expect(Check::manager_silent, Severity::warning);
  EXPECT_EQ(diagnose(examination_)[0].where, "manager");
}

TEST_F(Doctor, AManagerThatBustopCannotAskForWantOfABusd) {
  examination_.manager = bus::Error(bus::Errc::unreachable, "no busd at unix:///nowhere");
  expect(Check::manager_silent, Severity::warning);
  const auto findings = diagnose(examination_);
  EXPECT_EQ(findings[0].where, "bustop");
  EXPECT_THAT(findings[0].what, testing::HasSubstr("unix:///nowhere"));
  EXPECT_THAT(findings[0].cure, testing::HasSubstr("--busd or $STARBUS_BUSD"));
}

// --- gates and logins ----------------------------------------------------------------------------

/// A gate and a login that are well, in two readings.
class DoctorGates : public Doctor {
 protected:
  static constexpr std::uint64_t kNow = 1'800'000'000'000;
  DoctorGates() {
    GateReadings readings;
    readings.at_ms = kNow;
    readings.login_there = true;
    GateReading gate;
    gate.process = "a.gate-1";
    gate.report = {{"now_ms", kNow},
                   {"draining", false},
                   {"sessions", 10},
                   {"most_sessions", 100},
                   {"connections", 9},
                   {"most_connections", 100},
                   {"certificates_expire", kNow / 1000 + 90 * 86'400},
                   {"counters", {{"too_slow", 5}}}};
    readings.gates.push_back(gate);
    NodeReading login;
    login.process = "a.login-1";
    login.report = {{"now_ms", kNow}, {"queued", 0}, {"admitted", 7}};
    readings.logins.push_back(login);
    examination_.gates_before = examination_.gates = readings;
    examination_.gates->at_ms += 1'000;
  }
  GateReading& gate() { return examination_.gates->gates[0]; }
  NodeReading& login() { return examination_.gates->logins[0]; }
  NodeReading& earlier_login() { return examination_.gates_before->logins[0]; }
  void ends_in_days(double days) {
    gate().report["certificates_expire"] = kNow / 1000 + static_cast<std::uint64_t>(days * 86'400);
  }
};

TEST_F(DoctorGates, NothingIsFoundOfGatesThatAreWell) {
  expect_nothing();
  gate().report["certificates_expire"] = 0;
  expect_nothing();  // without TLS there is none
}

TEST_F(DoctorGates, ACertificateThatEnds) {
  ends_in_days(13);
  expect(Check::certificate_ends, Severity::warning);
  ends_in_days(2);
  expect(Check::certificate_ends, Severity::error);
  gate().report["certificates_expire"] = kNow / 1000 - 1;
  expect(Check::certificate_ends, Severity::error);
  EXPECT_THAT(diagnose(examination_)[0].what, testing::HasSubstr("has ended"));
}

TEST_F(DoctorGates, AGateThatLetsNobodyIn) {
  gate().report["draining"] = true;
  gate().report["sessions"] = 100;
  expect(Check::gate_closed, Severity::info);
  gate().report["draining"] = false;
  expect(Check::gate_closed, Severity::error);
  EXPECT_EQ(diagnose(examination_)[0].what, "100 of 100 sessions: it is full");
  gate().report["sessions"] = 90;
  expect(Check::gate_closed, Severity::warning);
  gate().report["sessions"] = 1;
  gate().report["connections"] = 100;
  expect(Check::gate_closed, Severity::error);
}

TEST_F(DoctorGates, SessionsWithoutAHome) {
  gate().lost = 1;
  expect(Check::sessions_without_home, Severity::warning);
  gate().lost = 2;
  expect(Check::sessions_without_home, Severity::error);
  EXPECT_THAT(diagnose(examination_)[0].what, testing::HasSubstr("2 of 10 sessions"));
}

TEST_F(DoctorGates, ClientsThatAreCutAsTooSlow) {
  gate().report["counters"]["too_slow"] = 6;
  expect_nothing();  // one in a second
  gate().report["counters"]["too_slow"] = 8;
  expect(Check::clients_cut_slow, Severity::warning);
  gate().report["counters"]["too_slow"] = 1;
  expect_nothing();  // it has begun again
}

TEST_F(DoctorGates, AGateInARoleOfServers) {
  gate().trusted = true;
  expect(Check::gate_trusted, Severity::warning);
}

TEST_F(DoctorGates, AGateOrALoginThatDoesNotAnswer) {
  gate().trouble = bus::Error(bus::Errc::deadline, "a.gate-1 does not answer");
  expect(Check::gate_silent, Severity::warning);
  gate().trouble = {};
  login().trouble = bus::Error(bus::Errc::deadline, "a.login-1 does not answer");
  expect(Check::gate_silent, Severity::warning);
  login().trouble = {};
  examination_.gates.reset();
  examination_.gates_trouble = bus::Error(bus::Errc::denied, "role \"x\" may not watch node/");
  expect(Check::gate_silent, Severity::warning);
  EXPECT_THAT(diagnose(examination_)[0].cure, testing::HasSubstr("role tools"));
  examination_.gates_trouble = bus::Error(bus::Errc::unreachable, "no busd at unix:///nowhere");
  expect(Check::gate_silent, Severity::warning);
  EXPECT_THAT(diagnose(examination_)[0].cure, testing::HasSubstr("--busd or $STARBUS_BUSD"));
}

TEST_F(DoctorGates, GatesWithoutALogin) {
  examination_.gates->logins.clear();
  expect_nothing();  // it may be a game's own
  examination_.gates->login_there = false;
  expect(Check::login_missing, Severity::error);
}

TEST_F(DoctorGates, AQueueOfLoginsThatStands) {
  login().report["queued"] = 30;
  expect_nothing();  // it has just begun
  earlier_login().report["queued"] = 20;
  expect(Check::login_queue_stuck, Severity::warning);
  EXPECT_THAT(diagnose(examination_)[0].what, testing::HasSubstr("20 players"));
  login().report["admitted"] = 8;
  expect_nothing();
}

TEST_F(DoctorGates, AClockThatIsWrong) {
  gate().skew_ms = 3'000;
  expect(Check::clock_skew, Severity::warning);
  gate().unsure_ms = 1'500;
  expect_nothing();  // the answer took so long
  gate().skew_ms = 0;
  login().skew_ms = -20'000;
  expect(Check::clock_skew, Severity::error);
  EXPECT_THAT(diagnose(examination_)[0].what, testing::HasSubstr("behind"));
}

}  // namespace
}  // namespace starbus::bustop
