#include "tests/sim/nodes/store_node.hpp"

#include <algorithm>

#include "bus/core/wire/name.hpp"
#include "mail/row_keys.hpp"
#include "mail/rows.hpp"
#include "storage/envelope.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

using mail::MailService;

namespace {

constexpr std::size_t kBoxInKey = 17;  // bytes of shard and id, behind the kind

}  // namespace

StoreNode::StoreNode(World& world, HostNode& host, bool listed) : CoreNode(world, host, "store") {
  if (listed) shards_ = world.shards();
  for (const std::string& log : world.logs()) {
    const bus::ChannelId id = bus::channel_id(log);
    logs_[mail::box_key(bus::shard_of(id), id).substr(1)] = log;
  }
}

void StoreNode::on_start() {
  store_ = std::make_unique<SimStore>(
      disk_, world_.random,
      [this](Time delay, std::function<void()> action) { after(delay, std::move(action)); });
  store_->when_durable = [this](const storage::Batch& batch) { note_logs(batch); };
  draw_quota();
  MailService::Hooks hooks;
  hooks.post = [this](std::function<void()> action) {
    after(Time{}, [this, action = std::move(action)] {
      action();
      pump();
    });
  };
  hooks.wall_ms = [this] { return wall_ms(); };
  hooks.now_ms = hooks.wall_ms;
  hooks.trouble = [this](const std::string& text) { world_.note(name(), text); };
  hooks.note = hooks.trouble;
  hooks.stopped = [this](const storage::Error& reason) { stopped(reason); };
  hooks.token = [this] { return world_.random.next(); };
  service_ =
      std::make_unique<MailService>(*store_, host().name(), shards_, quota_, std::move(hooks));
  begin(*service_, bus::kVersionMinor);
  service_->attach(core());
}

std::uint64_t StoreNode::wall_ms() const {
  return static_cast<std::uint64_t>(world_.now() / std::chrono::milliseconds(1));
}

/// Its operator changes the disk, and starts busd again.
void StoreNode::stopped(const storage::Error& reason) {
  if (!store_->stopped()) {
    throw Violation(name() + ": stopped, on a good disk: " + reason.to_string());
  }
  world_.note(name(), "has stopped: " + reason.to_string());
  after(world_.random.millis(50, 20'000), [this] {
    world_.timeline.after(world_.random.millis(5, 300), [this] { host().start(); });
    host().crash();
  });
}

void StoreNode::on_crash() {
  world_.counts[Event::lost_writes] += static_cast<std::uint64_t>(store_->crash());
  end();
  service_.reset();
  store_.reset();
}

void StoreNode::refused_for_good(const bus::Error& reason) {
  throw Violation(name() + " was refused for good: " + reason.to_string());
}

bool StoreNode::keeps(std::uint8_t shard) const {
  const auto row = disk_.rows.find(mail::place_key(shard));
  if (row == disk_.rows.end()) return std::ranges::find(shards_, shard) != shards_.end();
  return mail::decode_place(row->second).value().keeping == mail::Keeping::kept;
}

bool StoreNode::idle() const {
  return service_->mail().idle() && service_->exporting() == 0 && !service_->move().goes_on();
}

void StoreNode::take(const std::vector<std::uint8_t>& shards) {
  if (!up() || paused()) return;
  for (const auto& giver : world_.stores()) {
    if (giver.get() != this && giver->up()) (void)giver->service_->offer(shards, host().name());
  }
  if (service_->take(shards)) ++world_.counts[Event::shard_moves];
  pump();
}

MailOracle::Content StoreNode::stored(const std::string& name) const {
  MailOracle::Content content;
  const bus::ChannelId id = bus::channel_id(name);
  const std::uint8_t shard = bus::shard_of(id);
  if (const auto box = disk_.rows.find(mail::box_key(shard, id)); box != disk_.rows.end()) {
    const mail::BoxRow row = mail::decode_box(box->second).value();
    content.floor = row.floor;
    content.last = row.last;
  }
  const auto end = disk_.rows.lower_bound(mail::message_key(shard, id, ~std::uint64_t{0}));
  for (auto row = disk_.rows.lower_bound(mail::message_key(shard, id, 0)); row != end; ++row) {
    const auto message = mail::decode_message(row->second);
    bus::Reader reader(bus::as_bytes(message.value().body));
    const std::uint64_t number = mail::read_mail_key(row->first).value().number;
    content.rows[number] = reader.get<std::uint64_t>();
    if (number <= content.floor || number > content.last) {
      throw Violation(name + ": a stray message " + std::to_string(number));
    }
  }
  if (content.rows.size() != content.last - content.floor) {
    throw Violation(name + ": " + std::to_string(content.rows.size()) + " messages in (" +
                    std::to_string(content.floor) + ", " + std::to_string(content.last) + "]");
  }
  return content;
}

// --- logs ----------------------------------------------------------------------------------------

/// Small, so that there is something to erase within a run; each bound is now and then missing.
void StoreNode::draw_quota() {
  Random& random = world_.random;
  quota_.logs.clear();
  for (const std::string& log : world_.logs()) {
    LogOracle::Quota quota{log, 0, 0, 0};
    if (random.chance(0.7)) quota.messages = random.between(1, 30);
    if (random.chance(0.5)) quota.bytes = random.between(300, 8'000);
    if (random.chance(0.5)) quota.age_ms = random.between(500, 10'000);
    quota_.logs.push_back(world_.log_quota().value_or(quota));
  }
}

/// A box's row says what the batch makes of it; before that the disk has the row of the time
/// before. What comes in with a shard that moves was seen at its source.
void StoreNode::note_logs(const storage::Batch& batch) {
  struct Change {
    std::optional<mail::BoxRow> row;
    std::map<std::uint64_t, LogOracle::Entry> added;
  };
  std::map<std::string, Change> changes;  // by log
  batch.for_each([&](storage::Batch::Kind kind, std::string_view key, std::string_view sealed) {
    if (kind != storage::Batch::Kind::put || (key[0] != 'm' && key[0] != 'b')) return;
    const auto log = logs_.find(std::string(key.substr(1, kBoxInKey)));
    if (log == logs_.end() || !keeps(static_cast<std::uint8_t>(key[1]))) return;
    const std::string_view value = storage::unseal(key, sealed).value();
    Change& change = changes[log->second];
    if (key[0] == 'm') {
      change.row = mail::decode_box(value).value();
      return;
    }
    const mail::MessageRow message = mail::decode_message(value).value();
    bus::Reader body(bus::as_bytes(message.body));
    change.added[mail::read_mail_key(key).value().number] = {body.get<std::uint64_t>(),
                                                             message.time_ms, message.body.size()};
  });
  for (const auto& [log, change] : changes) {
    if (!change.row) throw Violation(log + ": a message without the row of its log");
    const LogOracle::Bounds before = bounds(log);
    std::vector<LogOracle::Entry> added;
    for (const auto& [number, entry] : change.added) {
      added.push_back(entry);
      if (number != before.last + added.size()) {
        throw Violation(log + ": " + std::to_string(number) + " is written behind " +
                        std::to_string(before.last));
      }
    }
    const LogOracle::Bounds now{change.row->floor, change.row->last};
    world_.log_oracle.durable(log, before, now, added, quota(log), wall_ms());
    world_.counts[Event::log_trimmed] += now.floor - before.floor;
  }
}

LogOracle::Bounds StoreNode::bounds(const std::string& log) const {
  const bus::ChannelId id = bus::channel_id(log);
  const auto row = disk_.rows.find(mail::box_key(bus::shard_of(id), id));
  if (row == disk_.rows.end()) return {};
  const mail::BoxRow box = mail::decode_box(row->second).value();
  return {box.floor, box.last};
}

void StoreNode::check_totals() const {
  std::map<std::uint8_t, mail::Totals> found;
  std::map<std::uint8_t, mail::Totals> said;
  for (const auto& [key, value] : disk_.rows) {
    const auto shard = static_cast<std::uint8_t>(key[1]);
    if (!keeps(shard)) continue;
    if (key[0] == 'S') said[shard] = mail::decode_shard(value).value().totals;
    if (key[0] == 'm') ++found[shard].boxes;
    if (key[0] != 'b') continue;
    ++found[shard].messages;
    found[shard].bytes += mail::decode_message(value).value().body.size();
  }
  for (const auto& [shard, totals] : said) {
    if (totals == found[shard]) continue;
    throw Violation(name() + ": " + bus::shard_name(shard) + " says " + describe(totals) +
                    ", and has " + describe(found[shard]));
  }
}

}  // namespace starbus::sim
