/// A Front with clients, all on the thread of the test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nodes/gate/net/front.hpp"
#include "tests/nodes/gate/net/client.hpp"

namespace starbus::nodes::gate::net::test {

/// The answer of a Front that refuses: its kind and its reason.
inline std::string refusal(CloseReason reason) {
  return {73, static_cast<char>(reason)};
}

class OneFront : public ::testing::Test, public FrontHandler {
 protected:
  OneFront() {
    std::string folder = (std::filesystem::temp_directory_path() / "gateXXXXXX").string();
    folder_ = ::mkdtemp(folder.data());
    settings_.limits.connections = 1'000;                    // as many files as any system allows
    settings_.limits.close_time = std::chrono::seconds(20);  // no test waits for it unasked
  }
  ~OneFront() override {
    front_.reset();
    std::filesystem::remove_all(folder_);
  }

  /// Bare TCP on any port of 127.0.0.1; the settings may be changed before start().
  ListenerSettings& listen(bool tls = false, bool websocket = false) {
    ListenerSettings listener;
    listener.address = *parse_address("127.0.0.1:0");
    listener.tls = tls;
    listener.websocket = websocket;
    if (tls) listener.files = make_certificate(folder_, "first");
    settings_.listeners.push_back(listener);
    return settings_.listeners.back();
  }
  void start() {
    front_ = std::make_unique<Front>(loop_, settings_, *this, limited_);
    const auto started = front_->start();
    ASSERT_TRUE(started) << started.error().to_string();
  }
  Client& connect(std::size_t listener = 0) {
    clients_.push_back(std::make_unique<Client>(front_->addresses()[listener]));
    EXPECT_TRUE(clients_.back()->is_connected());
    return *clients_.back();
  }
  /// Runs the loop and the clients until `done`; false after a minute.
  template <class Done>
  bool until(Done&& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (;;) {
      for (const auto& client : clients_) {
        if (client->descriptor() >= 0) client->go_on(client.get() != deaf_);
      }
      if (done()) return true;
      if (std::chrono::steady_clock::now() > end) return false;
      if (loop_.poll() == 0) loop_.run_one_for(std::chrono::milliseconds(1));
    }
  }
  bool until_frame(Client& client, const std::string& wanted) {
    std::string frame;
    return until([&] {
      if (frame.empty()) frame = client.take_frame();
      return frame == wanted || (!frame.empty() && frame.starts_with(wanted));
    });
  }
  /// It gets a Closed of this reason, and the end.
  bool until_refused(Client& client, CloseReason reason) {
    return until([&] { return client.has_ended(); }) &&
           client.in().find(refusal(reason)) != std::string::npos;
  }
  std::uint64_t ended(Ending ending) const { return front_->counters().of(ending); }
  ConnectionId last_opened() const { return opened_.empty() ? 0 : opened_.back(); }
  static Body body(std::string_view text) {
    const bus::ByteView view = bus::as_bytes(text);
    return std::make_shared<const bus::Bytes>(view.begin(), view.end());
  }

  void on_open(ConnectionId connection, const Arrival& arrival) override {
    opened_.push_back(connection);
    arrivals_[connection] = arrival;
  }
  void on_frame(ConnectionId connection, bus::ByteView frame) override {
    ++frames_;
    last_frame_ = bus::as_text(frame);
    if (on_each_frame_) on_each_frame_(connection);
    if (echoes_) front_->send(connection, std::make_shared<bus::Bytes>(frame.begin(), frame.end()));
  }
  void on_closed(ConnectionId connection, Ending ending) override {
    EXPECT_TRUE(closed_.emplace(connection, ending).second) << "told twice";
  }
  bus::Bytes farewell(const Closed& closed) override {
    bus::Bytes bytes{std::byte{73}, static_cast<std::byte>(closed.reason), std::byte{0}};
    bytes.push_back(static_cast<std::byte>(closed.text.size()));
    const bus::ByteView text = bus::as_bytes(closed.text);
    bytes.insert(bytes.end(), text.begin(), text.end());
    return bytes;
  }

  std::filesystem::path folder_;
  boost::asio::io_context loop_;
  daemon::RateLimited limited_;
  FrontSettings settings_;
  std::unique_ptr<Front> front_;
  std::vector<std::unique_ptr<Client>> clients_;
  Client* deaf_ = nullptr;  // takes nothing
  bool echoes_ = true;
  std::function<void(ConnectionId)> on_each_frame_;
  std::vector<ConnectionId> opened_;
  std::map<ConnectionId, Arrival> arrivals_;
  std::map<ConnectionId, Ending> closed_;
  std::uint64_t frames_ = 0;
  std::string last_frame_;
};

}  // namespace starbus::nodes::gate::net::test
