#pragma once

#include <functional>

#include "bus/core/error.hpp"

namespace starbus::bus {

/// The completion of an asynchronous operation of this library: called once, on a later turn of
/// the loop, with the result.
template <class T = void>
using Done = std::function<void(Result<T>)>;

}  // namespace starbus::bus
