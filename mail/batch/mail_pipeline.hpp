/// One batch of Mail at a time: takes what waits, has it built, commits it, and sends its outcome.
/// A disk that is full gets the refusals instead; if it does not take these either, all senders and
/// readers must try again later. After any other error the store has stopped: the pipeline drops
/// what waits, and takes nothing until `go_on`.
///
/// The mail's thread only; the store calls back on another one, from which MailShell::post leads
/// here. Owns the batch that is under way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/loop_thread.hpp"
#include "mail/batch/batch_builder.hpp"
#include "mail/batch/mail_batch.hpp"
#include "mail/batch/waiting_queue.hpp"
#include "mail/mail_state.hpp"

namespace starbus::mail {

class MailPipeline {
 public:
  MailPipeline(MailState& mail, WaitingQueue& queue)
      : mail_(mail), queue_(queue), builder_(mail, queue) {}

  /// Begins a batch, if none is under way and something waits.
  void flush();
  /// Call when a commit of other code finds that the store has stopped.
  void store_stopped(const storage::Error& reason);
  void go_on() { stopped_ = false; }

  bool stopped() const { return stopped_; }
  bool idle() const { return !batch_; }
  /// Numbers of the latest batch begun, and of the latest batch ended; equal between batches.
  std::uint64_t begun() const { return begun_; }
  std::uint64_t ended() const { return batch_ ? begun_ - 1 : begun_; }
  /// The latest message of a stream in the batch that is under way; 0 if none.
  std::uint64_t under_way(const StreamId& stream) const;

 private:
  void build(std::vector<BatchItem> items, bool refusing);
  void commit();
  void finished(const storage::Result<>& result);
  void succeed();
  void open_shards(const std::vector<std::uint8_t>& numbers);
  void keep_streams(const MailBatch& done);
  void tell(const MailBatch& done);
  void give_back();
  void stop(const storage::Error& reason);

  const LoopThread thread_;
  MailState& mail_;
  WaitingQueue& queue_;
  BatchBuilder builder_;
  std::optional<MailBatch> batch_;
  std::uint64_t begun_ = 0;  // batches
  bool stopped_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::mail
