/// How the requests of a StoreDatabase become batches, and what their ends mean.
#include "base/unit_guard.hpp"
#include "nodes/db/store_database.hpp"

namespace starbus::nodes::db {

void StoreDatabase::flush() {
  if (batch_ || stopped_) return;
  if (waiting_.empty() && (catalogue_.building.empty() || build_rests_)) return;
  batch_ = std::make_unique<Running>();
  take_waiting();
  build();
}

void StoreDatabase::take_waiting() {
  while (!waiting_.empty() && batch_->items.size() < kBatchRequests) {
    batch_->items.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

/// All but the first `most` wait again, in front.
void StoreDatabase::put_back(std::size_t most) {
  while (batch_->items.size() > most) {
    waiting_.push_front(std::move(batch_->items.back()));
    batch_->items.pop_back();
  }
}

/// The batch of what was taken; again, with less, after a refusal.
void StoreDatabase::build() {
  if (batch_->refusing) put_back(kFullRequests);
  batch_->answers.clear();
  batch_->draft.emplace(store_, catalogue_, Memory{options_.request_age_ms, options_.requests},
                        options_.wall_ms());
  if (batch_->refusing) batch_->draft->refuse(*batch_->refusing, batch_->refuses_all);
  add_items();
  // Documents that cannot be read now are looked at again with the next request.
  if (!batch_->refusing && !build_rests_ && !batch_->draft->build()) build_rests_ = true;
  commit();
}

/// Items without room wait for the next batch; the first always has room.
void StoreDatabase::add_items() {
  for (std::size_t i = 0; i < batch_->items.size(); ++i) {
    if (i > 0 && batch_->draft->bytes() > kBatchBytes) return put_back(i);
    batch_->answers.push_back(batch_->items[i].run(*batch_->draft));
  }
}

void StoreDatabase::commit() {
  auto batch = batch_->draft->batch();
  const auto finish = [this, weak = std::weak_ptr(alive_)](const storage::Result<>& result) {
    // On the store's thread, or within a request: `this` is looked at on the owner's alone.
    executor_.run_later("documents are written", [this, weak, result] {
      if (!weak.expired()) finished(result);
    });
  };
  if (!batch) return finish(storage::Error(storage::Errc::would_block, batch.error().to_string()));
  if (batch->empty()) return finish({});
  if (batch_->refusing) {
    if (!batch->fits_reserve() && batch_->items.size() > 1) {
      put_back(batch_->items.size() / 2);
      return build();
    }
    batch->use_reserve();
  }
  ++counters_.batches;
  const auto taken = store_.commit(std::move(*batch), finish);
  if (!taken) finish(taken);
}

void StoreDatabase::finished(const storage::Result<>& result) {
  if (stopped_) return;
  if (result) return succeed();
  switch (result.error().code.in<storage::Errc>()) {
    case storage::Errc::io_error:
    case storage::Errc::corrupt:
    case storage::Errc::stopped:
    case storage::Errc::closed:
      return stop(result.error());
    default:
      return refuse(error_of(result.error()));
  }
}

/// Nothing of the batch was kept. First all that puts is refused, then all that writes; a batch
/// without either is empty, and cannot be.
void StoreDatabase::refuse(const Error& reason) {
  build_rests_ = true;
  batch_->refuses_all = batch_->refusing.has_value();
  batch_->refusing = reason;
  build();
}

void StoreDatabase::succeed() {
  batch_->draft->keep(catalogue_);
  std::vector<Answer> answers = std::move(batch_->answers);
  const std::vector<Item> items = std::move(batch_->items);
  batch_.reset();
  for (const Item& item : items) settle(item);
  flush();
  tell(std::move(answers));
}

void StoreDatabase::settle(const Item& item) {
  --unanswered_;
  waiting_bytes_ -= item.bytes;
  for (const std::string& key : item.keys) {
    const auto found = writing_.find(key);
    if (--found->second == 0) writing_.erase(found);
  }
}

void StoreDatabase::stop(const storage::Error& reason) {
  const bool unknown = reason == storage::Errc::io_error;
  const Errc after = reason == storage::Errc::closed ? Errc::closed : Errc::stopped;
  stopped_ = Error(after, reason.to_string());
  std::vector<Answer> answers;
  for (const Item& item : batch_->items) {
    settle(item);
    const bool in_doubt = unknown && item.writes;
    answers.push_back(
        item.refuse(in_doubt ? Error(Errc::outcome_unknown, reason.to_string()) : *stopped_));
  }
  for (const Item& item : waiting_) {
    settle(item);
    answers.push_back(item.refuse(*stopped_));
  }
  batch_.reset();
  waiting_.clear();
  tell(std::move(answers));
}

/// A callback may end this object, or bring new requests.
void StoreDatabase::tell(std::vector<Answer> answers) {
  const std::weak_ptr<char> weak = alive_;
  for (Answer& answer : answers) {
    if (weak.expired()) return;
    guarded(UnitKind::completion, "answer of the database", std::exchange(answer, nullptr));
  }
}

}  // namespace starbus::nodes::db
