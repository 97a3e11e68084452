/// The role `login`: finds out who players are, for gates. docs/operate/login.md.
///
/// Its keys are of `[login]`. Belongs to the loop's thread.
#pragma once

#include <memory>
#include <string>

#include "nodes/login/node/login_settings.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::login {

struct LoginParts;

class LoginApp : public App {
 public:
  LoginApp();
  ~LoginApp() override;

  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(Node& node) override;
  bus::Result<> reload() override;
  std::string status() const override;

 private:
  LoginSettings fresh_;  // as configure() read them
  std::unique_ptr<LoginParts> parts_;
};

}  // namespace starbus::nodes::login
