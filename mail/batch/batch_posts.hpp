#pragma once

#include <cstdint>
#include <string_view>

#include "mail/batch/batch_boxes.hpp"
#include "mail/batch/mail_batch.hpp"
#include "mail/mail_state.hpp"

namespace starbus::mail {

/// What posts do in a batch: each is stored under the next number of its box, or refused, and its
/// result goes to its stream. A refusal is a result like any other, on the disk before it is sent.
/// Owns nothing; the mail's thread only; blocks for disk reads.
class BatchPosts {
 public:
  BatchPosts(MailState& mail, BatchBoxes& boxes) : mail_(mail), boxes_(boxes) {}

  /// Ignores a post to a shard that was closed since.
  void add(const WaitingPost& post, MailBatch& batch);

 private:
  Result<std::uint64_t> store(OpenShard& shard, const WaitingPost& post, MailBatch& batch,
                              PostLimit& limit);
  PostLimit limit_of(const bus::PostHead& head, const BoxRow& row, std::size_t size) const;

  MailState& mail_;
  BatchBoxes& boxes_;
};

}  // namespace starbus::mail
