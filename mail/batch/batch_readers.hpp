#pragma once

#include "mail/batch/batch_boxes.hpp"
#include "mail/batch/mail_batch.hpp"
#include "mail/mail_state.hpp"
#include "mail/reader_requests.hpp"

namespace starbus::mail {

/// What new readers and acknowledgements do in a batch. Refuses a reader by a record to it, at once
/// or with the batch; errors of the disk end the session of one reader alone. Owns nothing; the
/// mail's thread only; blocks for disk reads.
class BatchReaders {
 public:
  BatchReaders(MailState& mail, BatchBoxes& boxes) : mail_(mail), boxes_(boxes) {}

  /// Answers a reader at once with its start, from durable rows: a login does not wait for the
  /// disk. No message is sent before the reader's epoch is durable, so an earlier owner that a
  /// crash lets in again cannot have received the same messages. The reader still sees what this
  /// batch erases. Opening a log changes nothing; if the log does not exist, the reader waits for
  /// its first message.
  void add(Opening& opening, MailBatch& batch);
  /// Sets MailBatch::put_off if it needs a batch of its own.
  void add(const Acknowledgement& acknowledgement, MailBatch& batch);

  /// Tells a reader that it is not opened, and why.
  void refuse(const Opening& opening, const Error& reason);

 private:
  void begin(const Opening& opening, const OpenShard& shard, std::uint64_t gone,
             std::uint64_t durable);

  MailState& mail_;
  BatchBoxes& boxes_;
};

}  // namespace starbus::mail
