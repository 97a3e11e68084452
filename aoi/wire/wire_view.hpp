/// What one observer's client knows, by the batches that it was told. A gate keeps one per session,
/// or a client its own: it says which batches and changes are of a numbering that has been
/// replaced, and whether one is missing. Owns its memory, at most kMaxWireIndex entries; one
/// thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "aoi/error.hpp"
#include "aoi/wire/wire.hpp"

namespace starbus::aoi {

class WireView {
 public:
  /// stale: its numbering has been replaced; drop it. out_of_step: it renumbers or ends what is not
  /// known, or begins what is: a batch before it is missing, and only a new numbering helps. Both
  /// change nothing.
  Result<> apply(const ObserverBatch& batch);

  /// 0: nothing was told yet.
  std::uint32_t epoch() const { return epoch_; }
  /// Whom a change with this epoch and index is about: the key. stale: drop it. out_of_step: the
  /// batch with its enter has not come yet, or its leave has.
  Result<std::uint64_t> target(std::uint32_t epoch, std::uint16_t index) const;
  std::size_t size() const { return known_.size(); }
  /// In order.
  std::vector<std::uint64_t> keys() const;

 private:
  using Known = boost::unordered_flat_map<std::uint16_t, std::uint64_t>;
  Result<Known> renumbered(const ReindexBatch& reindex) const;

  std::uint32_t epoch_ = 0;
  Known known_;  ///< keys by index
};

}  // namespace starbus::aoi
