/// Builds the batches of Mail: what each item does, then the rows that the items share (boxes,
/// keys, streams, shards). Items without room go back to the queue; the first item always has room,
/// so each batch gets on. Does not commit. Owns the parts that know one kind of item each; the
/// mail's thread only; blocks for disk reads.
#pragma once

#include <vector>

#include "mail/batch/batch_boxes.hpp"
#include "mail/batch/batch_erasing.hpp"
#include "mail/batch/batch_posts.hpp"
#include "mail/batch/batch_readers.hpp"
#include "mail/batch/mail_batch.hpp"
#include "mail/batch/waiting_queue.hpp"
#include "mail/mail_state.hpp"

namespace starbus::mail {

class BatchBuilder {
 public:
  BatchBuilder(MailState& mail, WaitingQueue& queue)
      : mail_(mail),
        queue_(queue),
        boxes_(mail),
        posts_(mail, boxes_),
        readers_(mail, boxes_),
        erasing_(mail, boxes_) {}

  /// Builds the batch of these items, with what else must be written: lineages of shards, void
  /// rows. `refusing`: stores no message, and notes the refusals instead, in few bytes. Its rows
  /// may be none: then there is nothing to wait for. Discards no earlier changes of BoxCache: call
  /// its `keep` or `drop` first.
  MailBatch build(std::vector<BatchItem> items, bool refusing);

  BatchReaders& readers() { return readers_; }

 private:
  void add_items(MailBatch& batch);
  void add(const WaitingPost& post, MailBatch& batch) { posts_.add(post, batch); }
  void add(Opening& opening, MailBatch& batch) { readers_.add(opening, batch); }
  void add(const Acknowledgement& ack, MailBatch& batch) { readers_.add(ack, batch); }
  void add(const Sweeper::Found& found, MailBatch& batch) { erasing_.add(found, batch); }
  void add(const WaitingPurge& purge, MailBatch& batch) { erasing_.add(purge, batch); }
  void note_changes(MailBatch& batch) const;

  MailState& mail_;
  WaitingQueue& queue_;
  BatchBoxes boxes_;
  BatchPosts posts_;
  BatchReaders readers_;
  BatchErasing erasing_;
};

}  // namespace starbus::mail
