#include "base/unit_guard.hpp"

#include <array>
#include <boost/core/demangle.hpp>
#include <new>

namespace starbus {

constinit thread_local ThrownSink* UnitGuard::sink_ = nullptr;

std::string_view name_of(UnitKind kind) {
  constexpr std::array<std::string_view, kUnitKinds> kNames = {
      "message",  "method", "coroutine", "completion", "timer", "closure", "tick",
      "listener", "hook",   "deadline",  "state",      "step",  "program", "handler"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string what_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "threw an object that is not a std::exception";
  }
}

std::string name_of_type(const std::type_info& type) {
  return boost::core::demangle(type.name());
}

ThrownSink::ThrownSink() : outer_(std::exchange(UnitGuard::sink_, this)) {}

ThrownSink::~ThrownSink() {
  ThrownSink** at = &UnitGuard::sink_;
  while (*at != nullptr && *at != this) at = &(*at)->outer_;
  if (*at != nullptr) *at = outer_;
}

bool UnitGuard::report(UnitKind kind, std::string_view place, std::string_view what) noexcept {
  if (sink_ == nullptr) return false;
  sink_->thrown(kind, place, what);
  return true;
}

void UnitGuard::caught(UnitKind kind, std::string_view place) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    report(kind, place, exception.what());
  } catch (...) {
    report(kind, place, "an object that is not a std::exception");
  }
}

}  // namespace starbus
