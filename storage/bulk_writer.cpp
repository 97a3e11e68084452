#include "storage/bulk_writer.hpp"

#include <future>
#include <utility>

namespace starbus::storage {

Result<> commit_and_wait(Store& store, Batch batch) {
  std::promise<Result<>> promise;
  auto outcome = promise.get_future();
  const auto queued = store.commit(
      std::move(batch), [&promise](const Result<>& result) { promise.set_value(result); });
  if (!queued) return queued.error();
  return outcome.get();
}

Result<> BulkWriter::make_room(std::size_t bytes) {
  const bool full = batch_.operations() + 2 > kOperations || batch_.bytes() + bytes > kBytes;
  return full ? flush() : Result<>();
}

Result<> BulkWriter::put(std::string_view key, std::string_view value) {
  auto room = make_room(key.size() + value.size());
  if (room) batch_.put(key, value);
  return room;
}

Result<> BulkWriter::put_together(const Row& first, const Row& second) {
  auto room =
      make_room(first.key.size() + first.value.size() + second.key.size() + second.value.size());
  if (!room) return room;
  batch_.put(first.key, first.value);
  batch_.put(second.key, second.value);
  return room;
}

Result<> BulkWriter::erase(std::string_view key) {
  auto room = make_room(key.size());
  if (room) batch_.erase(key);
  return room;
}

Result<> BulkWriter::flush() {
  if (batch_.empty()) return {};
  return commit_and_wait(store_, std::exchange(batch_, {}));
}

}  // namespace starbus::storage
