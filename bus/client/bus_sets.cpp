// Sets of names: watches, shared names (one instance of a set), groups (all members of a set).

#include <boost/asio/post.hpp>

#include "bus/client/bus_core.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kStickyKept =
    65'536;  // (shared name, key) pairs whose instance is remembered

/// Rendezvous weight of an instance for a key: each key ranks the instances in its own order, so
/// that an instance which comes or goes moves only the keys that rank it first.
std::uint64_t weight(std::uint64_t key, const ChannelId& instance) {
  std::uint64_t x = key ^ instance.low;
  x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9ULL;  // finaliser of SplitMix64 (Steele et al., 2014)
  x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11ebULL;
  return x ^ (x >> 31);
}

}  // namespace

// --- watches -------------------------------------------------------------------------------------

Result<WatchHandle> BusCore::watch(std::string prefix,
                                   std::function<void(const WatchUpdate&)> on_update,
                                   std::function<void(const Error&)> on_error) {
  if (closed_ || closing_) return Error{Errc::closed};
  if (auto started = process_.watch(prefix); !started) return started.error();
  link_.want_pump(0);
  const std::uint64_t id = next_watcher_++;
  watched_[prefix].watchers.emplace(id, Watcher{std::move(on_update), std::move(on_error)});
  const RowSet* rows = process_.rows(prefix);
  if (rows && rows->complete()) {
    // A later watcher of the same prefix: what is known, on the next turn.
    boost::asio::post(loop_, [weak = weak_from_this(), prefix, id] {
      const auto self = weak.lock();
      if (!self || self->closed_) return;
      const auto found = self->watched_.find(prefix);
      const RowSet* present = self->process_.rows(prefix);
      if (found == self->watched_.end() || !present) return;
      const auto watcher = found->second.watchers.find(id);
      if (watcher == found->second.watchers.end()) return;
      WatchUpdate update;
      update.complete = true;
      for (const auto& [name, row] : present->rows()) update.changes.push_back(row);
      const auto callback = watcher->second.on_update;
      const auto shown = self->showing("watch ", prefix);
      callback(update);
    });
  }
  WatchHandle handle;
  handle.core_ = weak_from_this();
  handle.prefix_ = std::move(prefix);
  handle.id_ = id;
  return handle;
}

void BusCore::end_watch(const std::string& prefix, std::uint64_t id) {
  const auto found = watched_.find(prefix);
  if (found == watched_.end()) return;
  found->second.watchers.erase(id);
  if (!found->second.watchers.empty() || found->second.internal) return;
  watched_.erase(found);
  process_.unwatch(prefix);
  link_.want_pump(0);
}

WatchHandle& WatchHandle::operator=(WatchHandle&& other) noexcept {
  if (this == &other) return *this;
  if (const auto core = core_.lock()) core->end_watch(prefix_, id_);
  core_ = std::exchange(other.core_, {});
  prefix_ = std::move(other.prefix_);
  id_ = other.id_;
  return *this;
}

WatchHandle::~WatchHandle() {
  if (const auto core = core_.lock()) core->end_watch(prefix_, id_);
}

void BusCore::on_watch(const std::string& prefix, const std::vector<WatchRow>& changes,
                       bool complete) {
  const auto found = watched_.find(prefix);
  if (found == watched_.end()) return;
  found->second.members.clear();
  if (prefix == kStores) readers_.stores_changed(changes);
  const WatchUpdate update{changes, complete};
  // Callbacks may end any watch, their own too.
  std::vector<std::uint64_t> ids;
  for (const auto& [id, watcher] : found->second.watchers) ids.push_back(id);
  for (const std::uint64_t id : ids) {
    const auto present = watched_.find(prefix);
    if (present == watched_.end()) return;
    const auto watcher = present->second.watchers.find(id);
    if (watcher == present->second.watchers.end()) continue;
    const auto callback = watcher->second.on_update;
    const auto shown = showing("watch ", prefix);
    if (callback) callback(update);
  }
  const auto present = watched_.find(prefix);
  if (!complete || present == watched_.end()) return;
  for (auto& action : std::exchange(present->second.when_complete, {})) action();
}

void BusCore::on_watch_refused(const std::string& prefix, const Error& reason) {
  const auto found = watched_.find(prefix);
  if (found == watched_.end()) return;
  Watched watched = std::move(found->second);
  watched_.erase(found);
  // What waited for the snapshot goes on without one, and finds no instance and no member.
  for (auto& action : watched.when_complete) action();
  for (auto& [id, watcher] : watched.watchers) {
    if (watcher.on_error) watcher.on_error(reason);
  }
}

Result<BusCore::Watched*> BusCore::watch_internally(const std::string& prefix) {
  if (auto started = process_.watch(prefix); !started) return started.error();
  link_.want_pump(0);
  Watched& watched = watched_[prefix];
  watched.internal = true;
  return &watched;
}

/// Puts off what needs the snapshot of `prefix`. would_block beyond a window's worth.
Result<> BusCore::hold(const std::string& prefix, std::size_t bytes, std::function<void()> action) {
  const auto watched = watch_internally(prefix);
  if (!watched) return watched.error();
  if ((*watched)->held_bytes != 0 && (*watched)->held_bytes + bytes > kChannelWindow) {
    return Error{Errc::would_block, "the members of " + prefix + " are not known yet"};
  }
  (*watched)->held_bytes += bytes;
  ++held_messages_;
  (*watched)->when_complete.emplace_back([this, prefix, bytes, action = std::move(action)] {
    --held_messages_;
    if (const auto found = watched_.find(prefix); found != watched_.end()) {
      found->second.held_bytes -= bytes;
    }
    action();
    for (FlushWaiter& waiter : flushes_) {
      if (waiter.held) waiter.mark = process_.origin().mark();
    }
  });
  return {};
}

// --- shared names --------------------------------------------------------------------------------

/// The instance for this key: the present choice while it lives and something is unacknowledged
/// there, else the one that ranks first. None if there is no instance.
std::optional<Name> BusCore::choose_instance(const std::string& shared, std::uint64_t key,
                                             Lane lane, Lineage& hint) {
  const RowSet* rows = process_.rows(shared + "#");
  if (!rows || rows->rows().empty()) return std::nullopt;
  // Without a key all messages of this process go one way, another for each process.
  const std::uint64_t rank = key != 0 ? key : hash_value(process_.self());
  Sticky& sticky = sticky_[{shared, key}];
  sticky.used = ++sticky_clock_;
  const auto present = rows->rows().find(sticky.instance);
  if (present != rows->rows().end()) {
    auto name = name_of_text(sticky.instance);
    if (name && process_.origin().unacknowledged(name->id(), lane)) {
      hint = present->second.lineage;
      return *name;
    }
  }
  const WatchRow* best = nullptr;
  std::uint64_t best_weight = 0;
  for (const auto& [text, row] : rows->rows()) {
    const auto name = name_of_text(text);
    if (!name) continue;
    const std::uint64_t present_weight = weight(rank, name->id());
    if (!best || present_weight > best_weight) {
      best = &row;
      best_weight = present_weight;
    }
  }
  if (!best) return std::nullopt;
  sticky.instance = best->name;
  hint = best->lineage;
  auto name = name_of_text(best->name);
  return name ? std::optional(*name) : std::nullopt;
}

void BusCore::prune_sticky() {
  if (sticky_.size() <= kStickyKept) return;
  // Keys that were not used among the latest kStickyKept uses; whoever has traffic is used often.
  std::erase_if(sticky_,
                [&](const auto& item) { return item.second.used + kStickyKept < sticky_clock_; });
}

Result<> BusCore::send_shared(const Name& to, ByteView body, const SendOptions& options,
                              Done<> done) {
  const std::string& shared = to.text();
  if (closed_) return Error{Errc::closed};
  if (auto allowed = process_.may_send(shared); !allowed) return allowed;
  const RowSet* rows = process_.rows(shared + "#");
  const auto watched = watched_.find(shared + "#");
  const bool held = watched != watched_.end() && !watched->second.when_complete.empty();
  if (!rows || !rows->complete() || held) {
    return hold(shared + "#", body.size() + kItemHeader,
                [this, to, copy = Bytes(body.begin(), body.end()), options, done] {
                  const auto sent = send_shared(to, copy, options, done);
                  if (sent) return;
                  if (done) {
                    complete<void>(done, sent.error());
                  } else if (on_undelivered) {
                    on_undelivered({to.id(), to.text(), options.lane, sent.error()});
                  }
                });
  }
  Lineage hint;
  const auto instance = choose_instance(shared, options.hash_key, options.lane, hint);
  if (!instance) return Error{Errc::no_owner, shared + " has no instance"};
  Envelope envelope;
  envelope.trace = options.trace;
  const Token token = done ? next_token_ : 0;
  const auto seq =
      send_enveloped(*instance, hint, options.lane, envelope, body, token, options.ttl);
  if (!seq) return seq.error();
  if (token != 0) acknowledgements_.emplace(next_token_++, std::move(done));
  return {};
}

void BusCore::call_shared(const Name& to, const Bytes& body, std::uint64_t key, std::uint64_t id,
                          const Trace& trace) {
  const std::string prefix = to.text() + "#";
  const RowSet* rows = process_.rows(prefix);
  const auto watched = watched_.find(prefix);
  const bool held = watched != watched_.end() && !watched->second.when_complete.empty();
  if (!rows || !rows->complete() || held) {
    const auto waiting = hold(prefix, body.size() + kItemHeader, [this, to, body, key, id, trace] {
      call_shared(to, body, key, id, trace);
    });
    if (!waiting) end_call(id, waiting.error());
    return;
  }
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  Lineage hint;
  const auto instance = choose_instance(to.text(), key, found->second.lane, hint);
  if (!instance) return end_call(id, Error{Errc::no_owner, to.text() + " has no instance"});
  start_call(*instance, hint, id, trace, body);
}

// --- groups --------------------------------------------------------------------------------------

Result<> BusCore::announce(std::string_view group, ByteView body, const SendOptions& options) {
  if (closed_ || closing_) return Error{Errc::closed};
  if (auto checked = check_channel_name(group); !checked) return checked;
  if (!is_group_name(group)) {
    return Error{Errc::bad_name, std::string(group) + " is not of the form group/NAME"};
  }
  if (auto allowed = process_.may_send(group); !allowed) return allowed;
  const std::string prefix = std::string(group) + "#";
  const RowSet* rows = process_.rows(prefix);
  const auto watched = watched_.find(prefix);
  const bool held = watched != watched_.end() && !watched->second.when_complete.empty();
  if (rows && rows->complete() && !held) return announce_now(prefix, body, options);
  return hold(prefix, body.size() + kItemHeader,
              [this, prefix, copy = Bytes(body.begin(), body.end()), options] {
                const auto sent = announce_now(prefix, copy, options);
                if (!sent && on_undelivered) {
                  on_undelivered({{}, prefix, options.lane, sent.error()});
                }
              });
}

void BusCore::list_members(Watched& watched, const RowSet& rows) {
  watched.member_names.clear();
  watched.member_names.reserve(rows.rows().size());  // destinations refer to these names
  for (const auto& [text, row] : rows.rows()) {
    const auto name = name_of_text(text);
    if (!name) continue;
    remember_name(*name);
    watched.member_names.push_back(*name);
    watched.members.push_back({destination(watched.member_names.back(), row.lineage)});
  }
}

Result<> BusCore::announce_now(const std::string& prefix, ByteView body,
                               const SendOptions& options) {
  if (closed_) return Error{Errc::closed};
  const RowSet* rows = process_.rows(prefix);
  if (!rows || rows->rows().empty()) return {};  // a group without members reaches all of them
  if (rows->rows().size() > kMaxGroup) {
    return Error{Errc::group_too_large, prefix + ": " + std::to_string(rows->rows().size())};
  }
  Watched& watched = watched_.at(prefix);
  if (watched.members.empty()) list_members(watched, *rows);
  auto sent = multicast_now(watched.members, options, body);
  if (sent) link_.want_pump(body.size());
  return sent;
}

}  // namespace starbus::bus
