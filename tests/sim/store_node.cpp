#include "tests/sim/store_node.hpp"

#include <algorithm>

#include "bus/core/name.hpp"
#include "busd/mail/row_keys.hpp"
#include "busd/mail/rows.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

using bus::busd::mail::MailService;
namespace mail = bus::busd::mail;

StoreNode::StoreNode(World& world, HostNode& host, std::vector<std::string> mailboxes, bool listed)
    : CoreNode(world, host, "store") {
  if (!listed) return;
  for (const std::string& mailbox : mailboxes) {
    const std::uint8_t shard = bus::shard_of(bus::channel_id(mailbox));
    if (std::ranges::find(shards_, shard) == shards_.end()) shards_.push_back(shard);
  }
}

void StoreNode::on_start() {
  store_ = std::make_unique<SimStore>(
      disk_, world_.random,
      [this](Time delay, std::function<void()> action) { after(delay, std::move(action)); });
  MailService::Hooks hooks;
  hooks.post = [this](std::function<void()> action) {
    after(Time{}, [this, action = std::move(action)] {
      action();
      pump();
    });
  };
  hooks.wall_ms = [this] {
    return static_cast<std::uint64_t>(world_.now() / std::chrono::milliseconds(1));
  };
  hooks.now_ms = hooks.wall_ms;
  hooks.trouble = [this](const std::string& text) { world_.note(name(), text); };
  hooks.note = hooks.trouble;
  hooks.stopped = [this](const storage::Error& reason) { stopped(reason); };
  hooks.token = [this] { return world_.random.next(); };
  service_ = std::make_unique<MailService>(*store_, host().name(), shards_, mail::MailQuota{},
                                           std::move(hooks));
  begin(*service_, bus::kVersionMinor);
  service_->attach(core());
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
  return service_->mail().idle() && service_->given_now() == 0 && !service_->move().goes_on();
}

void StoreNode::take(const std::vector<std::uint8_t>& shards) {
  if (!up() || paused()) return;
  if (service_->take(shards)) ++world_.counts[Event::shard_moves];
  pump();
}

MailOracle::Content StoreNode::stored(const std::string& mailbox) const {
  MailOracle::Content content;
  const bus::ChannelId id = bus::channel_id(mailbox);
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
      throw Violation(mailbox + ": a stray message " + std::to_string(number));
    }
  }
  if (content.rows.size() != content.last - content.floor) {
    throw Violation(mailbox + ": " + std::to_string(content.rows.size()) + " messages in (" +
                    std::to_string(content.floor) + ", " + std::to_string(content.last) + "]");
  }
  return content;
}

}  // namespace starbus::sim
