/// The numbers of a process' calls, which replies name: a keyed permutation of 1, 2, 3..., so that
/// a process that has seen some of them cannot guess another, and that this one can tell a reply
/// that comes late from a reply to a call that it never made.
///
/// A Feistel network of eight rounds over 64 bits (Luby and Rackoff, "How to construct pseudorandom
/// permutations", 1988), whose round function is AES-128. Sans-IO: the key comes from outside. One
/// thread. Throws std::runtime_error if OpenSSL has no AES.
#pragma once

#include <openssl/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace starbus::bus {

class CallNumbers {
 public:
  using Key = std::array<std::byte, 16>;
  explicit CallNumbers(const Key& key);

  /// The next number; never 0, never one twice.
  std::uint64_t next();
  /// Whether `next` has returned this number.
  bool has_drawn(std::uint64_t number) const;

 private:
  static constexpr std::size_t kBatch = 64;  // numbers made at once: a call of OpenSSL costs more
  struct Halves {
    std::uint32_t left = 0;
    std::uint32_t right = 0;
  };
  void permute(std::span<Halves> batch) const;
  std::uint64_t index_of(std::uint64_t number) const;
  /// XORs the round's function of each right half into the left one.
  void mix(std::uint8_t round, std::span<Halves> batch) const;

  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const;
  };
  std::unique_ptr<EVP_CIPHER_CTX, Free> cipher_;
  std::array<Halves, kBatch> batch_{};
  std::size_t unused_ = 0;   // numbers at the end of batch_ that next has not returned
  std::uint64_t drawn_ = 0;  // the index of the latest number
};

}  // namespace starbus::bus
