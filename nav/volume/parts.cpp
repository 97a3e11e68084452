#include "nav/volume/parts.hpp"

#include <algorithm>
#include <array>

namespace starbus::nav::volume {
namespace {

constexpr std::array<Face, 3> kForward{0, 1, 4};

// The number of the chunk that lies before one along an axis; nothing at the border.
bool chunk_before(const Chunks& chunks, std::uint32_t chunk, std::size_t axis,
                  std::uint32_t& before) {
  const std::uint32_t step = axis == 0 ? 1 : axis == 1 ? chunks.x : chunks.x * chunks.y;
  const std::uint32_t number = axis == 0   ? chunk % chunks.x
                               : axis == 1 ? chunk / chunks.x % chunks.y
                                           : chunk / chunks.x / chunks.y;
  before = chunk - step;
  return number != 0;
}

}  // namespace

void Parts::update(const SparseOctree& tree, const std::vector<std::uint32_t>& chunks) {
  const std::uint32_t count = tree.chunks().count();
  joints_.resize(std::size_t{count} * 3);
  for (const std::uint32_t chunk : chunks) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      join_face(tree, chunk, kForward[axis]);
      std::uint32_t before;
      if (chunk_before(tree.chunks(), chunk, axis, before)) {
        join_face(tree, before, kForward[axis]);
      }
    }
  }
  firsts_.resize(count);
  std::uint32_t labels = 0;
  for (std::uint32_t chunk = 0; chunk < count; ++chunk) {
    firsts_[chunk] = labels;
    labels += tree.labels(chunk);
  }
  parents_.resize(labels);
  for (std::uint32_t label = 0; label < labels; ++label) parents_[label] = label;
  for (std::uint32_t chunk = 0; chunk < count; ++chunk) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint32_t step = axis == 0   ? 1
                                 : axis == 1 ? tree.chunks().x
                                             : tree.chunks().x * tree.chunks().y;
      for (const auto& [here, there] : joints_[std::size_t{chunk} * 3 + axis]) {
        const std::uint32_t a = root(firsts_[chunk] + here);
        const std::uint32_t b = root(firsts_[chunk + step] + there);
        parents_[std::max(a, b)] = std::min(a, b);
      }
    }
  }
  parts_.resize(labels);
  count_ = 0;
  for (std::uint32_t label = 0; label < labels; ++label) {
    const std::uint32_t of = root(label);
    parts_[label] = of == label ? count_++ : parts_[of];
  }
}

std::uint32_t Parts::root(std::uint32_t label) {
  while (parents_[label] != label) label = parents_[label] = parents_[parents_[label]];
  return label;
}

void Parts::join_face(const SparseOctree& tree, std::uint32_t chunk, Face face) {
  const std::size_t axis = face == 4 ? 2 : face;
  std::vector<Joint>& joints = joints_[std::size_t{chunk} * 3 + axis];
  joints.clear();
  if (tree.labels(chunk) == 0) return;
  const Block whole{tree.chunks().low(chunk), kChunkLevel, 0, 0};
  // Each cube beyond the face, and those before it that it touches.
  tree.each_neighbour(whole, face, [&](const Block& beyond, Voxel low, std::uint8_t level) {
    if (beyond.value == 0) return;
    const Face back = face == 4 ? Face{5} : static_cast<Face>(face + 2);
    const auto visit = [&](const Block& here, Voxel, std::uint8_t) {
      if (here.value != 0) joints.emplace_back(here.label, beyond.label);
    };
    tree.each_neighbour({low, level, 0, 0}, back, visit);
  });
  std::ranges::sort(joints);
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
}

}  // namespace starbus::nav::volume
