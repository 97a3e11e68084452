#include "mail/mail.hpp"

#include <algorithm>
#include <utility>

#include "mail/limits.hpp"
#include "mail/shards/shard_row.hpp"

namespace starbus::mail {

Mail::Mail(storage::Store& store, MailShell& shell, MailQuota quota)
    : state_(store, shell, std::move(quota)),
      pipeline_(state_, queue_),
      sweeper_(store, state_.quota) {}

// --- shards --------------------------------------------------------------------------------------

storage::Result<Lineage> Mail::lineage(std::uint8_t shard) const {
  const auto row = read_shard_row(state_.store, shard);
  if (!row) return row.error();
  return row->lineage;
}

storage::Result<> Mail::open(std::uint8_t number, Lineage lineage) {
  thread_.check();
  const auto opened = state_.shards.open(number, lineage, state_.shell.wall_ms());
  if (!opened) return opened.error();
  OpenShard& shard = **opened;
  if (shard.noted) state_.shell.opened(number, shard.streams.take_filter());
  return {};
}

void Mail::close(std::uint8_t shard) {
  thread_.check();
  if (!state_.shards.close(shard)) return;
  const ChannelId channel = shard_channel(shard).id();
  queue_.forget_posts([&](const StreamId& stream) { return stream.channel == channel; });
  state_.readers.end_shard(shard);
}

// --- posts ---------------------------------------------------------------------------------------

void Mail::post(const StreamId& stream, std::uint64_t seq, ByteView message, bool tombstone) {
  thread_.check();
  if (pipeline_.stopped() || state_.shards.of(stream.channel) == nullptr) return;
  if (queue_.add_post(stream, seq, message, tombstone)) return;
  // The stream is resent from this message on, so its other waiting messages go, too.
  ++state_.counters.overflows;
  queue_.forget_posts([&](const StreamId& other) { return other == stream; });
  state_.shell.refused(stream, pipeline_.under_way(stream));
}

void Mail::repeat(const StreamId& stream) {
  const OpenShard* const shard = state_.shards.of(stream.channel);
  if (shard == nullptr || pipeline_.stopped()) return;
  const auto results = shard->streams.results(state_.store, stream);
  if (results) state_.shell.answer(stream, *results);  // otherwise the sender asks again
}

// --- readers and operators -----------------------------------------------------------------------

void Mail::open_reader(const ReaderId& id, bus::MailOpen open) {
  thread_.check();
  const ChannelId box = channel_id(open.name);
  const Lineage reply = open.reply;
  const std::uint64_t token = open.token;
  const auto busy = [&](const char* why) {
    say(state_.shell, id.process, reply, bus::MailOpened{token, Errc::busy, why, 0, 0});
  };
  const bool served = !pipeline_.stopped() && state_.shards.at(bus::shard_of(box)) != nullptr;
  if (!served) return busy("the shard is not served here now");
  if (state_.readers.full(id.process)) return busy("too many readers");
  if (!queue_.readers().add(Opening{id, std::move(open), box}))
    busy("too many requests wait for the disk");
}

void Mail::acknowledge(const ReaderId& id, bus::MailAck ack) {
  thread_.check();
  if (state_.readers.find(id) == nullptr) return;
  if (pipeline_.stopped() || !queue_.readers().add(Acknowledgement{id, std::move(ack)})) {
    state_.readers.end(id, Errc::busy,
                       "too many acknowledgements wait for the disk");  // it says them again
  }
}

void Mail::purge(const std::string& name, std::uint64_t upto, Purged done) {
  thread_.check();
  if (pipeline_.stopped()) return done(Error{Errc::closed, "the mail store has stopped"});
  if (!queue_.add(WaitingPurge{channel_id(name), upto, done})) {
    done(Error{Errc::would_block, "too many requests wait for the disk"});
  }
}

// --- turns ---------------------------------------------------------------------------------------

bool Mail::turn() {
  thread_.check();
  const std::uint64_t now = state_.shell.wall_ms();
  // If the wall clock is set back, sweeping must not pause for as long.
  next_sweep_ms_ = std::min(next_sweep_ms_, now + in_ms(kSweepPause));
  if (pipeline_.idle() && !pipeline_.stopped() && now >= next_sweep_ms_) sweep();
  pipeline_.flush();
  if (pipeline_.stopped()) return false;
  const bool more = state_.readers.pump();
  return more || (pipeline_.idle() && !queue_.empty());
}

/// If too much waits, what was found is found again in the next round.
void Mail::sweep() {
  next_sweep_ms_ = state_.shell.wall_ms() + in_ms(kSweepPause);
  Sweeper::Found found = sweeper_.step(state_.shards.noted(), state_.shell.wall_ms());
  if (!found.empty()) (void)queue_.add(std::move(found));
}

}  // namespace starbus::mail
