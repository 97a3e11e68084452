/// The targets that one observer's client knows, according to the batches sent to it. A gate keeps
/// one per session, or a client its own. It says which batches and changes belong to a numbering
/// that was
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
  /// stale: the batch's numbering was replaced; drop it. out_of_step: it renumbers or ends an
  /// unknown index, or enters a known one: an earlier batch is missing, and only a new numbering
  /// helps. Both change nothing.
  Result<> apply(const ObserverBatch& batch);

  /// 0: no batch was applied so far.
  std::uint32_t epoch() const { return epoch_; }
  /// The key of the target of a change with this epoch and index. stale: drop the change.
  /// out_of_step: the batch with the enter has not arrived, or that with the leave has.
  Result<std::uint64_t> target(std::uint32_t epoch, std::uint16_t index) const;
  std::size_t size() const { return known_.size(); }
  /// In order.
  std::vector<std::uint64_t> keys() const;

 private:
  using Known = boost::unordered_flat_map<std::uint16_t, std::uint64_t>;
  static Result<> change(Known& known, const ObserverBatch& batch);
  Result<Known> renumbered(const ReindexBatch& reindex) const;

  std::uint32_t epoch_ = 0;
  Known known_;  ///< keys by index
};

}  // namespace starbus::aoi
