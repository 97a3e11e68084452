#include "storage/measured_store.hpp"

#include <chrono>
#include <utility>

namespace starbus::storage {

MeasuredStore::MeasuredStore(Store& store, Measured measured)
    : store_(store), measured_(std::move(measured)) {}

Result<> MeasuredStore::commit(Batch batch, Completion done) {
  if (!measured_) return store_.commit(std::move(batch), std::move(done));
  const auto begin = std::chrono::steady_clock::now();
  Commit commit{0, batch.operations(), batch.bytes(), false};
  return store_.commit(
      std::move(batch), [this, begin, commit, done = std::move(done)](const Result<>& result) {
        Commit measured = commit;
        measured.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        measured.durable = result.has_value();
        measured_(measured);
        done(result);
      });
}

}  // namespace starbus::storage
