// Errors as values for the benchmark: what failed, in words for the person who runs it.
#pragma once

#include <boost/system/result.hpp>
#include <string>
#include <utility>

namespace starbus::bench {

// Not an aggregate: a Result<std::string> must see which of the two a string is meant to be.
struct Failure {
  Failure() = default;
  std::string what;
};

template <class T>
using Result = boost::system::result<T, Failure>;

inline Failure fail(std::string what) {
  Failure failure;
  failure.what = std::move(what);
  return failure;
}

}  // namespace starbus::bench
