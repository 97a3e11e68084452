/// What the link tests share: a loop with a time limit, recording handlers, a temporary directory.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/wire/bundle.hpp"
#include "bus/io/link.hpp"

namespace starbus::bus::io::test {

/// Removed with everything in it.
class TempDir {
 public:
  TempDir() : path_(std::filesystem::temp_directory_path() / "starbus-io-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp");
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// A bundle whose number and size are its content.
inline Bytes make_bundle(std::uint64_t number, std::size_t size = kBundleHeaderSize) {
  Bytes bundle(size, static_cast<std::byte>(number));
  seal_bundle(bundle, 7, number, 0);
  return bundle;
}

/// Counts and checks what arrives; reacts as told.
struct Recorder final : LinkHandler {
  std::uint64_t bundles = 0;
  std::uint64_t bytes = 0;
  std::uint64_t batches = 0;
  int closed = 0;
  Error reason;
  bool in_order = true;
  std::function<void(Link&, ByteView)> then;
  bool has_enough = false;
  bool must_wait = false;
  int pauses = 0;  // so often it takes only a part of the next bundle

  void on_bundle(Link& link, ByteView bundle) override {
    EXPECT_EQ(closed, 0);
    paused_ = pauses > 0;
    if (paused_) return void(--pauses);
    ++bundles;
    bytes += bundle.size();
    const auto header = decode_bundle_header(bundle);
    in_order = in_order && header && header->number == bundles;
    if (then) then(link, bundle);
  }
  void on_batch_end(Link&) override { ++batches; }
  bool has_turn(Link&) override { return !must_wait; }
  bool enough() override { return has_enough; }
  bool unfinished() override { return paused_; }
  void on_closed(Link&, const Error& error) override {
    ++closed;
    reason = error;
  }

 private:
  bool paused_ = false;
};

/// A loop, a listener for one scheme, and the links of both sides.
class Loop {
 public:
  /// Runs until `done` or the time limit; a test that waits longer has failed.
  bool run_until(const std::function<bool()>& done,
                 std::chrono::milliseconds limit = std::chrono::seconds(30)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!done()) {
      context.restart();
      const auto left = end - std::chrono::steady_clock::now();
      if (left <= left.zero()) return false;
      context.run_one_for(std::min<std::chrono::nanoseconds>(left, std::chrono::milliseconds(50)));
    }
    return true;
  }
  /// Lets everything happen that is about to happen, where the test is that nothing does.
  void settle(std::chrono::milliseconds time = std::chrono::milliseconds(100)) {
    run_until([] { return false; }, time);
  }

  Result<std::shared_ptr<Link>> connect_to(const std::string& endpoint,
                                           ConnectOptions options = {}) {
    bool done = false;
    Result<std::shared_ptr<Link>> outcome = Error{Errc::deadline, "the test waited too long"};
    const auto attempt = io::connect(context, endpoint, std::move(options), [&](auto result) {
      outcome = std::move(result);
      done = true;
    });
    run_until([&] { return done; }, std::chrono::seconds(10));
    return outcome;
  }

  boost::asio::io_context context{1};
};

/// Both ends of a session over one scheme, in one loop.
struct Pair {
  Loop loop;
  TempDir dir;
  std::unique_ptr<Listener> listener;
  std::vector<std::shared_ptr<Link>> accepted;
  std::vector<std::pair<std::string, Error>> refused;

  std::string address(const std::string& scheme) const {
    if (scheme == "unix" || scheme == "ipc") return scheme + "://" + dir.file("bus.sock");
    return scheme + "://127.0.0.1:0";
  }
  void listen(const std::string& scheme, ListenOptions options = {}) {
    options.on_refused = [this](const auto& who, const auto& why) {
      refused.emplace_back(who, why);
    };
    auto made = io::listen(loop.context, address(scheme), std::move(options),
                           [this](auto link) { accepted.push_back(std::move(link)); });
    ASSERT_TRUE(made) << made.error().to_string();
    listener = std::move(*made);
  }
  /// A connected link; its other end is accepted.back().
  std::shared_ptr<Link> connect(ConnectOptions options = {}) {
    const auto before = accepted.size();
    auto link = loop.connect_to(listener->endpoint(), std::move(options));
    EXPECT_TRUE(link) << link.error().to_string();
    EXPECT_TRUE(loop.run_until([&] { return accepted.size() > before; }));
    return link ? *link : nullptr;
  }
  ~Pair() {
    accepted.clear();
    listener.reset();
  }
};

}  // namespace starbus::bus::io::test
