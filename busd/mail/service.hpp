#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/process_core.hpp"
#include "busd/mail/mail.hpp"

namespace starbus::bus::busd::mail {

/// The process of a host that owns its mail shards: between a ProcessCore, whose events it takes,
/// and the Mail that keeps what is posted. Whoever runs it (a thread of busd, or the simulator)
/// gives it a link and the time, and calls `turn` at the end of each turn. One thread.
class MailService final : public ProcessEvents, private MailShell {
 public:
  struct Hooks {
    std::function<void(std::function<void()>)> post;  // see MailShell::post
    std::function<std::uint64_t()> wall_ms;
    std::function<void(const std::string& text)> trouble;  // for the log
    std::function<void(const storage::Error&)> stopped;
  };

  MailService(storage::Store& store, std::vector<std::uint8_t> shards, MailQuota quota,
              Hooks hooks);
  /// Before anything else; must outlive the service's last call.
  void attach(ProcessCore& core) { core_ = &core; }

  /// Begins the next batch, and asks for the shards that are not held.
  void turn();
  const Mail& mail() const { return mail_; }
  /// See Mail::purge.
  void purge(const std::string& name, std::uint64_t upto, Mail::Purged done) {
    mail_.purge(name, upto, std::move(done));
  }
  bool serves(std::uint8_t shard) const;

  // ProcessEvents
  void on_welcome(bool first) override;
  void on_durable_bound(BindingId binding, Epoch epoch, Lineage lineage) override;
  void on_bind_refused(BindingId binding, const Error& reason) override;
  void on_lease_lost() override;
  void on_item(const StreamId& stream, std::uint64_t seq, ByteView body, bool tombstone) override;
  void on_repeat(const StreamId& stream) override;
  void on_bound(BindingId, Epoch) override {}
  void on_unbound(BindingId) override {}
  void on_delivery(BindingId, const Delivery&) override {}
  void on_mail(const Process& from, Kind kind, ByteView payload) override;
  void on_mail_lost(const ChannelId& process) override { mail_.reader_lost(process); }
  void on_watch(const std::string& prefix, const std::vector<WatchRow>& changes,
                bool complete) override;
  void on_watch_refused(const std::string&, const Error&) override {}
  void on_acknowledged(Token) override {}
  void on_failed(Token, const ChannelId&, Lane, std::uint64_t, Errc, bool) override {}
  void on_room() override { mail_.room(); }

 private:
  enum class Phase { free, asked, held, broken };

  void bind(std::uint8_t shard);
  void broken(std::uint8_t shard, const std::string& why);
  void report_refusals();

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
  void post(std::function<void()> action) override { hooks_.post(std::move(action)); }
  std::uint64_t wall_ms() override { return hooks_.wall_ms(); }

  ProcessCore* core_ = nullptr;
  Hooks hooks_;
  Mail mail_;
  std::map<std::uint8_t, Phase> shards_;
  std::map<BindingId, std::uint8_t> bindings_;
  std::map<std::string, int> refusals_;  // since the last report, by reason
  std::string reported_;
  std::uint64_t next_try_ms_ = 0;
  bool greeted_ = false;
  bool stopped_ = false;
  bool more_ = false;  // a turn for readers is asked for
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::bus::busd::mail
