#include "nodes/service/service_app.hpp"

#include "nodes/service/limits.hpp"

namespace starbus::nodes::service {

void ServiceApp::configure(daemon::ConfigReader& reader) {
  daemon::ConfigReader services = reader.table("services");
  options_.labels = services.strings("labels");
  if (options_.labels.size() > kMaxLabels) {
    services.problem("labels", "'labels': more than " + std::to_string(kMaxLabels));
  }
  for (const std::string& label : options_.labels) {
    const auto checked = check_label(label);
    if (!checked) services.problem("labels", "'labels': " + checked.error().detail);
  }
  options_.capacity = services.integer<std::uint32_t>("capacity", kMaxHosted, 1, kMaxHosted);
}

bus::Result<> ServiceApp::start(Node& node) {
  host_.emplace(node.rpc(), node.timers(), options_);
  for (const auto& addition : additions_) {
    if (const auto added = addition(*host_, node); !added) {
      return bus::Error(bus::Errc::bad_config, added.error().to_string());
    }
  }
  return host_->join(node);
}

std::string ServiceApp::status() const {
  if (!host_) return {};
  return std::to_string(host_->describe().instances.size()) + " instances of services";
}

}  // namespace starbus::nodes::service
