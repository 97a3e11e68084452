/// Sources of admin API documents. Thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "daemon/admin/http_client.hpp"
#include "tools/cluster/model.hpp"

namespace starbus::bustop {

/// One daemon's admin API. Errors: as of daemon::HttpClient.
class AdminSource {
 public:
  virtual ~AdminSource() = default;
  virtual Result<std::string> get(const std::string& target) const = 0;
  virtual Result<std::string> post(const std::string& target) const = 0;
  /// Until `on_line` returns false or the daemon ends the stream.
  virtual Result<> stream(const std::string& target,
                          const std::function<bool(std::string_view line)>& on_line) const = 0;
};

class HttpSource final : public AdminSource {
 public:
  explicit HttpSource(daemon::HttpClient client) : client_(std::move(client)) {}
  Result<std::string> get(const std::string& target) const override { return client_.get(target); }
  Result<std::string> post(const std::string& target) const override {
    return client_.post(target, "");
  }
  Result<> stream(const std::string& target,
                  const std::function<bool(std::string_view line)>& on_line) const override {
    return client_.stream(target, on_line);
  }

 private:
  daemon::HttpClient client_;
};

}  // namespace starbus::bustop
