/// Every bound of navmeshes, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nav::mesh {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_NAV_MESH_LIMITS(X)                                                                \
  X(kMaxObjBytes, 268'435'456, "bytes", "of a terrain's text", "too_large",                       \
    "MeshLimits.RefusesTextsBeyondKMaxObjBytes")                                                  \
  X(kMaxTriangles, 2'000'000, "triangles",                                                        \
    "of a terrain: 16 bytes each, and 4 for each tile that "                                      \
    "one touches",                                                                                \
    "too_many", "MeshLimits.RefusesMoreThanKMaxTriangles")                                        \
  X(kMaxFaceCorners, 32, "corners", "of a face, which becomes so many triangles", "corrupt",      \
    "Obj.SaysInWhichLineATextIsWrong")                                                            \
  X(kMaxMaterials, 4'096, "materials", "of a terrain: a name each", "too_many",                   \
    "MeshLimits.RefusesMoreThanKMaxMaterials")                                                    \
  X(kMaxCoordinate, 32'768, "metres", "from the origin: a float has steps of 4 mm there",         \
    "bad_position", "MeshLimits.RefusesPointsBeyondKMaxCoordinate")                               \
  X(kMaxTiles, 4'096, "tiles", "of a mesh: 12 bits of a polygon's reference", "too_many",         \
    "MeshLimits.RefusesMoreThanKMaxTiles")                                                        \
  X(kMaxTilePolygons, 1'024, "polygons", "of a tile: 10 bits of a polygon's reference",           \
    "too_many", "MeshLimits.RefusesMoreThanKMaxTilePolygons")                                     \
  X(kMaxPolygons, 400'000, "polygons",                                                            \
    "of a mesh: at most 18 ways out of each, within kMaxGraphEdges", "too_many",                  \
    "MeshLimits.RefusesMoreThanKMaxPolygons")                                                     \
  X(kMaxTileCells, 256, "cells", "along the side of a tile, without its border", "bad_option",    \
    "MeshLimits.RefusesOptionsBeyondTheirRanges")                                                 \
  X(kMaxHeightCells, 8'191, "cells", "of a terrain's height: 13 bits of a span", "too_large",     \
    "MeshLimits.RefusesTerrainsHigherThanKMaxHeightCells")                                        \
  X(kMaxColumnSpans, 62, "spans", "above each other on one cell: 6 bits of a neighbour's number", \
    "too_many", "MeshLimits.RefusesMoreThanKMaxColumnSpans")                                      \
  X(kMaxTileSpans, 1'048'576, "spans",                                                            \
    "of a tile with its border, while it is built: 17 bytes "                                     \
    "each",                                                                                       \
    "too_many", "MeshLimits.RefusesMoreThanKMaxTileSpans")                                        \
  X(kMaxVolumes, 4'096, "volumes", "of a bake: each is tried for each tile", "too_many",          \
    "MeshLimits.RefusesMoreThanKMaxVolumes")                                                      \
  X(kMaxVolumeCorners, 32, "corners", "of a volume", "too_many",                                  \
    "MeshLimits.RefusesMoreThanKMaxVolumeCorners")                                                \
  X(kMaxMeshBytes, 268'435'456, "bytes", "of a file of baked tiles; 1 km2 has a few million",     \
    "too_large", "MeshLimits.RefusesFilesBeyondKMaxMeshBytes")                                    \
  X(kMaxNear, 256, "metres", "the radius of random_point_near, which costs its square",           \
    "too_large", "MeshLimits.RefusesRadiiBeyondKMaxNear")

STARBUS_LIMITS_OF32(kLimits, STARBUS_NAV_MESH_LIMITS)

}  // namespace starbus::nav::mesh
