#include "nodes/login/verify/http_mapping.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/hex.hpp"
#include "nodes/login/verify/limits.hpp"

namespace starbus::nodes::login {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kPlaces[] = {"{ticket}", "{ticket_hex}", "{ticket_url}"};
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

Error bad_mapping(const std::string& what) {
  return {Errc::bad_mapping, "verifier: " + what};
}

/// Letters, digits and `kept` stay; other bytes become %XX: two texts never become one.
std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || kept.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHexDigits[byte >> 4];
    out += kHexDigits[byte & 15];
  }
  return out;
}

std::string filled(std::string_view form, bus::ByteView ticket) {
  const std::string_view text = bus::as_text(ticket);
  const std::string values[] = {std::string(text), hex_of(text), escaped(text, "-_.~")};
  std::string out;
  while (!form.empty()) {
    bool found = false;
    for (std::size_t i = 0; i < std::size(kPlaces) && !found; ++i) {
      found = form.starts_with(kPlaces[i]);
      if (!found) continue;
      out += values[i];
      form.remove_prefix(kPlaces[i].size());
    }
    if (found) continue;
    out += form.front();
    form.remove_prefix(1);
  }
  return out;
}

bool is_line(std::string_view text, bool blanks) {
  return std::all_of(text.begin(), text.end(),
                     [blanks](char c) { return (c > ' ' && c < 0x7f) || (blanks && c == ' '); });
}

/// A text, or an integer as text.
std::optional<std::string> value_at(const Json& answer, std::string_view path) {
  const Json* at = &answer;
  while (true) {
    const std::size_t dot = path.find('.');
    if (!at->is_object()) return std::nullopt;
    const auto found = at->find(std::string(path.substr(0, dot)));
    if (found == at->end()) return std::nullopt;
    at = &*found;
    if (dot == std::string_view::npos) break;
    path.remove_prefix(dot + 1);
  }
  if (at->is_string()) return at->get<std::string>();
  if (at->is_number_integer()) return at->dump();
  if (at->is_boolean()) return std::string(at->get<bool>() ? "true" : "false");
  return std::nullopt;
}

Verdict failure(const char* text) {
  return {Verdict::Kind::later, {}, text};
}

}  // namespace

Result<HttpUrl> parse_url(const std::string& url) {
  HttpUrl parsed;
  parsed.tls = url.starts_with("https://");
  if (!parsed.tls && !url.starts_with("http://")) {
    return bad_mapping("url: is none; give https://host/path");  // it may have a key in it
  }
  const std::size_t begin = parsed.tls ? 8 : 7;
  const std::size_t slash = url.find('/', begin);
  const std::string place = url.substr(begin, slash - begin);
  const std::size_t colon = place.rfind(':');
  parsed.host = place.substr(0, colon);
  parsed.port = colon == std::string::npos ? (parsed.tls ? "443" : "80") : place.substr(colon + 1);
  parsed.target = slash == std::string::npos ? "/" : url.substr(slash);
  const bool digits = std::all_of(parsed.port.begin(), parsed.port.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  if (parsed.host.empty() || parsed.port.empty() || !digits || !is_line(parsed.host, false) ||
      parsed.host.find_first_of("{}@[]?#") != std::string::npos || !is_line(parsed.target, false)) {
    return bad_mapping("url: is none; give https://host/path");  // it may have a key in it
  }
  return parsed;
}

Result<> check_mapping(const HttpMapping& mapping) {
  if (auto url = parse_url(mapping.url); !url) return url.error();
  if (mapping.account.empty()) return bad_mapping("no account; say where the answer has it");
  if (mapping.prefix.find(':') == std::string::npos || mapping.prefix.size() > kExternalName / 2 ||
      escaped(mapping.prefix, ":-_.") != mapping.prefix) {
    return bad_mapping("prefix '" + mapping.prefix + "'; give a short one with ':', as \"shop:\"");
  }
  std::string all = mapping.url + mapping.body;
  for (const auto& [name, value] : mapping.headers) {
    if (name.empty() || !is_line(name, false)) return bad_mapping("header '" + name + "' is none");
    all += value;
  }
  const auto has = [&](std::string_view place) { return all.find(place) != std::string::npos; };
  if (std::none_of(std::begin(kPlaces), std::end(kPlaces), has)) {
    return bad_mapping(
        "the ticket is said nowhere; put {ticket} into a header, the body or the url");
  }
  return {};
}

Result<HttpQuestion> question_of(const HttpMapping& mapping, const HttpUrl& url,
                                 bus::ByteView ticket) {
  HttpQuestion question;
  question.get = mapping.get;
  question.target = filled(url.target, ticket);
  question.body = filled(mapping.body, ticket);
  question.body_type = mapping.body_type;
  bool plain = is_line(question.target, false);
  for (const auto& [name, value] : mapping.headers) {
    question.headers.emplace_back(name, filled(value, ticket));
    plain = plain && is_line(question.headers.back().second, true);
  }
  if (ticket.empty() || !plain) {
    return Error(Errc::malformed, "ticket: has bytes that cannot be asked for; log in again");
  }
  return question;
}

Verdict verdict_of(const HttpMapping& mapping, const HttpAnswer& answer) {
  const Verdict wrong{Verdict::Kind::wrong, {}, {}};
  if (answer.status == 400 || answer.status == 401 || answer.status == 403) return wrong;
  if (answer.status != 200) return failure("the server of accounts does not answer now");
  const Json json = Json::parse(answer.body, nullptr, false);
  if (!json.is_object()) return failure("the server of accounts does not answer as expected");
  for (const auto& [path, value] : mapping.required) {
    if (value_at(json, path) != value) return wrong;
  }
  const auto account = value_at(json, mapping.account);
  if (!account || account->empty()) return wrong;
  const std::string name = mapping.prefix + escaped(*account, "-_.");
  if (name.size() > kExternalName) return failure("the name of the account is too long here");
  return {Verdict::Kind::right, name, {}};
}

}  // namespace starbus::nodes::login
