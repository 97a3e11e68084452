#pragma once

#include "mail/batch/batch_boxes.hpp"
#include "mail/batch/mail_batch.hpp"
#include "mail/mail_state.hpp"
#include "mail/sweeper.hpp"

namespace starbus::mail {

/// What a batch erases besides acknowledged messages and the excess of logs: by age, and by an
/// operator. Skips what has changed since it was found, and what cannot be read. Owns nothing; the
/// mail's thread only; blocks for disk reads.
class BatchErasing {
 public:
  BatchErasing(MailState& mail, BatchBoxes& boxes) : mail_(mail), boxes_(boxes) {}

  /// What the sweeper has found and nothing has changed since; the rest waits for its next round.
  void add(const Sweeper::Found& found, MailBatch& batch);
  /// `done` follows with the batch: no_owner if there is no such box here, or an error of the disk.
  void add(const WaitingPurge& purge, MailBatch& batch);

 private:
  void age(const Sweeper::Aged& aged, MailBatch& batch);

  MailState& mail_;
  BatchBoxes& boxes_;
};

}  // namespace starbus::mail
