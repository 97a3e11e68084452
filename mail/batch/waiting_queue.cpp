#include "mail/batch/waiting_queue.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "mail/limits.hpp"

namespace starbus::mail {

std::size_t message_size(const BatchItem& item) {
  const auto* const post = std::get_if<WaitingPost>(&item);
  return post ? post->message.size() : 0;
}

bool WaitingQueue::add_post(const StreamId& stream, std::uint64_t seq, ByteView message,
                            bool tombstone) {
  if (bytes_ != 0 && bytes_ + message.size() > kMailWaitingBytes) return false;
  bytes_ += message.size();
  WaitingPost post{stream,          seq, Bytes(message.begin(), message.end()), tombstone,
                   Errc::bad_bytes, {}};
  if (!tombstone) post.decoded = bus::decode_post(post.message);
  if (post.decoded) post.box = channel_id(post.decoded->head.name);
  items_.emplace_back(std::move(post));
  return true;
}

bool WaitingQueue::add_request(BatchItem item) {
  if (requests_ >= kMailWaitingRequests) return false;
  ++requests_;
  items_.push_back(std::move(item));
  return true;
}

std::vector<BatchItem> WaitingQueue::take() {
  std::vector<BatchItem> items;
  std::size_t bytes = 0;
  std::size_t taken = 0;
  items.reserve(std::min(items_.size() + readers_.count(), kBatchMessages));
  if (std::exchange(reader_first_, false)) (void)take_reader(items, taken);
  for (bool more = true; more;) {
    more = take_first(items, bytes);
    more = take_reader(items, taken) || more;
  }
  return items;
}

bool WaitingQueue::take_first(std::vector<BatchItem>& items, std::size_t& bytes) {
  if (items_.empty() || items.size() >= kBatchMessages) return false;
  const std::size_t size = message_size(items_.front());
  if (bytes != 0 && bytes + size > kBatchBytes) return false;
  bytes += size;
  assert(bytes_ >= size);
  bytes_ -= size;
  requests_ -= std::holds_alternative<WaitingPost>(items_.front()) ? 0 : 1;
  items.push_back(std::move(items_.front()));
  items_.pop_front();
  return true;
}

bool WaitingQueue::take_reader(std::vector<BatchItem>& items, std::size_t& taken) {
  if (taken >= kBatchRequests || items.size() >= kBatchMessages) return false;
  auto request = readers_.take();
  if (!request) return false;
  ++taken;
  std::visit([&](auto& one) { items.emplace_back(std::move(one)); }, *request);
  return true;
}

void WaitingQueue::put_back(std::vector<BatchItem>& items, std::size_t most) {
  const auto wait_again = [this]<class Item>(Item& item) {
    if constexpr (std::is_constructible_v<ReaderRequests::Request, Item>) {
      readers_.put_back(std::move(item));
    } else {
      if constexpr (std::is_same_v<Item, WaitingPost>) {
        bytes_ += item.message.size();
      } else {
        ++requests_;
      }
      items_.emplace_front(std::move(item));
    }
  };
  while (items.size() > most) {
    std::visit(wait_again, items.back());
    items.pop_back();
  }
}

void WaitingQueue::put_off(const Process& process) {
  readers_.give_turn(process);
  reader_first_ = true;
}

std::deque<BatchItem> WaitingQueue::take_all() {
  bytes_ = 0;
  requests_ = 0;
  return std::exchange(items_, {});
}

}  // namespace starbus::mail
