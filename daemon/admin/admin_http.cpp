#include "daemon/admin/admin_http.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/numbers.hpp"
#include "daemon/admin/admin_stream.hpp"

namespace starbus::daemon {
namespace {

enum class Part { path, query };

// nullopt for a '%' without two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text, Part part) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && part == Part::query) {
      decoded.push_back(' ');
    } else if (text[i] != '%') {
      decoded.push_back(text[i]);
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto byte = parse_number<unsigned char>(text.substr(i + 1, 2), 16);
      if (!byte) return std::nullopt;
      decoded.push_back(static_cast<char>(*byte));
      i += 2;
    }
  }
  return decoded;
}

std::string_view word_of(unsigned status) {
  switch (status) {
    case 400:
      return "bad_request";
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 405:
      return "method_not_allowed";
    case 413:
      return "too_large";
    case 422:
      return "refused";
    case 503:
      return "busy";
    case 504:
      return "deadline";
    case 505:
      return "version_not_supported";
    default:
      return "internal";
  }
}

}  // namespace

std::optional<std::string> Request::parameter(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::string Request::parameter_or(std::string_view name, std::string_view fallback) const {
  return parameter(name).value_or(std::string(fallback));
}

std::optional<std::uint64_t> Request::number_or(std::string_view name,
                                                std::uint64_t fallback) const {
  const auto text = parameter(name);
  return text ? parse_number<std::uint64_t>(*text) : fallback;
}

Response Response::json(const nlohmann::json& value, unsigned status) {
  std::string body = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return {status, "application/json", body + "\n"};
}

Response Response::text(std::string body, unsigned status) {
  return {status, "text/plain; charset=utf-8", std::move(body)};
}

Response Response::error(unsigned status, std::string_view message) {
  return json({{"error", word_of(status)}, {"detail", message}}, status);
}

Response Response::no_number(std::string_view name) {
  return error(400, std::string(name) + ": not a decimal number");
}

std::optional<Target> parse_target(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  const auto path = percent_decode(target.substr(0, mark), Part::path);
  if (!path) return std::nullopt;
  Target parsed{*path, {}};
  std::string_view rest = mark == std::string_view::npos ? "" : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    auto name = percent_decode(pair.substr(0, equals), Part::query);
    auto decoded = percent_decode(value, Part::query);
    if (!name || !decoded) return std::nullopt;
    parsed.query.emplace_back(std::move(*name), std::move(*decoded));
  }
  return parsed;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos) {
      encoded.push_back(c);
    } else {
      encoded.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return encoded;
}

Stream::Stream(std::shared_ptr<State> state) : state_(std::move(state)) {}
Stream::~Stream() {
  close();
}
bool Stream::write(std::string_view line) {
  return state_->write(line);
}
void Stream::close() {
  state_->end();
}
bool Stream::is_open() const {
  return state_->is_open();
}
void Stream::on_close(std::function<void()> handler) {
  state_->on_close = std::move(handler);
}
std::size_t Stream::buffered() const {
  return state_->buffer.size();
}
std::uint64_t Stream::skipped() const {
  return state_->skipped;
}

bool Stream::State::write(std::string_view line) {
  thread.check();
  if (!is_open()) return false;
  // Room for the note itself is part of the bound: it is written before the first line after a gap.
  constexpr std::size_t kNote = 48;
  if (buffer.size() + line.size() + 1 + kNote > kMaxBuffered) {
    ++skipped;
    ++skipped_since_note;
    return false;
  }
  note_skipped();
  buffer.append(line).push_back('\n');
  wake();
  return true;
}

void Stream::State::note_skipped() {
  if (skipped_since_note == 0) return;
  buffer.append("{\"skipped\":").append(std::to_string(skipped_since_note)).append("}\n");
  skipped_since_note = 0;
}

void Stream::State::end() {
  if (!is_open()) return;
  ended = true;
  // The handler may own the stream, and so this state: it is destroyed last.
  const auto handler = std::exchange(on_close, nullptr);
  wake();
}

void Stream::State::client_left() {
  if (!std::exchange(gone, true) && on_close) std::exchange(on_close, nullptr)();
}

}  // namespace starbus::daemon
