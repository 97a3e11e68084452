/// The request, the response and the stream of a route of the admin server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/core/wire/admin_role.hpp"

namespace starbus::daemon {

/// Path and query are percent-decoded: they may hold any byte, so check names before use.
struct Request {
  std::string method;  // GET or POST; HEAD arrives as GET
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
  std::string body;
  bus::AdminRole role = bus::AdminRole::none;  // of the caller; the route's own need is checked

  /// The first parameter of that name.
  std::optional<std::string> parameter(std::string_view name) const;
  std::string parameter_or(std::string_view name, std::string_view fallback) const;
  /// nullopt if it is present and not a decimal number of 64 bits. See Response::no_number.
  std::optional<std::uint64_t> number_or(std::string_view name, std::uint64_t fallback) const;
};

/// The answer of a route: a status of HTTP and a body.
struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  // further ones

  /// Text that is not UTF-8 is shown with U+FFFD: names come from peers.
  static Response json(const nlohmann::json& value, unsigned status = 200);
  static Response text(std::string body, unsigned status = 200);
  /// {"error": message}
  static Response error(unsigned status, std::string_view message);
  /// 400, for this parameter.
  static Response no_number(std::string_view name);
};

/// The answer of an asynchronous route: call it once, on the thread of the loop, when the answer is
/// known. Later calls, and calls after the client left, do nothing.
using Reply = std::function<void(Response)>;

/// An endless response to one client, line by line (`bustop tail`). The route keeps it and writes;
/// the response ends when the last owner drops it. Belongs to the thread of the loop. Memory is
/// bounded: for a client that reads too slowly lines are skipped, and it is told how many by a line
/// {"skipped":N}.
class Stream {
 public:
  /// Bytes that wait for the client; a line beyond them is skipped.
  static constexpr std::size_t kMaxBuffered = 256 * 1024;

  struct State;  // shared with the connection
  explicit Stream(std::shared_ptr<State> state);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  /// Adds a newline. False if the line was skipped or the client has left.
  bool write(std::string_view line);
  /// Ends the response after what is buffered.
  void close();
  bool is_open() const;
  /// Called once, from the loop, when the client goes away; not after close().
  void on_close(std::function<void()> handler);

  /// Bytes that the client has not taken yet.
  std::size_t buffered() const;
  std::uint64_t skipped() const;  // in total

 private:
  std::shared_ptr<State> state_;
};

/// Both parts of "/path?a=1&b=x%20y". nullopt for a target that does not begin with '/' or has a
/// malformed escape.
struct Target {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
};
std::optional<Target> parse_target(std::string_view target);
/// Encodes all but letters, digits and -._~ as %XX: for the values of a query.
std::string percent_encode(std::string_view text);

}  // namespace starbus::daemon
