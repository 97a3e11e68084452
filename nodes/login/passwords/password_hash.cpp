#include "nodes/login/passwords/password_hash.hpp"

#include <argon2.h>
#include <openssl/rand.h>

#include <array>
#include <charconv>
#include <optional>

#include "nodes/login/passwords/limits.hpp"

namespace starbus::nodes::login {
namespace {

constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;
constexpr std::string_view kHashForm = "$argon2id$v=19$";

Error bad_hash(const std::string& what) {
  return {Errc::bad_hash, "password hash: " + what};
}

Result<> check(const HashCost& cost) {
  if (cost.lanes < 1 || cost.lanes > kHashLanes || cost.passes < 1 || cost.passes > kHashPasses ||
      cost.memory_kib < 8 * cost.lanes || cost.memory_kib > kHashMemory) {
    return bad_hash("its cost is out of bounds; set the password anew");
  }
  return {};
}

/// "m=19456," -> 19456, and what follows.
std::optional<std::uint32_t> take_number(std::string_view& text, std::string_view name, char end) {
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  std::uint32_t number = 0;
  const auto [at, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto used = static_cast<std::size_t>(at - text.data());
  if (failure != std::errc() || used == text.size() || *at != end) return std::nullopt;
  text.remove_prefix(used + 1);
  return number;
}

}  // namespace

Result<std::string> hash_password(std::string_view password, const HashCost& cost) {
  if (auto checked = check(cost); !checked) return checked.error();
  std::array<unsigned char, kSaltBytes> salt{};
  if (RAND_bytes(salt.data(), static_cast<int>(salt.size())) != 1) {
    return bad_hash("the system has no random bytes");
  }
  std::array<char, kHashText> text{};
  const int code = argon2id_hash_encoded(cost.passes, cost.memory_kib, cost.lanes, password.data(),
                                         password.size(), salt.data(), salt.size(), kHashBytes,
                                         text.data(), text.size());
  if (code != ARGON2_OK) return bad_hash(argon2_error_message(code));
  return std::string(text.data());
}

Result<HashCost> cost_of(std::string_view hash) {
  if (hash.size() > kHashText || !hash.starts_with(kHashForm)) {
    return bad_hash("not of Argon2id; set the password anew");
  }
  std::string_view rest = hash.substr(kHashForm.size());
  const auto memory = take_number(rest, "m=", ',');
  const auto passes = memory ? take_number(rest, "t=", ',') : std::nullopt;
  const auto lanes = passes ? take_number(rest, "p=", '$') : std::nullopt;
  if (!lanes) return bad_hash("malformed; set the password anew");
  const HashCost cost{*memory, *passes, *lanes};
  if (auto checked = check(cost); !checked) return checked.error();
  return cost;
}

Result<bool> is_password(const std::string& hash, std::string_view password) {
  if (const auto cost = cost_of(hash); !cost) return cost.error();
  const int code = argon2id_verify(hash.c_str(), password.data(), password.size());
  if (code == ARGON2_OK) return true;
  if (code == ARGON2_VERIFY_MISMATCH) return false;
  return bad_hash(argon2_error_message(code));
}

bool is_cheaper(const HashCost& stored, const HashCost& wanted) {
  return stored.memory_kib < wanted.memory_kib || stored.passes < wanted.passes ||
         stored.lanes < wanted.lanes;
}

}  // namespace starbus::nodes::login
