#include "nodes/gate/net/ws_upgrade.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/status.hpp>

#include "base/base64.hpp"
#include "nodes/gate/net/limits.hpp"

namespace starbus::nodes::gate::net {
namespace {

namespace http = boost::beast::http;
using Request = http::request<http::empty_body>;

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kKeySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t kKeyBytes = 16;

std::string_view text_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

std::string accept_key(std::string_view key) {
  const std::string text = std::string(key).append(kKeySuffix);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  return to_base64({reinterpret_cast<const char*>(digest.data()), size});
}

bool equal_without_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(x) == lower(y);
  });
}

/// Without its port: pages of a host come from another port than its gate.
std::string_view host_of(std::string_view text) {
  const std::size_t port = text.rfind(':');
  const std::size_t bracket = text.rfind(']');
  const bool has_port =
      port != std::string_view::npos && (bracket == std::string_view::npos || bracket < port);
  return text.substr(0, has_port ? port : text.size());
}

/// An origin is scheme://host[:port].
bool may_come(std::string_view origin, std::string_view host, const UpgradeRules& rules) {
  if (rules.origins.empty()) {
    const std::size_t scheme = origin.find("://");
    return scheme != std::string_view::npos && !host.empty() &&
           equal_without_case(host_of(origin.substr(scheme + 3)), host_of(host));
  }
  return std::ranges::any_of(rules.origins, [&](const std::string& allowed) {
    return allowed == "*" || equal_without_case(allowed, origin);
  });
}

bool names(const Request& request, http::field field, std::string_view token) {
  return http::token_list(request[field]).exists({token.data(), token.size()});
}

UpgradeAnswer judge(const Request& request, const UpgradeRules& rules) {
  const std::string_view target = text_of(request.target());
  if (target.substr(0, target.find('?')) != rules.path) {
    return refuse_upgrade(404, "another path");
  }
  if (request.method() != http::verb::get || request.version() != 11 ||
      !names(request, http::field::connection, "upgrade") ||
      !names(request, http::field::upgrade, "websocket")) {
    return refuse_upgrade(426, "no upgrade to a WebSocket");
  }
  if (text_of(request[http::field::sec_websocket_version]) != "13") {
    return refuse_upgrade(426, "another version of WebSocket");
  }
  for (const http::field once : {http::field::origin, http::field::host}) {
    if (request.count(once) > 1) return refuse_upgrade(400, "a field twice");
  }
  if (request.count(http::field::origin) > 0 &&
      !may_come(text_of(request[http::field::origin]), text_of(request[http::field::host]),
                rules)) {
    return refuse_upgrade(403, "an origin that is not allowed");
  }
  const std::string_view key = text_of(request[http::field::sec_websocket_key]);
  const auto bytes = from_base64(key);
  if (!bytes || bytes->size() != kKeyBytes) return refuse_upgrade(400, "a malformed key");
  return {101,
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          "Sec-WebSocket-Accept: " +
              accept_key(key) + "\r\n\r\n",
          {}};
}

}  // namespace

std::size_t size_of_request(bus::ByteView bytes, std::size_t seen) {
  const std::string_view text = bus::as_text(bytes);
  const std::size_t from = seen < kEndOfHead.size() ? 0 : seen - kEndOfHead.size() + 1;
  const std::size_t at = text.find(kEndOfHead, from);
  return at == std::string_view::npos ? 0 : at + kEndOfHead.size();
}

UpgradeAnswer answer_upgrade(std::string_view request, const UpgradeRules& rules) {
  http::request_parser<http::empty_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(kUpgradeBytes));
  boost::beast::error_code error;
  parser.put(boost::asio::buffer(request.data(), request.size()), error);
  if (error || !parser.is_done()) return refuse_upgrade(400, "not a request without a body");
  return judge(parser.get(), rules);
}

UpgradeAnswer refuse_upgrade(unsigned status, std::string_view problem) {
  const auto reason = http::obsolete_reason(http::int_to_status(status));
  std::string response = "HTTP/1.1 " + std::to_string(status) + " ";
  response.append(reason.data(), reason.size());
  response.append("\r\nConnection: close\r\nContent-Length: 0\r\n");
  if (status == 426) response.append("Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
  if (status == 429 || status == 503) response.append("Retry-After: 5\r\n");
  response.append("\r\n");
  return {status, std::move(response), problem};
}

}  // namespace starbus::nodes::gate::net
