/// A whole node that hosts services, for programs that are nothing else:
///
///   int main(int argc, char** argv) {
///     auto app = std::make_unique<service::ServiceApp>();
///     app->add<Rank>("rank");
///     return nodes::run_node({.role = "service", .version = "1.0"}, std::move(app), argc, argv);
///   }
///
/// Its keys are of [services]: labels (strings), capacity (instances). Belongs to the loop's
/// thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nodes/service/service_host.hpp"

namespace starbus::nodes::service {

class ServiceApp : public App {
 public:
  /// As of ServiceHost, before run_node; what is wrong shows when the node starts.
  template <Hostable T>
  void add(std::string type,
           const TypeOptions& options = {}) requires std::constructible_from<T, Instance&> {
    additions_.emplace_back([type = std::move(type), options](ServiceHost& host, Node&) {
      return host.add<T>(type, options);
    });
  }
  /// For classes that need more of the node: `make(Instance&, Node&)` returns std::unique_ptr<T>.
  template <Hostable T, class Make>
  void add(std::string type, const TypeOptions& options, Make make) {
    additions_.emplace_back([type = std::move(type), options, make](ServiceHost& host, Node& node) {
      return host.add<T>(type, options,
                         [make, &node](Instance& instance) { return make(instance, node); });
    });
  }

  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(Node& node) override;
  std::string status() const override;

  /// From start() on.
  ServiceHost& host() { return *host_; }

 private:
  HostOptions options_;
  std::vector<std::function<Result<>(ServiceHost&, Node&)>> additions_;
  std::optional<ServiceHost> host_;
};

}  // namespace starbus::nodes::service
