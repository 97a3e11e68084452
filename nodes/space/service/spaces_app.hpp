/// A node that may host the service of spaces: a ServiceApp with the type "space".
///
/// Its keys are of `[spaces]`, beside those of `[services]`; SIGHUP reads the files of types again.
/// Its admin server has `/spaces`, its metrics begin with starbus_space. Belongs to the loop's
/// thread. A program with services of its own adds them with ServiceApp::add().
#pragma once

#include "nodes/service/service_app.hpp"
#include "nodes/space/service/space_desk.hpp"
#include "nodes/space/service/spaces_settings.hpp"

namespace starbus::nodes::space {

class SpacesApp : public service::ServiceApp {
 public:
  SpacesApp();
  ~SpacesApp() override;

  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(Node& node) override;
  /// Types that are read without a problem are used from now on; the service goes on.
  bus::Result<> reload() override;

  const SpaceDesk& desk() const { return *desk_; }

 private:
  SpacesSettings fresh_;             // as configure() read them
  std::shared_ptr<SpaceDesk> desk_;  // shared with what makes the service
};

}  // namespace starbus::nodes::space
