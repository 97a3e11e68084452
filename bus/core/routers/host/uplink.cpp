#include "bus/core/routers/host/uplink.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace starbus::bus {

Uplink::Uplink(HostState& host) : host_(host) {
  status_.since = host.links.now();
  status_.term = host.config.highest_term;
}

void Uplink::open(RouterLink& link, std::uint64_t session_id) {
  assert(session_id != 0);
  link.session = Session(session_id, host_.links.now());
  link.name = "busroot";
  link.uplink = true;
  link.queues.count_alone();
  if (link_) host_.links.end(*link_, {Errc::superseded, "a newer link to busroot"});
  assert(link_ == nullptr);
  link_ = &link;
  status_.connected = true;
  status_.link = link.id;
  status_.since = host_.links.now();
  announce_all();
}

void Uplink::drop(const Error& reason) {
  if (link_) host_.links.end(*link_, reason);
}

void Uplink::on_gone(const Error& reason) {
  host_.links.log(RouterShell::Level::warning, "session with busroot ended: " + reason.to_string());
  link_ = nullptr;
  announced_ = false;
  host_.table.for_each_process([](LocalProcess& process) {
    process.unanswered = 0;
    process.report_waits = false;
    process.report_counted = false;
  });
  status_.connected = false;
  status_.greeted = false;
  status_.link = 0;
  status_.since = host_.links.now();
  status_.last_error = reason;
}

/// HELLO and the complete table go together and first: busroot frees the names that they omit.
void Uplink::announce_all() {
  Hello hello;
  hello.minor = host_.config.minor;
  hello.party = PartyKind::busd;
  hello.name = host_.config.host;
  hello.incarnation = host_.config.incarnation;
  hello.highest_term = status_.term;
  hello.software = host_.config.software;
  hello.attempt = ++attempts_;
  link_->session.say(hello);
  announced_ = true;
  complete_ = false;
  sending_ = false;
  waiting_.clear();
  host_.table.for_each_process([&](LocalProcess& process) {
    if (process.announced) queue_report(process);
  });
  serve();
}

void Uplink::announce(LocalProcess& process) {
  if (!announced_) return;
  queue_report(process);
  serve();
  if (greeted() && link_->minor < kRowsTakenMinor) host_.table.confirm_claims(process);
}

/// A report that waits already will say what the process holds then. Each is counted here, so that
/// no answer to an earlier one passes for the answer to all.
void Uplink::queue_report(LocalProcess& process) {
  if (!process.report_waits) waiting_.push_back(process.id);
  if (process.tabled && !process.report_counted) ++process.unanswered;
  process.report_waits = true;
  process.report_counted = process.tabled;
}

std::size_t Uplink::request_room() const {
  const std::size_t queued = link_ == nullptr ? 0 : link_->queues.bytes(Lane::control);
  return kRequestRoom - std::min(std::size_t{kRequestRoom}, queued);
}

/// Requests that fill the queue leave one page for each tick.
void Uplink::serve(bool in_tick) {
  if (!announced_) return;
  while ((sending_ || begin_next()) &&
         (in_tick || link_->queues.bytes(Lane::control) < kTableRoom)) {
    in_tick = false;
    send_page();
  }
  if (sending_ || complete_) return;
  complete_ = true;
  host_.links.tell(*link_, TableEnd{});
}

/// False if all is sent.
bool Uplink::begin_next() {
  while (!waiting_.empty()) {
    const Process next = waiting_.front();
    waiting_.pop_front();
    LocalProcess* const process = host_.table.by_id(next);
    if (process == nullptr) continue;  // busroot knows of its end, or never heard of it
    process->report_waits = false;
    process->report_counted = false;
    host_.links.tell(*link_, up_of(*process, true));
    if (!process->tabled) continue;
    sending_ = true;
    rows_ = host_.table.rows_of(*process);
    page_.process = next;
    sent_ = 0;
    return true;
  }
  rows_ = {};
  return false;
}

void Uplink::send_page() {
  constexpr std::size_t kRowsPerPage = 256;
  const LocalProcess* const process = host_.table.by_id(page_.process);
  sending_ = process != nullptr;
  if (!sending_) return;
  page_.rows.clear();
  for (; sent_ < rows_.size() && page_.rows.size() < kRowsPerPage; ++sent_) {
    page_.rows.push_back(std::move(rows_[sent_]));
  }
  if (!page_.rows.empty()) host_.links.tell(*link_, page_);
  if (sent_ < rows_.size()) return;
  sending_ = false;
  host_.links.tell(*link_, up_of(*process, false));
}

ProcessUp Uplink::up_of(const LocalProcess& process, bool pending) {
  return {process.id, process.node, process.role->name, static_cast<std::uint32_t>(process.pid),
          pending};
}

void Uplink::report_dead(const LocalProcess& process) {
  if (announced_ && process.announced) host_.links.tell(*link_, ProcessDead{process.id});
}

Result<> Uplink::on_welcome(RouterLink& link, ByteView payload) {
  assert(is(link) && awaits_welcome());
  const auto welcome = decode<Welcome>(payload);
  if (!welcome) return welcome.error();
  if (welcome->term < status_.term) {
    const Error outdated{Errc::bad_config, "busroot's term " + welcome->term.to_string() +
                                               " is below " + status_.term.to_string() +
                                               ", which this host has seen: its state "
                                               "directory is stale"};
    host_.links.log(RouterShell::Level::error, outdated.to_string());
    return outdated;
  }
  if (welcome->lease_ms != 0) root_lease_ = from_ms(welcome->lease_ms);
  if (welcome->term > status_.term) host_.shell.remember_term(welcome->term);
  learn_granted(*welcome);
  status_.term = welcome->term;
  // WELCOME answers a HELLO that was sent when the link was opened.
  echoed_ = std::max(echoed_, status_.since);
  status_.greeted = true;
  status_.since = host_.links.now();
  link.greeted = true;
  link.minor = welcome->minor;
  if (link.minor < kRowsTakenMinor) confirm_all_claims();
  link.name = welcome->host.empty() ? "busroot" : welcome->host;
  host_.links.log(RouterShell::Level::info, "busroot " + link.name + " accepted this host, term " +
                                                welcome->term.to_string());
  return {};
}

/// A busroot of an earlier version does not answer tables: all that it lets pass counts.
void Uplink::confirm_all_claims() {
  host_.table.for_each_process(
      [this](LocalProcess& process) { host_.table.confirm_claims(process); });
}

void Uplink::learn_granted(const Welcome& welcome) {
  const bool same_term = welcome.term == status_.term && status_.granted != UplinkStatus::kNoBound;
  if (welcome.minor < kRowsTakenMinor) {
    status_.granted = UplinkStatus::kNoBound;
  } else {
    status_.granted = same_term ? std::max(status_.granted, welcome.granted) : welcome.granted;
  }
}

void Uplink::note_epoch(Epoch epoch) {
  if (status_.granted != UplinkStatus::kNoBound && epoch.term() == status_.term.term()) {
    status_.granted = std::max(status_.granted, epoch.n());
  }
}

bool Uplink::may_be_granted(Epoch epoch, bool here) const {
  // Term 0: this host has had no session with a busroot yet.
  if (!status_.term || epoch.term() < status_.term.term()) return true;
  return epoch.term() == status_.term.term() && (!here || epoch.n() <= status_.granted);
}

std::uint64_t Uplink::lease_age() const {
  if (greeted()) echoed_ = std::max(echoed_, link_->session.echoed());
  if (echoed_ == Time{}) return Heartbeat::kNoLease;
  return static_cast<std::uint64_t>((host_.links.now() - echoed_).count());
}

}  // namespace starbus::bus
