#include "bus/client/mail_readers.hpp"

#include <utility>

#include "base/unit_guard.hpp"
#include "bus/client/process_link.hpp"
#include "bus/core/limits.hpp"
#include "bus/io/clock.hpp"
#include "bus/io/draws.hpp"

namespace starbus::bus {

MailReaders::MailReaders(Access access)
    : access_(std::move(access)), next_token_(io::draw_incarnation()) {}

Time MailReaders::now() {
  return io::boot_now();
}

template <class T>
void MailReaders::complete(Done<T>& done, Result<T> result) {
  if (!done) return;
  auto shared = std::make_shared<Result<T>>(std::move(result));
  access_.later([done = std::exchange(done, nullptr), shared] {
    guarded(UnitKind::completion, done.target_type(), [&] { done(std::move(*shared)); });
  });
}

/// Returns a copy: the caller may end readers while it walks through it.
std::vector<MailReaders::Id> MailReaders::mailboxes_of(const ChannelId& channel) const {
  std::vector<Id> ids;
  const auto found = by_channel_.find(channel);
  if (found == by_channel_.end()) return ids;
  for (const Id id : found->second) {
    if (readers_.at(id).machine->settings().target == PostTarget::mailbox) ids.push_back(id);
  }
  return ids;
}

// --- what the user asks for ----------------------------------------------------------------------

void MailReaders::open(MailReader::Settings settings, Time deadline, Done<Id> done) {
  const auto refuse = [&](Error reason) { complete<Id>(done, std::move(reason)); };
  if (readers_.size() >= kMaxReaders) {
    return refuse({Errc::would_block, std::to_string(kMaxReaders) + " are open"});
  }
  if (settings.window == 0 || settings.window > kMaxMailWindow) {
    return refuse({Errc::too_large, "a window of " + std::to_string(settings.window) + " bytes"});
  }
  if (auto watched = access_.watch_stores(); !watched) return refuse(watched.error());
  const Id id = next_id_++;
  Reader& reader = readers_[id];
  reader.channel = channel_id(settings.name);
  reader.shard = shard_of(reader.channel);
  reader.deadline = deadline;
  reader.opened = std::move(done);
  reader.machine = std::make_unique<MailReader>(
      std::move(settings),
      [this](const Process& store, ByteView record) {
        access_.process.send_mail_record(store, {}, record);
        access_.request_send(record.size());
      },
      [this, id] {
        sessions_[next_token_] = id;
        return next_token_++;
      });
  waiting_.insert(id);
  by_channel_[reader.channel].push_back(id);
  by_store_[shard_name(reader.shard)].insert(id);
  begin(reader);
  serve(id, reader);
}

void MailReaders::begin(Reader& reader) {
  reader.machine->owned_under(access_.process.epoch(reader.channel), now());
  tell_store(reader);
}

/// Gives the reader the process that keeps the shard, as far as the watch shows it.
void MailReaders::tell_store(Reader& reader) {
  reader.machine->set_reply(access_.process.reply_lineage());
  const RowSet* const rows = access_.process.rows(std::string(kStores));
  if (!rows) return;
  const auto row = rows->rows().find(shard_name(reader.shard));
  if (row == rows->rows().end()) return reader.machine->store_is({}, {}, now());
  reader.machine->store_is(row->second.owner, row->second.epoch, now());
}

void MailReaders::next(Id id, std::size_t max, Done<std::vector<MailItem>> done) {
  const auto found = readers_.find(id);
  if (found == readers_.end()) {
    return complete<std::vector<MailItem>>(done, Error{Errc::closed});
  }
  if (found->second.next) {
    return complete<std::vector<MailItem>>(done, Error{Errc::busy, "one is waited for already"});
  }
  found->second.next = std::move(done);
  found->second.most = std::max<std::size_t>(max, 1);
  serve(id, found->second);
}

void MailReaders::acknowledge(Id id, std::uint64_t upto, const std::string& reject,
                              Done<void> done) {
  const auto found = readers_.find(id);
  if (found == readers_.end()) return complete<void>(done, Error{Errc::closed});
  Reader& reader = found->second;
  if (auto taken = reader.machine->acknowledge(upto, reject); !taken) {
    return complete<void>(done, taken.error());
  }
  reader.acks.push_back({upto, !reject.empty(), std::move(done)});
  serve(id, reader);
}

void MailReaders::close(Id id) {
  const auto found = readers_.find(id);
  if (found == readers_.end()) return;
  const Error reason{Errc::closed, "the reader was closed"};
  found->second.machine->close(reason);
  fail(id, found->second, reason);
  erase(id);
}

void MailReaders::erase(Id id) {
  const auto found = readers_.find(id);
  if (found == readers_.end()) return;
  const auto others = by_channel_.find(found->second.channel);
  std::erase(others->second, id);
  if (others->second.empty()) by_channel_.erase(others);
  by_store_.at(shard_name(found->second.shard)).erase(id);
  readers_.erase(found);
}

const MailReader* MailReaders::find(Id id) const {
  const auto found = readers_.find(id);
  return found == readers_.end() ? nullptr : found->second.machine.get();
}

// --- what happens --------------------------------------------------------------------------------

void MailReaders::on_mail(const Process& from, Kind kind, ByteView payload) {
  const auto take = [&]<class Record>(std::type_identity<Record>, auto&& hand_over) {
    auto record = decode<Record>(payload);
    if (!record) return;  // of a broken or hostile process
    const auto session = sessions_.find(record->token);
    if (session == sessions_.end()) return end_forgotten(from, *record);
    const Id id = session->second;
    const auto found = readers_.find(id);
    if (found == readers_.end()) return;
    hand_over(*found->second.machine, std::move(*record));
    serve(id, found->second);
  };
  if (kind == Kind::mail_items) {
    take(std::type_identity<MailItems>(),
         [&](MailReader& reader, MailItems&& items) { reader.on_items(from, std::move(items)); });
  } else if (kind == Kind::mail_acked) {
    take(std::type_identity<MailAcked>(),
         [&](MailReader& reader, MailAcked&& acked) { reader.on_acked(from, acked); });
  } else if (kind == Kind::mail_attempts) {
    take(std::type_identity<MailAttempts>(),
         [&](MailReader& reader, MailAttempts&& said) { reader.on_attempts(from, said); });
  } else if (kind == Kind::mail_refused) {
    take(std::type_identity<MailRefused>(), [&](MailReader& reader, MailRefused&& refused) {
      if (!reader.on_refused(from, refused)) return;
      refuse(readers_.at(sessions_.at(refused.token)), refused);
    });
  } else if (kind == Kind::mail_opened) {
    take(std::type_identity<MailOpened>(), [&](MailReader& reader, MailOpened&& opened) {
      reader.on_opened(from, std::move(opened), now());
    });
  } else if (kind == Kind::mail_end) {
    take(std::type_identity<MailEnd>(),
         [&](MailReader& reader, MailEnd&& end) { reader.on_end(from, end, now()); });
  }
}

/// Ends the reject that was refused, and later acknowledgements, which count on it.
void MailReaders::refuse(Reader& reader, const MailRefused& refused) {
  const std::uint64_t settling = reader.machine->settling();
  for (auto ack = reader.acks.begin(); ack != reader.acks.end();) {
    const bool meant = ack->reject && ack->upto == refused.upto;
    if (!meant && ack->upto <= settling) {
      ++ack;
      continue;
    }
    complete<void>(ack->done, Error{refused.reason, refused.detail});
    ack = reader.acks.erase(ack);
  }
}

/// The answer to a question that was not waited for: a store does not know that another one has
/// followed, and would send a window of messages for nothing.
template <class Record>
void MailReaders::end_forgotten(const Process& store, const Record& record) {
  bool is_open = std::is_same_v<Record, MailItems>;
  if constexpr (std::is_same_v<Record, MailOpened>) is_open = record.status == Errc::ok;
  if (!is_open) return;
  Bytes end;
  encode(MailEnd{record.token, Errc::closed, {}}, end);
  access_.process.send_mail_record(store, {}, end);
  access_.request_send(end.size());
}

void MailReaders::on_lost(const ChannelId& process) {
  for (auto& [id, reader] : readers_) {
    reader.machine->lost(process, now());
    serve(id, reader);
  }
}

void MailReaders::stores_changed(const std::vector<WatchRow>& changes) {
  for (const WatchRow& row : changes) {
    const auto concerned = by_store_.find(row.name);
    if (concerned == by_store_.end()) continue;
    for (const Id id : concerned->second) {
      Reader& reader = readers_.at(id);
      tell_store(reader);
      serve(id, reader);
    }
  }
}

void MailReaders::owned(const ChannelId& channel, Epoch epoch) {
  for (const Id id : mailboxes_of(channel)) {
    Reader& reader = readers_.at(id);
    reader.machine->owned_under(epoch, now());
    serve(id, reader);
  }
}

void MailReaders::disowned(const ChannelId& channel, const Error& reason) {
  for (const Id id : mailboxes_of(channel)) {
    readers_.at(id).machine->close(reason);
    fail(id, readers_.at(id), reason);
  }
}

void MailReaders::lease_lost(const Error& reason) {
  for (auto& [id, reader] : readers_) {
    if (reader.machine->settings().target == PostTarget::mailbox) {
      reader.machine->close(reason);
      fail(id, reader, reason);
    } else {
      reader.machine->store_is({}, {}, now());  // logs go on once the store is seen again
      serve(id, reader);
    }
  }
}

void MailReaders::tick() {
  for (const Id id : std::exchange(failed_, {})) erase(id);
  const std::vector<Id> ids(waiting_.begin(), waiting_.end());
  for (const Id id : ids) {
    Reader& reader = readers_.at(id);
    tell_store(reader);  // after a lease was lost no row need have changed
    reader.machine->tick(now());
    if (reader.opened && now() >= reader.deadline) {
      const Error reason{Errc::deadline, shard_name(reader.shard) + ": no store serves it"};
      reader.machine->close(reason);
      fail(id, reader, reason);
    } else {
      serve(id, reader);
    }
  }
}

void MailReaders::shut(const Error& reason) {
  for (auto& [id, reader] : readers_) fail(id, reader, reason);
  readers_.clear();
  by_channel_.clear();
  by_store_.clear();
  failed_.clear();
}

/// Gives the user what there is.
void MailReaders::serve(Id id, Reader& reader) {
  MailReader& machine = *reader.machine;
  if (machine.token() != reader.token) {
    sessions_.erase(reader.token);
    reader.token = machine.token();
  }
  if (machine.failure().code != Errc::ok) return fail(id, reader, machine.failure());
  if (machine.serving()) {
    waiting_.erase(id);
  } else {
    waiting_.insert(id);
  }
  if (machine.opened()) complete<Id>(reader.opened, id);
  while (!reader.acks.empty() && reader.acks.front().upto <= machine.acked()) {
    complete<void>(reader.acks.front().done, {});
    reader.acks.pop_front();
  }
  if (!reader.next) return;
  std::vector<MailItem> items;
  while (items.size() < reader.most) {
    auto item = machine.take();
    if (!item) break;
    items.push_back(std::move(*item));
  }
  if (!items.empty()) complete<std::vector<MailItem>>(reader.next, std::move(items));
}

/// No session will follow. Messages that came before and were not taken are not given out any more:
/// another reader may have them.
void MailReaders::fail(Id id, Reader& reader, const Error& reason) {
  sessions_.erase(reader.token);
  reader.token = 0;
  waiting_.erase(id);
  if (reader.opened) failed_.push_back(id);
  complete<Id>(reader.opened, reason);
  complete<std::vector<MailItem>>(reader.next, reason);
  for (Ack& ack : std::exchange(reader.acks, {})) complete<void>(ack.done, reason);
}

}  // namespace starbus::bus
