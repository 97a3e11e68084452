/// The 16-bit numbers by which one observer's client knows the targets it sees. Dense: the smallest
/// number that is free and has rested is given next. A freed number rests for the world's
/// quarantine after the update that reports the leave, so that a packet under way cannot meet its
/// successor. Numbers begin at 1. One word for each number so far, which says whose it is or until
/// when it rests; in a crowd also a table by target. Belongs to the world's thread; owns its
/// memory.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>

#include "aoi/scene.hpp"

namespace starbus::aoi {

class Numbering {
 public:
  /// Gives the target, which has no number, the next one. Returns 0 if all are in use or resting.
  std::uint16_t take(EntityIndex target, std::uint64_t update);
  /// Takes the target's number from it, and returns it; 0 if it has none. `told`: the update that
  /// reports the leave.
  std::uint16_t give_back(EntityIndex target, std::uint64_t told, std::uint32_t quarantine);
  /// 0: the target has none.
  std::uint16_t of(EntityIndex target) const;
  std::uint16_t in_use() const { return in_use_; }
  /// visitor(target, number) for each target, by number.
  template <class Visitor>
  void each(const Visitor& visitor) const {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if ((slots_[i] & kInUse) != 0)
        visitor(slots_[i] & ~kInUse, static_cast<std::uint16_t>(i + 1));
    }
  }
  const void* memory_to_fetch() const { return slots_.get(); }
  /// Bytes outside of the object.
  std::uint64_t memory() const;

  // Numberings' own, here because there is one for each numbering.
  std::uint32_t sensor = 0;  ///< SensorId
  std::uint32_t epoch = 0;   ///< 0: no numbering
  std::uint32_t group = 0;   ///< SensorOptions::group

 private:
  static constexpr std::uint32_t kInUse = 1u << 31;
  static constexpr std::uint32_t kFew = 48;  ///< in use: these are found by a scan
  using ByTarget = boost::unordered_flat_map<EntityIndex, std::uint16_t>;

  static bool rests(std::uint32_t slot, std::uint32_t now);
  std::uint32_t place_of(EntityIndex target) const;
  void grow();

  /// By number - 1: kInUse and the target, or the update from which it is free, in 31 bits. One
  /// that nobody looks at for 2^30 updates rests longer.
  std::unique_ptr<std::uint32_t[]> slots_;
  std::unique_ptr<ByTarget> by_target_;  ///< null: few are in use
  std::uint32_t looked_at_ = 0;          ///< the update at which first_ was right
  std::uint16_t first_ = 0;              ///< no number below has rested
  std::uint16_t size_ = 0;
  std::uint16_t capacity_ = 0;
  std::uint16_t in_use_ = 0;
};

}  // namespace starbus::aoi
