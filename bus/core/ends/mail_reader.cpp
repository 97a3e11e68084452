#include "bus/core/ends/mail_reader.hpp"

#include <algorithm>
#include <utility>

#include "bus/core/limits.hpp"

namespace starbus::bus {

MailReader::MailReader(Settings settings, Say say, DrawToken draw)
    : settings_(std::move(settings)),
      say_(std::move(say)),
      draw_(std::move(draw)),
      received_(settings_.after),
      taken_(settings_.after),
      acked_(settings_.target == PostTarget::mailbox ? settings_.after : 0) {}

template <class Record>
void MailReader::say(const Record& record) {
  scratch_.clear();
  encode(record, scratch_);
  say_(store_, scratch_);
}

// --- sessions ------------------------------------------------------------------------------------

void MailReader::store_is(const Process& store, Epoch epoch, Time now) {
  if (store == store_ && epoch == store_epoch_) return;
  lose(now);
  store_ = store;
  store_epoch_ = epoch;
  pause_ = Time{};
  try_open(now);
}

void MailReader::owned_under(Epoch epoch, Time now) {
  if (epoch == epoch_) return;
  if (phase_ == Phase::open || phase_ == Phase::asked) say(MailEnd{token_, Errc::closed, {}});
  lose(now);
  epoch_ = epoch;
  try_open(now);
}

void MailReader::lost(const ChannelId& process, Time now) {
  const bool ours = phase_ == Phase::asked || phase_ == Phase::open;
  if (ours && store_.channel() == process) lose(now + kReaderRetryFirst);
}

void MailReader::tick(Time now) {
  if (phase_ == Phase::asked && now >= give_up_at_) {
    patience_ = std::min<Time>(2 * patience_, kLease);
    lose(now);
  }
  try_open(now);
}

void MailReader::try_open(Time now) {
  if (phase_ != Phase::idle || !store_epoch_ || now < retry_at_) return;
  const bool log = settings_.target == PostTarget::log;
  if (!log && !epoch_) return;
  phase_ = Phase::asked;
  patience_ = std::max<Time>(patience_, kReaderAnswer);
  give_up_at_ = now + patience_;
  token_ = draw_();
  consumed_ = 0;
  reported_ = 0;
  MailOpen open;
  open.token = token_;
  open.target = settings_.target;
  open.name = settings_.name;
  open.epoch = log ? Epoch{} : epoch_;
  open.after = received_;
  open.from_end = settings_.from_end && !opened_;
  open.settled = acked_;
  open.window = settings_.window;
  open.reply = reply_;
  say(open);
}

/// Messages under way in this session are ignored; the next session may begin at `retry_at`.
void MailReader::lose(Time retry_at) {
  if (phase_ == Phase::ended) return;
  phase_ = Phase::idle;
  token_ = 0;
  retried_ = 0;
  retry_at_ = retry_at;
}

void MailReader::end(const Error& reason) {
  phase_ = Phase::ended;
  token_ = 0;
  failure_ = reason;
}

bool MailReader::of_session(const Process& store, std::uint64_t token, Phase phase) const {
  return phase_ == phase && token == token_ && store == store_;
}

bool MailReader::on_opened(const Process& store, MailOpened opened, Time now) {
  if (!of_session(store, opened.token, Phase::asked)) return false;
  if (opened.status == Errc::busy) {
    pause_ = std::clamp<Time>(2 * pause_, kReaderRetryFirst, kReaderRetryLongest);
    lose(now + pause_);
    return true;
  }
  if (opened.status != Errc::ok) {
    end({opened.status, std::move(opened.detail)});
    return true;
  }
  phase_ = Phase::open;
  pause_ = Time{};
  patience_ = Time{};
  received_ = std::max(received_, opened.after);
  if (!opened_) taken_ = received_;
  opened_ = true;
  last_ = std::max({last_, opened.last, received_});
  for (MailAck& ack : pending_) {
    ack.token = token_;
    say(ack);
  }
  return true;
}

bool MailReader::on_items(const Process& store, MailItems items) {
  if (!of_session(store, items.token, Phase::open)) return false;
  for (MailItem& item : items.items) {
    if (item.number <= received_) continue;  // the store of no version of ours says it twice
    received_ = item.number;
    if (item.number == retried_) item.attempts = attempts_;
    last_ = std::max(last_, received_);
    items_.push_back({std::move(item), token_});
  }
  return true;
}

bool MailReader::on_attempts(const Process& store, const MailAttempts& attempts) {
  if (!of_session(store, attempts.token, Phase::open)) return false;
  retried_ = attempts.number;
  attempts_ = std::max<std::uint32_t>(attempts.attempts, 1);
  return true;
}

bool MailReader::on_acked(const Process& store, const MailAcked& acked) {
  if (!of_session(store, acked.token, Phase::open)) return false;
  if (pending_.empty()) return true;
  acked_ = std::max(acked_, std::min(acked.upto, pending_.back().upto));
  while (!pending_.empty() && pending_.front().upto <= acked_) pending_.pop_front();
  return true;
}

bool MailReader::on_refused(const Process& store, const MailRefused& refused) {
  if (!of_session(store, refused.token, Phase::open)) return false;
  std::erase_if(pending_, [&](const MailAck& ack) {
    return ack.upto == refused.upto && !ack.reject.empty();
  });
  return true;
}

bool MailReader::on_end(const Process& store, const MailEnd& ended, Time now) {
  // The record with which it began may be lost.
  if (!of_session(store, ended.token, Phase::open) &&
      !of_session(store, ended.token, Phase::asked)) {
    return false;
  }
  if (ended.reason == Errc::busy) {
    lose(now + kReaderRetryFirst);
  } else {
    end({ended.reason, ended.detail});
  }
  return true;
}

// --- the user's side -----------------------------------------------------------------------------

std::optional<MailItem> MailReader::take() {
  if (items_.empty()) return std::nullopt;
  Waiting next = std::move(items_.front());
  items_.pop_front();
  taken_ = next.item.number;
  if (next.token == token_ && phase_ == Phase::open) {
    consumed_ += mail_charge(next.item.body.size());
    // Half a window at a time: the other half keeps coming meanwhile.
    if (items_.empty() || consumed_ - reported_ >= settings_.window / 2) {
      reported_ = consumed_;
      say(MailConsumed{token_, consumed_});
    }
  }
  return std::move(next.item);
}

Result<> MailReader::acknowledge(std::uint64_t upto, const std::string& reject) {
  if (phase_ == Phase::ended) return failure_;
  if (settings_.target == PostTarget::log) {
    return Error{Errc::denied, "the readers of a log keep their own cursors"};
  }
  if (upto > taken_) {
    return Error{Errc::cursor_ahead, "message " + std::to_string(upto) + " was not read yet"};
  }
  if (upto <= settling()) return {};
  const bool merges = !pending_.empty() && pending_.back().reject.empty() && reject.empty();
  if (!merges && pending_.size() >= kMaxRejects) {
    return Error{Errc::would_block, std::to_string(kMaxRejects) + " rejections are under way"};
  }
  if (merges) pending_.pop_back();
  pending_.push_back({token_, upto, reject.substr(0, kMaxName)});
  if (phase_ == Phase::open) say(pending_.back());
  return {};
}

void MailReader::close(const Error& reason) {
  if (phase_ == Phase::open || phase_ == Phase::asked) say(MailEnd{token_, Errc::closed, {}});
  end(reason);
}

}  // namespace starbus::bus
