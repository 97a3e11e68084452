/// Argon2id of passwords (libargon2). The text has its own parameters and salt, in the usual form:
/// $argon2id$v=19$m=19456,t=2,p=1$SALT$HASH. Blocks for tens of milliseconds and takes
/// `memory_kib`: call it on a worker (hashing.hpp). Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nodes/login/error.hpp"

namespace starbus::nodes::login {

/// What a guess costs. The defaults are OWASP's: about 25 ms of a processor.
struct HashCost {
  std::uint32_t memory_kib = 19'456;  // 8 * lanes .. kHashMemory
  std::uint32_t passes = 2;           // 1 .. kHashPasses
  std::uint32_t lanes = 1;            // 1 .. kHashLanes
  friend bool operator==(const HashCost&, const HashCost&) = default;
};

/// With a fresh salt. Errors: bad_hash (the cost is out of its bounds, or no memory).
Result<std::string> hash_password(std::string_view password, const HashCost& cost);
/// The cost of a stored hash. Errors: bad_hash.
Result<HashCost> cost_of(std::string_view hash);
/// Whether it is the password; compares in constant time. Errors: bad_hash.
Result<bool> is_password(const std::string& hash, std::string_view password);
/// Whether a stored hash is cheaper in any way than new ones.
bool is_cheaper(const HashCost& stored, const HashCost& wanted);

}  // namespace starbus::nodes::login
