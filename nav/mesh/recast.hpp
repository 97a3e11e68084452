/// Values of Recast that are owned. For the files that call it.
#pragma once

#include <Recast.h>
#include <RecastAlloc.h>

#include <memory>

namespace starbus::nav::mesh {

/// Frees what Recast has made.
template <class Value, void (*Free)(Value*)>
struct Freed {
  void operator()(Value* value) const { Free(value); }
};
template <class Value, void (*Free)(Value*)>
using Owned = std::unique_ptr<Value, Freed<Value, Free>>;
using OwnedField = Owned<rcCompactHeightfield, rcFreeCompactHeightfield>;

}  // namespace starbus::nav::mesh
