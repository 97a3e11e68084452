#include "tests/sim/nodes/liar_node.hpp"

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/record.hpp"
#include "bus/core/wire/record_mail.hpp"
#include "bus/core/wire/record_moves.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {
namespace {

struct Queued final : bus::LaneSource {
  bus::SourceQueues& queues;
  explicit Queued(bus::SourceQueues& q) : queues(q) {}
  bool ready(bus::Lane lane) const override { return queues.ready(lane); }
  bus::FillResult fill_bundle(bus::Lane lane, std::size_t budget, bus::Bytes& out) override {
    return queues.fill_bundle(lane, budget, out);
  }
};

constexpr std::uint64_t kEverything = ~std::uint64_t{0};

}  // namespace

LiarNode::LiarNode(World& world, HostNode* host, std::string node)
    : Node(world, host != nullptr ? host->name() + "." + node : node),
      host_(host),
      host_name_(host != nullptr ? host->name() : node),
      node_(host != nullptr ? std::move(node) : "liar"),
      random_(world.random.next()),
      dial_(world, *this, host != nullptr ? static_cast<Node&>(*host) : world.root(),
            [this](LinkId id) { link_up(id); }) {}

void LiarNode::on_start() {
  pid_ = world_.new_pid();
  if (host_ != nullptr) host_->process_started(pid_);
  self_ = {bus::host_id(host_name_), bus::slot_id(node_), ++starts_ * 1'000'000};
  dial_.start();
}

void LiarNode::on_crash() {
  dial_.stop();
  session_.reset();
  link_ = 0;
  if (host_ != nullptr) host_->process_ended(pid_);
}

// --- the session ---------------------------------------------------------------------------------

void LiarNode::link_up(LinkId id) {
  link_ = id;
  queues_ = std::make_unique<bus::SourceQueues>();
  session_.emplace(world_.new_session(), world_.now());
  bus::Hello hello;
  hello.minor = bus::kVersionMinor;
  hello.party = host_ != nullptr ? bus::PartyKind::process : bus::PartyKind::busd;
  hello.name = host_ != nullptr ? node_ : host_name_;
  hello.incarnation = self_.incarnation;
  hello.software = "simulated";
  hello.attempt = ++attempts_;
  session_->say(hello);
  say_table();
  send();
}

void LiarNode::say_table() {
  look();
  const bus::ProcessUp up{self_, node_, "", 1, false};
  if (host_ == nullptr) say(up);
  const std::vector<bus::Row> rows = rows_ ? *rows_ : random_rows();
  if (!rows.empty()) say(bus::Table{self_, rows});
  if (host_ == nullptr) say(up);
  say(bus::TableEnd{});
}

void LiarNode::come_again() {
  if (link_ != 0) world_.network.close(link_, *this);
  link_ = 0;
  session_.reset();
  dial_.again();
}

void LiarNode::say_bytes(ByteView record) {
  // A full queue is no concern of a liar.
  if (session_) static_cast<void>(queues_->push(bus::Lane::control, 0, record, world_.now()));
}

void LiarNode::send() {
  if (!session_) return;
  Queued source(*queues_);
  session_->send_bundles(
      source, [] { return bus::Bytes(); },
      [this](bus::Bytes bundle) { world_.network.send(link_, *this, std::move(bundle)); });
}

void LiarNode::on_bundle(LinkId id, ByteView bundle) {
  if (id != link_) return;
  if (!session_->receive(bundle, world_.now(), *this)) return come_again();
  send();
}

/// What it hears changes nothing: it answers no probe, and frees nothing.
bus::Result<> LiarNode::on_record(bus::Kind kind, ByteView) {
  if (kind != bus::Kind::reset) return {};
  ++world_.counts[Event::liars_ended];
  return bus::Error{bus::Errc::closed, "found out"};
}

void LiarNode::on_ended(LinkId id) {
  if (id != link_) return;
  link_ = 0;
  session_.reset();
  dial_.again();
}

void LiarNode::on_tick() {
  if (!session_) return;
  session_->tick(world_.now());
  if (session_->silence(world_.now()) > bus::kLinkTimeout) return come_again();
  if (!rows_) lie();
  send();
}

// --- lies ----------------------------------------------------------------------------------------

/// Names that have an owner.
void LiarNode::look() {
  if (!world_.root().up()) return;
  truth_.clear();
  world_.root().router()->directory().list("", "", [&](const bus::Directory::Entry& entry) {
    const auto name = world_.find_name(entry.id());
    if (!name || world_.name(*name).kind == World::NameKind::free) return true;
    truth_.push_back({std::string(entry.name()), entry.id(), entry.epoch, entry.lineage});
    return true;
  });
}

bus::Row LiarNode::row_of(std::string_view name, bus::RowState state) {
  look();
  for (const Truth& about : truth_) {
    if (about.name != name) continue;
    const bool active = state == bus::RowState::active;
    return {about.name, about.epoch, about.lineage, state,
            active ? bus::Ticket{} : bus::Ticket{self_, world_.processes()[0]->core().self(), 7}};
  }
  throw std::logic_error("no owner: " + std::string(name));
}

bus::Process LiarNode::random_process() {
  const auto living = world_.living();
  if (living.empty() || random_.chance(0.1)) return self_;
  return random_.pick(living)->core().self();
}

bus::Ticket LiarNode::random_ticket() {
  return {random_.chance(0.8) ? self_ : random_process(), random_process(), random_.between(1, 9)};
}

bus::Epoch LiarNode::random_epoch(const Truth& about) {
  switch (random_.below(5)) {
    case 0:
      return bus::Epoch::of(about.epoch.term(), about.epoch.n() + random_.between(1, 3));
    case 1:
      return bus::Epoch::of(about.epoch.term(), (std::uint64_t{1} << 40) - 1);
    case 2:
      return bus::Epoch::of(about.epoch.term(), random_.between(1, about.epoch.n()));
    default:
      return about.epoch;
  }
}

std::vector<bus::Row> LiarNode::random_rows() {
  std::vector<bus::Row> rows;
  for (const Truth& about : truth_) {
    if (about.id.high == bus::kProcessTag || random_.chance(0.5)) continue;
    bus::Row row{about.name, random_epoch(about), about.lineage, bus::RowState::active, {}};
    if (row.lineage > row.epoch) row.lineage = row.epoch;
    if (random_.chance(0.4)) {
      row.state = random_.chance(0.7) ? bus::RowState::frozen : bus::RowState::attaching;
      row.ticket = random_ticket();
    } else if (host_ == nullptr && random_.chance(0.3)) {
      row.state = bus::RowState::granted;
      row.ticket = random_ticket();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void LiarNode::lie() {
  if (random_.chance(0.01)) return come_again();
  if (random_.chance(0.1)) look();
  if (truth_.empty()) return;
  ++world_.counts[Event::lies];
  const Truth& about = random_.pick(truth_);
  if (random_.chance(0.6)) {
    lie_about_messages(about);
  } else {
    lie_about_names(about);
  }
}

void LiarNode::lie_about_messages(const Truth& about) {
  const auto lane = static_cast<bus::Lane>(random_.between(1, 3));
  const bus::Lineage lineage = random_.chance(0.7) ? about.lineage : random_epoch(about);
  const std::uint64_t last = random_.chance(0.5) ? kEverything : random_.between(1, 2'000);
  switch (random_.below(4)) {
    case 0:
      return say(bus::Ack{lane, random_process(), about.id, lineage, last});
    case 1: {
      bus::Posted posted;
      posted.lane = lane;
      posted.origin = random_process();
      posted.channel = about.id;
      posted.lineage = lineage;
      posted.last = last;
      posted.complete = true;
      return say(posted);
    }
    case 2:
      return say(bus::Probe{lane, self_, about.id, random_.between(1, 2'000)});
    default: {
      const auto reason = static_cast<bus::NackReason>(random_.between(1, 4));
      return say(bus::Nack{lane, random_process(), about.id, random_.between(1, 2'000), reason,
                           lineage, last});
    }
  }
}

void LiarNode::lie_about_names(const Truth& about) {
  if (about.id.high == bus::kProcessTag) return;
  const bus::Epoch epoch = random_epoch(about);
  switch (random_.below(8)) {
    case 0:
      return say(bus::Bind{self_, random_.between(1, 9), about.name});
    case 1:
      return say(bus::Active{self_, about.id, epoch});
    case 2:
      return say(bus::Unbind{self_, about.id, epoch});
    case 3:
      return say(bus::Freed{self_, about.id, random_ticket()});
    case 4:
      return say(bus::Move{self_, about.id, epoch, random_ticket()});
    case 5: {
      bus::Ticket ticket = random_ticket();
      ticket.target = self_;
      return say(bus::Attach{self_, about.name, ticket});
    }
    case 6:
      if (host_ == nullptr) {
        say(bus::Table{self_, random_rows()});
        return say(bus::ProcessUp{self_, node_, "", 1, random_.chance(0.3)});
      }
      [[fallthrough]];
    default:
      return say(bus::Reclaim{self_, about.name, random_ticket()});
  }
}

}  // namespace starbus::sim
