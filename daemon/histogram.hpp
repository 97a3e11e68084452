#pragma once

#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "daemon/metrics.hpp"

namespace starbus::daemon {

using Buckets = prometheus::Histogram::BucketBoundaries;

/// Seconds of a commit: from a good disk to one that is about to fail.
inline const Buckets& commit_buckets() {
  static const Buckets kBuckets = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02,
                                   0.05,   0.1,   0.2,   0.5,   1,    5};
  return kBuckets;
}

/// Belongs to the metrics, and lives as long; any thread may observe.
inline prometheus::Histogram& add_histogram(Metrics& metrics, const char* name, const char* help,
                                            const Buckets& buckets) {
  return prometheus::BuildHistogram()
      .Name(name)
      .Help(help)
      .Register(metrics.registry())
      .Add({}, buckets);
}

}  // namespace starbus::daemon
