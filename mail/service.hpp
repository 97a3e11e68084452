#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/ends/process_core.hpp"
#include "mail/mail.hpp"
#include "mail/shards/shard_export.hpp"
#include "mail/shards/shard_import.hpp"
#include "mail/shards/shard_offers.hpp"
#include "mail/types.hpp"

namespace starbus::mail {

/// The process of a host that owns its mail shards. Connects a ProcessCore, whose events it takes,
/// with the Mail that stores posts. Its owner (a thread of busd, or the simulator) gives it a link
/// and the time, and calls `turn` at the end of each turn. One thread.
class MailService final : public bus::ProcessEvents, private MailShell {
 public:
  struct Hooks {
    std::function<void(std::function<void()>)> post;  // see MailShell::post
    std::function<std::uint64_t()> wall_ms;
    std::function<std::uint64_t()> now_ms;                 // of a monotonic clock
    std::function<void(const std::string& text)> trouble;  // for the log
    std::function<void(const std::string& text)> note;     // for the log; not a problem
    std::function<void(const storage::Error&)> stopped;
    std::function<std::uint64_t()> token;  // drawn at random, for moves
  };

  /// `shards`: those that this host keeps unless its store says otherwise, because one has moved.
  MailService(storage::Store& store, std::string host, std::vector<std::uint8_t> shards,
              MailQuota quota, Hooks hooks);
  /// Call first. The core must outlive the service's last call.
  void attach(bus::ProcessCore& core) { core_ = &core; }

  /// Begins the next batch, and asks for the shards that are not held.
  void turn();
  const Mail& mail() const { return mail_; }
  /// See Mail::purge.
  void purge(const std::string& name, std::uint64_t upto, Mail::Purged done) {
    mail_.purge(name, upto, std::move(done));
  }
  bool serves(std::uint8_t shard) const;
  /// Whether it is to serve the shard here, and busroot has not granted it, or it is damaged.
  bool lacks(std::uint8_t shard) const;
  /// Whether this store serves the shard, now or as soon as it can: it is listed, or came by a move
  /// or by an operator, and was not given away.
  bool keeps(std::uint8_t shard) const;

  // --- offers: see ShardOffers ---
  /// Offers those of the shards that are kept here, and returns them. no_owner: none is, or the
  /// host has no store on the bus; bad_name: it is this host; closed: the store has stopped.
  Result<std::vector<std::uint8_t>> offer(const std::vector<std::uint8_t>& shards,
                                          const std::string& host);
  void withdraw(const std::vector<std::uint8_t>& shards);
  std::map<std::string, std::vector<std::uint8_t>> offers() const;

  // --- moves: see ShardImport ---
  Result<> take(const std::vector<std::uint8_t>& shards) {
    if (stopped_) return Error{Errc::closed, "the mail store has stopped"};
    return import_.begin(shards);
  }
  void stop_taking() { import_.stop(); }
  const MoveProgress& move() const { return import_.progress(); }
  std::size_t exporting() const { return exports_.count(); }

  // ProcessEvents
  void on_welcome(bool first) override;
  void on_durable_bound(bus::BindingId binding, Epoch epoch, Lineage lineage) override;
  void on_bind_refused(bus::BindingId binding, const Error& reason) override;
  void on_lease_lost() override;
  void on_item(const StreamId& stream, std::uint64_t seq, ByteView body, bool tombstone) override;
  void on_repeat(const StreamId& stream) override;
  void on_bound(bus::BindingId, Epoch) override {}
  void on_unbound(bus::BindingId) override {}
  void on_delivery(bus::BindingId, const bus::Delivery&) override {}
  void on_mail(const Process& from, bus::Kind kind, ByteView payload) override;
  void on_mail_lost(const ChannelId& process) override;
  void on_watch(const std::string& prefix, const std::vector<bus::WatchRow>& changes,
                bool complete) override;
  void on_watch_refused(const std::string&, const Error&) override {}
  void on_acknowledged(bus::Token) override {}
  void on_failed(bus::Token, const ChannelId&, bus::Lane, std::uint64_t, Errc, bool) override {}
  void on_room() override { mail_.room(); }

 private:
  /// Away: at another host, or moving there. Leaving: frozen for its last changes.
  enum class Phase : std::uint8_t { free, asked, held, broken, away, leaving };
  struct Shard {
    Phase phase = Phase::free;
    std::uint64_t after = 0;  // free: the batch that must have ended before it is asked for
  };

  static constexpr const char* kStoreNode = "store";     // HOST.store
  static constexpr const char* kProcesses = "process/";  // a watch shows which of them live

  void read_place(std::uint8_t shard);
  ShardExport::Way export_way();
  ShardImport::Way import_way();
  Totals totals_kept() const;
  std::optional<ShardImport::Store> owner_of(std::uint8_t shard) const;
  std::optional<Process> store_of(const std::string& host) const;
  void on_shard(const Process& from, bus::Kind kind, ByteView payload);
  void freeze(std::uint8_t shard);
  void thaw(std::uint8_t shard);
  void mark(std::uint8_t shard, const PlaceRow& row);
  void erase(std::uint8_t shard);
  void commit(storage::Batch batch, storage::Store::Completion done);
  void bind(std::uint8_t shard);
  void broken(std::uint8_t shard, const std::string& why);
  void report_refusals();
  bool leave_to_owner(std::uint8_t shard);
  void report_left();
  bool disk_has_room();

  // MailShell
  void stored(const StreamId& stream, std::uint64_t last,
              std::span<const PostResult> results) override;
  void answer(const StreamId& stream, std::span<const PostResult> kept) override;
  void refused(const StreamId& stream, std::uint64_t last) override;
  void forget(const StreamId& stream) override;
  void opened(std::uint8_t shard, const std::vector<FilterRow>& filter) override;
  void say(const Process& reader, Lineage hint, ByteView record) override;
  bool has_room(const Process& reader) override;
  void stopped(const storage::Error& reason) override;
  bool watched(std::uint8_t shard) override { return exports_.watches(shard); }
  void changed(std::uint8_t shard, storage::Batch::Kind kind, std::string_view key,
               std::string_view end) override {
    exports_.changed(shard, kind, key, end);
  }
  void post(std::function<void()> action) override { hooks_.post(std::move(action)); }
  std::uint64_t wall_ms() override { return hooks_.wall_ms(); }

  bus::ProcessCore* core_ = nullptr;
  storage::Store& store_;
  const std::string host_;
  Hooks hooks_;
  Mail mail_;
  ShardOffers offers_;
  ShardExport exports_;
  ShardImport import_;
  std::map<std::uint8_t, Shard> shards_;
  std::map<bus::BindingId, std::uint8_t> bindings_;
  std::map<std::string, std::vector<std::uint8_t>> refusals_;  // since the last report, by reason
  std::string reported_;
  std::map<std::string, std::vector<std::uint8_t>> left_;  // to hosts; since the last report
  std::uint64_t next_try_ms_ = 0;
  bool greeted_ = false;
  bool stopped_ = false;
  bool disk_was_full_ = false;  // while the disk worked: nothing is served until there is room
  bool more_ = false;           // a turn for readers is asked for
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::mail
