/// What waits for the next batches of Mail: posts in their order with the requests of operators and
/// the findings of the sweeper between them, and the requests of readers. A batch takes from both
/// queues by turns, so that neither holds up the other. Bounded: `add` returns false if too much
/// waits. In memory only; the mail's thread.
#pragma once

#include <cassert>
#include <deque>
#include <vector>

#include "mail/batch/mail_batch.hpp"
#include "mail/reader_requests.hpp"
#include "mail/types.hpp"

namespace starbus::mail {

class WaitingQueue {
 public:
  /// False if the posts that wait have too many bytes. One post is always accepted.
  bool add_post(const StreamId& stream, std::uint64_t seq, ByteView message, bool tombstone);
  bool add(Sweeper::Found found) { return add_request(std::move(found)); }
  bool add(WaitingPurge purge) { return add_request(std::move(purge)); }
  ReaderRequests& readers() { return readers_; }
  bool empty() const { return items_.empty() && readers_.empty(); }

  /// Takes the items of the next batch.
  std::vector<BatchItem> take();
  /// Puts all items but the first `most` back to the front of the queues.
  void put_back(std::vector<BatchItem>& items, std::size_t most);
  /// The next batch begins with a request of this process, which was put back: after a post there
  /// would be no room for it again, as long as there are posts.
  void put_off(const Process& process);

  /// Drops posts whose stream `pick` chooses. Requests of readers are answered in their turn.
  template <class Pick>
  void forget_posts(Pick&& pick) {
    std::erase_if(items_, [&](const BatchItem& item) {
      const auto* const post = std::get_if<WaitingPost>(&item);
      if (!post || !pick(post->stream)) return false;
      assert(bytes_ >= post->message.size());
      bytes_ -= post->message.size();
      return true;
    });
  }
  /// Takes all that waits, but the requests of readers.
  std::deque<BatchItem> take_all();

 private:
  bool add_request(BatchItem item);
  bool take_first(std::vector<BatchItem>& items, std::size_t& bytes);
  bool take_reader(std::vector<BatchItem>& items, std::size_t& taken);

  std::deque<BatchItem> items_;
  std::size_t bytes_ = 0;     // of posts
  std::size_t requests_ = 0;  // in items_, and no posts
  ReaderRequests readers_;
  bool reader_first_ = false;  // see put_off
};

/// Bytes of the message of a post; 0 of any other item.
std::size_t message_size(const BatchItem& item);

}  // namespace starbus::mail
