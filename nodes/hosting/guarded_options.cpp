#include "nodes/hosting/guarded_options.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/unit_guard.hpp"

namespace starbus::nodes::entities {
namespace {

/// A store that throws has failed as in an outage, and is tried again, or its caller asks again. If
/// it had done its work, that does no harm: the second answer is to nobody.
constexpr const char* kStoreThrew = "the store threw";
using LoadDone = std::function<void(bus::Result<std::optional<bus::Bytes>>)>;

}  // namespace

HostOptions guarded_options(HostOptions options, GuardedSink& sink) {
  if (options.sink != nullptr) options.sink = &sink;
  const auto guard = [](auto&& call) {
    return guarded(UnitKind::hook, "the store of entities", call);
  };
  if (options.save) {
    options.save = [guard, save = std::move(options.save)](SavedEntity entity, Done done) {
      if (guard([&] { save(std::move(entity), done); })) return;
      done(bus::Error(bus::Errc::io_error, kStoreThrew));
    };
  }
  if (options.load) {
    options.load = [guard, load = std::move(options.load)](std::string type, std::string id,
                                                           LoadDone done) {
      if (guard([&] { load(std::move(type), std::move(id), done); })) return;
      done(bus::Error(bus::Errc::io_error, kStoreThrew));
    };
  }
  return options;
}

}  // namespace starbus::nodes::entities
