#include "busd/mail_metrics.hpp"

#include <utility>

#include "daemon/histogram.hpp"

namespace starbus::busd {
namespace {

using Node = std::function<mail::MailStoreThread*()>;
using daemon::Buckets;

constexpr double kOpening = 4;  // one more than the values of storage::State

/// A batch has a few rows per message, at most some tens of thousands.
const Buckets& row_buckets() {
  static const Buckets kBuckets = {4, 16, 64, 256, 1'024, 4'096, 16'384};
  return kBuckets;
}

void add_store_metrics(daemon::Metrics& metrics, const Node& node) {
  const auto of = [node](auto storage::Report::*value) {
    return [node, value] {
      const mail::MailStoreThread* const store = node();
      return store == nullptr ? 0.0 : static_cast<double>(store->report().*value);
    };
  };
  metrics.gauge(
      "starbus_mail_store_state",
      "State of the store: 0 running, 1 full, 2 stopped, 3 closed, 4 opening or in repair.",
      [node, state = of(&storage::Report::state)] {
        const mail::MailStoreThread* const store = node();
        return store != nullptr && store->opening() ? kOpening : state();
      });
  metrics.counter("starbus_mail_store_committed_total", "Batches committed to disk.",
                  of(&storage::Report::committed));
  metrics.counter("starbus_mail_store_refused_total",
                  "Batches refused; none of them will be on the disk.",
                  of(&storage::Report::refused));
  metrics.counter("starbus_mail_store_groups_total", "Synced writes of LevelDB.",
                  of(&storage::Report::groups));
  metrics.counter("starbus_mail_store_syncs_total", "fsync calls, all files.",
                  of(&storage::Report::syncs));
  metrics.counter("starbus_mail_store_reopened_total", "Times opened again after a full disk.",
                  of(&storage::Report::reopened));
  metrics.gauge("starbus_mail_store_queued_batches", "Batches queued for commit.",
                of(&storage::Report::queued_batches));
  metrics.gauge("starbus_mail_store_queued_bytes", "Bytes queued for commit.",
                of(&storage::Report::queued_bytes));
  const auto of_scrub = [node](std::uint64_t mail::ScrubFigures::*value) {
    return [node, value] {
      const mail::MailStoreThread* const store = node();
      return store == nullptr ? 0.0 : static_cast<double>(store->scrub().*value);
    };
  };
  metrics.gauge("starbus_mail_store_damaged", "Unreadable places in the store's files.",
                of_scrub(&mail::ScrubFigures::damaged));
  const auto of_damage = [node](std::uint64_t mail::DamageFigures::*value) {
    return [node, value] {
      const mail::MailStoreThread* const store = node();
      return store == nullptr ? 0.0 : static_cast<double>(store->damage().*value);
    };
  };
  metrics.gauge("starbus_mail_store_lost", "Places where mail was lost, not acknowledged yet.",
                of_damage(&mail::DamageFigures::lost));
  metrics.gauge("starbus_mail_store_repaired",
                "Wrong bytes that were corrected, not acknowledged yet.",
                of_damage(&mail::DamageFigures::repaired));
  metrics.counter("starbus_mail_store_repairs_total",
                  "Times the store was closed, repaired and opened again.",
                  of_damage(&mail::DamageFigures::repairs));
  metrics.counter("starbus_mail_unreadable_total",
                  "Unreadable or lost places in the store's files, each counted once.",
                  [found = of_scrub(&mail::ScrubFigures::found),
                   noted = of_damage(&mail::DamageFigures::noted)] { return found() + noted(); });
  metrics.counter("starbus_mail_store_checked_bytes_total",
                  "Bytes read by the background scrubber.", of_scrub(&mail::ScrubFigures::bytes));
  metrics.counter("starbus_mail_store_checks_total", "Completed scrub passes.",
                  of_scrub(&mail::ScrubFigures::rounds));
  metrics.gauge("starbus_mail_store_erasing_ranges",
                "Key ranges that are hidden and being erased in chunks.",
                of(&storage::Report::erasing_ranges));
}

/// Mail kept now, and its readers.
void add_depth(daemon::Metrics& metrics, const Node& node) {
  const auto of = [node](auto value) {
    return [node, value] {
      const mail::MailStoreThread* const store = node();
      return store == nullptr ? 0.0 : static_cast<double>(value(store->figures()));
    };
  };
  metrics.gauge("starbus_mail_boxes", "Mailboxes and logs in the shards held here.",
                of([](const mail::MailStoreFigures& figures) { return figures.totals.boxes; }));
  metrics.gauge("starbus_mail_messages", "Messages in the shards held here.",
                of([](const mail::MailStoreFigures& figures) { return figures.totals.messages; }));
  metrics.gauge("starbus_mail_bytes", "Bytes of message bodies in the shards held here.",
                of([](const mail::MailStoreFigures& figures) { return figures.totals.bytes; }));
  metrics.gauge(
      "starbus_mail_oldest_seconds",
      "Age in seconds of the oldest message in a mailbox, as of the latest scan.", [node] {
        const mail::MailStoreThread* const store = node();
        return store == nullptr ? 0.0 : static_cast<double>(store->oldest_age_ms()) / 1'000;
      });
  metrics.gauge("starbus_mail_readers", "Readers that have a mailbox or log open.",
                of([](const mail::MailStoreFigures& figures) { return figures.readers; }));
}

void add_counters(daemon::Metrics& metrics, const Node& node) {
  const auto of = [node](std::uint64_t mail::MailCounters::*value) {
    return [node, value] {
      const mail::MailStoreThread* const store = node();
      return store == nullptr ? 0.0 : static_cast<double>(store->figures().counters.*value);
    };
  };
  metrics.counter("starbus_mail_stored_total", "Messages committed to disk.",
                  of(&mail::MailCounters::stored));
  metrics.counter("starbus_mail_refused_total", "Messages refused with a reason.",
                  of(&mail::MailCounters::refused));
  metrics.counter("starbus_mail_repeated_keys_total",
                  "Posts with an idempotency key that was stored before.",
                  of(&mail::MailCounters::repeated_keys));
  metrics.counter("starbus_mail_batches_total", "Batches begun.", of(&mail::MailCounters::batches));
  metrics.counter("starbus_mail_overflows_total", "Requests to senders to send again.",
                  of(&mail::MailCounters::overflows));
  metrics.counter("starbus_mail_settled_total", "Messages acknowledged by their readers.",
                  of(&mail::MailCounters::settled));
  metrics.counter("starbus_mail_trimmed_total", "Messages erased by the retention of logs.",
                  of(&mail::MailCounters::trimmed));
  metrics.counter("starbus_mail_aged_total", "Messages erased by an age limit.",
                  of(&mail::MailCounters::aged));
  metrics.counter("starbus_mail_purged_total", "Messages erased by operators.",
                  of(&mail::MailCounters::purged));
  metrics.counter("starbus_mail_dead_letters_total", "Messages kept as dead letters.",
                  of(&mail::MailCounters::dead_letters));
  add_depth(metrics, node);
  metrics.gauge("starbus_mail_shards_held", "Shards served by this host.", [node] {
    const mail::MailStoreThread* const store = node();
    return store == nullptr ? 0.0 : static_cast<double>(store->figures().held.count());
  });
}

}  // namespace

storage::MeasuredStore::Measured add_mail_metrics(daemon::Metrics& metrics, Node node) {
  add_counters(metrics, node);
  add_store_metrics(metrics, node);
  prometheus::Histogram& seconds = daemon::add_histogram(
      metrics, "starbus_mail_commit_seconds",
      "Seconds from the commit of a batch until it is on disk.", daemon::commit_buckets());
  prometheus::Histogram& rows = daemon::add_histogram(
      metrics, "starbus_mail_batch_rows", "Rows written or erased per batch.", row_buckets());
  return [&seconds, &rows](const storage::MeasuredStore::Commit& commit) {
    if (!commit.durable) return;
    seconds.Observe(commit.seconds);
    rows.Observe(static_cast<double>(commit.operations));
  };
}

}  // namespace starbus::busd
