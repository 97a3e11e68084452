#include "bus/core/wire/name.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "base/hex.hpp"
#include "bus/core/bytes.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/utf8.hpp"

namespace starbus::bus {
namespace {

constexpr std::string_view kProcessPrefix = "process/";

/// The channel of process HOST.NODE; nullopt if `process` is not of that form.
std::optional<ChannelId> channel_of_process(std::string_view process) {
  const std::size_t dot = process.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return Process{host_id(process.substr(0, dot)), slot_id(process.substr(dot + 1)), 0}.channel();
}

std::array<std::byte, 32> sha256(std::string_view text) {
  // Looking the algorithm up, and making a context, cost more than the digest of a name.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  std::array<std::byte, 32> digest{};
  const bool done =
      EVP_DigestInit_ex2(context.get(), algorithm, nullptr) == 1 &&
      EVP_DigestUpdate(context.get(), text.data(), text.size()) == 1 &&
      EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) ==
          1;
  // A name without its id could reach another channel.
  if (!done) throw std::runtime_error("OpenSSL has no SHA-256");
  return digest;
}

std::uint32_t hash32(std::string_view text) {
  return load<std::uint32_t>(sha256(text).data());
}

Result<> check_text(std::string_view text) {
  if (text.size() > kMaxName) {
    return Error{Errc::bad_name, std::to_string(text.size()) + " bytes; at most 255 are allowed"};
  }
  while (!text.empty()) {
    const std::size_t size = utf8_sequence(text);
    if (size == 0) return Error{Errc::bad_name, "not UTF-8"};
    const auto lead = static_cast<unsigned char>(text[0]);
    const bool c1_control = lead == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    if (lead < 0x20 || lead == 0x7f || c1_control) {
      return Error{Errc::bad_name, "holds a control character"};
    }
    text.remove_prefix(size);
  }
  return {};
}

}  // namespace

std::string_view name_of(Lane lane) {
  constexpr std::string_view kNames[] = {"control", "call", "sync", "bulk"};
  return kNames[static_cast<std::size_t>(lane)];
}

std::string ChannelId::to_string() const {
  return hex_of(high) + hex_of(low);
}

std::string Epoch::to_string() const {
  return std::to_string(term()) + "." + std::to_string(n());
}

std::uint32_t host_id(std::string_view host_name) {
  return hash32(host_name);
}
std::uint32_t slot_id(std::string_view node_name) {
  return hash32(node_name);
}

Result<> check_channel_name(std::string_view name) {
  if (name.empty()) return Error{Errc::bad_name, "empty"};
  if (auto text = check_text(name); !text) return text;
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == name.size()) {
    return Error{Errc::bad_name, "not of the form kind/name: '" + std::string(name) + "'"};
  }
  return {};
}

Result<> check_prefix(std::string_view prefix) {
  // A prefix may end inside a character; then the name that it belongs to is checked instead.
  while (!prefix.empty() && !check_text(prefix) && prefix.size() <= kMaxName &&
         static_cast<unsigned char>(prefix.back()) >= 0x80) {
    prefix.remove_suffix(1);
  }
  return check_text(prefix);
}

Result<> check_node_name(std::string_view name) {
  const bool characters = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  if (name.empty() || name.size() > 100 || !characters) {
    return Error{Errc::bad_name,
                 "'" + std::string(name.substr(0, 100)) +
                     "': host and node names are 1..100 characters of a-z A-Z 0-9 _ -"};
  }
  return {};
}

bool matches_any(const std::vector<std::string>& prefixes, std::string_view name) {
  return std::ranges::any_of(prefixes,
                             [&](const auto& prefix) { return name.starts_with(prefix); });
}

ChannelId channel_id(std::string_view name) {
  if (name.starts_with(kProcessPrefix)) {
    if (const auto channel = channel_of_process(name.substr(kProcessPrefix.size()))) {
      return *channel;
    }
  }
  const auto digest = sha256(name);
  return {load<std::uint64_t>(digest.data()), load<std::uint64_t>(digest.data() + 8)};
}

std::string process_channel_name(std::string_view host, std::string_view node) {
  std::string name = "process/";
  return name.append(host).append(".").append(node);
}
std::string server_channel_name(std::string_view host, std::string_view node) {
  return std::string(kServerPrefix).append(host).append(".").append(node);
}

bool is_own_name(std::string_view name) {
  return name.starts_with("process/") || name.starts_with(kServerPrefix);
}

bool is_own_name_of(std::string_view name, std::string_view host, std::string_view node) {
  return name == process_channel_name(host, node) || name == server_channel_name(host, node);
}

std::optional<ChannelId> holder_for_life(std::string_view name) {
  for (const std::string_view prefix : {kProcessPrefix, kServerPrefix, kGatePrefix}) {
    if (name.starts_with(prefix)) return channel_of_process(name.substr(prefix.size()));
  }
  return std::nullopt;
}

std::string host_of_process(std::string_view process) {
  return std::string(process.substr(0, process.find('.')));
}

bool is_shared_name(std::string_view name) {
  return name.starts_with("service/") && name.find('#') == std::string_view::npos;
}

bool is_group_name(std::string_view name) {
  return name.starts_with("group/") && name.find('#') == std::string_view::npos;
}

Result<Name> Name::of(std::string_view text) {
  if (auto checked = check_channel_name(text); !checked) return checked.error();
  return Name(std::string(text), channel_id(text));
}

}  // namespace starbus::bus
