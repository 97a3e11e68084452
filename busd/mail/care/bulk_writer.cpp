#include "busd/mail/care/bulk_writer.hpp"

#include <future>
#include <utility>

namespace starbus::bus::busd::mail {

storage::Result<> commit_and_wait(storage::Store& store, storage::Batch batch) {
  std::promise<storage::Result<>> promise;
  auto outcome = promise.get_future();
  const auto queued = store.commit(
      std::move(batch), [&promise](const storage::Result<>& result) { promise.set_value(result); });
  if (!queued) return queued.error();
  return outcome.get();
}

storage::Result<> BulkWriter::make_room(std::size_t bytes) {
  const bool full = batch_.operations() + 2 > kOperations || batch_.bytes() + bytes > kBytes;
  return full ? flush() : storage::Result<>();
}

storage::Result<> BulkWriter::put(std::string_view key, std::string_view value) {
  auto room = make_room(key.size() + value.size());
  if (room) batch_.put(key, value);
  return room;
}

storage::Result<> BulkWriter::put_together(const Row& first, const Row& second) {
  auto room =
      make_room(first.key.size() + first.value.size() + second.key.size() + second.value.size());
  if (!room) return room;
  batch_.put(first.key, first.value);
  batch_.put(second.key, second.value);
  return room;
}

storage::Result<> BulkWriter::erase(std::string_view key) {
  auto room = make_room(key.size());
  if (room) batch_.erase(key);
  return room;
}

storage::Result<> BulkWriter::flush() {
  if (batch_.empty()) return {};
  return commit_and_wait(store_, std::exchange(batch_, {}));
}

}  // namespace starbus::bus::busd::mail
