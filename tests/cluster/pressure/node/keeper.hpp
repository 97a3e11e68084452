/// How the tests of this folder speak with their nodes: one callable object each.
#pragma once

#include <functional>
#include <string>

#include "entity/rpc/rpc.hpp"
#include "tests/stream.hpp"

namespace starbus::cluster_test {

namespace rpc = entity::rpc;

class Keeper : public rpc::Callable<Keeper> {
 public:
  /// JSON: what the program says of itself.
  std::string report(rpc::Caller&) { return on_report(); }
  /// Whether it does what it is for, or rests.
  void work(rpc::Caller&, bool works) { on_work(works); }
  void note(rpc::Caller&, std::uint64_t number) { notes.got(number); }

  static constexpr auto kRpc =
      rpc::methods("test_keeper", rpc::method<&Keeper::report>("report"),
                   rpc::method<&Keeper::work>("work"), rpc::method<&Keeper::note>("note"));
  std::function<std::string()> on_report;
  std::function<void(bool)> on_work;
  Stream notes;
};
inline constexpr const char* kKeeper = "test/keeper";

}  // namespace starbus::cluster_test
