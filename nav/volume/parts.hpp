/// Parts: what of a volume can be reached from where, by moves: the labels of all chunks, joined
/// over the faces between them. A change of a chunk looks at its six faces, and then at the list
/// of labels, of which a chunk has few; never at voxels elsewhere.
///
/// Owns its tables. Changes by one thread while no other one reads.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "nav/volume/sparse_octree.hpp"

namespace starbus::nav::volume {

class Parts {
 public:
  /// Of these chunks the labels have changed; of a tree whose extent is always the same.
  void update(const SparseOctree& tree, const std::vector<std::uint32_t>& chunks);

  /// The part that a cube which can be entered belongs to, by its chunk and its label; from 0. A
  /// name holds until the next change.
  std::uint32_t of(std::uint32_t chunk, std::uint32_t label) const {
    return parts_[firsts_[chunk] + label];
  }
  std::uint32_t count() const { return count_; }

 private:
  using Joint = std::pair<std::uint32_t, std::uint32_t>;  // labels on both sides of a face

  void join_face(const SparseOctree& tree, std::uint32_t chunk, Face face);
  std::uint32_t root(std::uint32_t label);

  std::vector<std::vector<Joint>> joints_;  ///< by chunk, three each: +x, +y, +z
  std::vector<std::uint32_t> firsts_;       ///< by chunk: its first one of parts_
  std::vector<std::uint32_t> parts_;        ///< by label of all chunks
  std::vector<std::uint32_t> parents_;      ///< scratch
  std::uint32_t count_ = 0;
};

}  // namespace starbus::nav::volume
