/// A busd's admin socket with canned documents, on a thread of its own, and bustop run against it.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "daemon/admin/admin_server.hpp"
#include "tests/daemon/support.hpp"
#include "tests/tools/samples.hpp"
#include "tools/bustop/cli.hpp"

namespace starbus::bustop::test {

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

/// Runs bustop in this process, as main() would.
inline Ran run(
    std::vector<std::string> arguments, const std::string& admin,
    const std::function<void()>& between = [] {}) {
  std::ostringstream out;
  std::ostringstream err;
  const Environment environment{out,   err, admin,
                                false, 0,   [&](std::chrono::milliseconds) { between(); }};
  const int code = run_bustop(arguments, environment);
  return {code, out.str(), err.str()};
}

class FakeDaemon {
 public:
  FakeDaemon() {
    auto listening = daemon::AdminServer::listen(loop_, {.socket = folder_.path() / "admin.sock"});
    if (!listening) throw std::runtime_error(listening.error().to_string());
    server_ = std::move(*listening);
    for (const char* path :
         {"/status", "/links", "/topology", "/names", "/route", "/failures", "/trace"}) {
      server_->get(path, daemon::AdminRole::observe,
                   [this](const daemon::Request& r) { return answer(r); });
    }
    server_->get("/at/", daemon::AdminRole::observe,
                 [this](const daemon::Request& r) { return answer(r); });
    server_->stream("/tail", daemon::AdminRole::read,
                    [this](const daemon::Request&, const std::shared_ptr<daemon::Stream>& stream) {
                      for (const std::string& line : tail) stream->write(line);
                      stream->close();
                      return std::nullopt;
                    });
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~FakeDaemon() {
    std::promise<void> closed;
    boost::asio::post(loop_, [&] {
      server_.reset();
      closed.set_value();
    });
    closed.get_future().wait();
    work_.reset();
    thread_.join();
  }

  std::string url() const { return server_->socket(); }

  /// Makes another path answer what is set for it. Before the first run.
  void serve(const std::string& path) {
    in_the_loop([&] {
      server_->get(path, daemon::AdminRole::observe,
                   [this](const daemon::Request& r) { return answer(r); });
    });
  }
  /// The same for changes: POST.
  void take(const std::string& path) {
    in_the_loop(
        [&] { server_->post(path, [this](const daemon::Request& r) { return answer(r); }); });
  }
  /// What a path answers; a path that is not set answers 404, as a broken daemon's might.
  void set(const std::string& path, std::string body, unsigned status = 200) {
    const std::lock_guard lock(mutex_);
    documents_[path] = {status, std::move(body)};
  }
  /// The cluster of samples.hpp, seen from host a.
  void set_cluster() {
    set("/status", kStatusA);
    set("/links", kLinksA);
    set("/topology", kTopologyA);
    set("/at/root/status", kStatusRoot);
    set("/at/root/links", kLinksRoot);
    set("/at/root/topology", kTopologyRoot);
    set("/at/b/status", kStatusB);
    set("/at/b/links", kLinksB);
    set("/at/b/topology", kTopologyB);
    set("/failures", R"({"failures":[]})");
    set("/at/root/failures", R"({"failures":[]})");
    set("/at/b/failures", R"({"failures":[]})");
  }
  /// The targets asked for so far, with their queries decoded.
  std::vector<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

  std::vector<std::string> tail;  // set before the first run

 private:
  void in_the_loop(const std::function<void()>& action) {
    std::promise<void> done;
    boost::asio::post(loop_, [&] {
      action();
      done.set_value();
    });
    done.get_future().wait();
  }
  struct Document {
    unsigned status;
    std::string body;
  };

  daemon::Response answer(const daemon::Request& request) {
    const std::lock_guard lock(mutex_);
    std::string target = request.path;
    for (const auto& [name, value] : request.query) target += " " + name + "=" + value;
    asked_.push_back(target);
    const auto found = documents_.find(request.path);
    if (found == documents_.end()) return daemon::Response::error(404, "unreachable");
    daemon::Response response;
    response.status = found->second.status;
    response.body = found->second.body;
    return response;
  }

  daemon::test::TempFolder folder_;
  boost::asio::io_context loop_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      loop_.get_executor()};
  std::unique_ptr<daemon::AdminServer> server_;
  std::mutex mutex_;
  std::map<std::string, Document> documents_;
  std::vector<std::string> asked_;
  std::thread thread_;
};

}  // namespace starbus::bustop::test
