/// How a ticket becomes a question to a server over HTTP, and its answer a verdict: by
/// configuration, so that OpenID Connect and shops with tickets need no code. Pure; any thread.
///
///   OpenID Connect     .url = "https://accounts.example.com/userinfo",
///                      .headers = {{"Authorization", "Bearer {ticket}"}},
///                      .account = "sub", .prefix = "oidc:"
///   tickets of Steam   .url = "https://partner.steam-api.com/ISteamUserAuth/"
///                             "AuthenticateUserTicket/v1/?key=KEY&appid=480&ticket={ticket_hex}",
///                      .get = true, .account = "response.params.steamid", .prefix = "steam:",
///                      .required = {{"response.params.result", "OK"}}
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/core/bytes.hpp"
#include "nodes/login/core/admission.hpp"

namespace starbus::nodes::login {

/// In a template, {ticket} is the proof as text, {ticket_hex} as hexadecimal digits, and
/// {ticket_url} as text that is escaped for a form or an address.
struct HttpMapping {
  std::string url{};  // a template after the host; https, or http within one's own walls
  bool get = false;   // else POST
  std::vector<std::pair<std::string, std::string>> headers{};  // names, and templates
  std::string body{};                                          // a template
  std::string body_type = "application/x-www-form-urlencoded";
  std::string account{};  // where the answer has the account: keys of objects, with dots between
  std::string prefix{};   // of the account's name here; with a ':', so that no typed name has it
  std::vector<std::pair<std::string, std::string>> required{};  // and what must be there besides
};

/// The parts of an address.
struct HttpUrl {
  bool tls = true;
  std::string host{};
  std::string port{};
  std::string target{};  // a template
};
/// What is said to the server.
struct HttpQuestion {
  bool get = false;
  std::string target{};
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
  std::string body_type{};
};
/// What the server says, of at most kHttpAnswer.
struct HttpAnswer {
  unsigned status = 0;
  std::string body{};
};

/// "https://host[:port]/target". Errors: bad_mapping.
Result<HttpUrl> parse_url(const std::string& url);
/// Errors: bad_mapping (a part is missing, or a template has a place that there is not).
Result<> check_mapping(const HttpMapping& mapping);
/// Errors: malformed: the ticket has bytes that a header or an address cannot carry.
Result<HttpQuestion> question_of(const HttpMapping& mapping, const HttpUrl& url,
                                 bus::ByteView ticket);
/// `wrong` for 400, 401 and 403, and for an answer without what is required; `later` for any other
/// status and for what is no JSON: those are failures of the server or of the mapping.
Verdict verdict_of(const HttpMapping& mapping, const HttpAnswer& answer);

}  // namespace starbus::nodes::login
