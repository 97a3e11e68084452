#include "bus/core/ends/call_numbers.hpp"

#include <openssl/evp.h>

#include <stdexcept>
#include <utility>

#include "bus/core/bytes.hpp"

namespace starbus::bus {
namespace {

constexpr std::uint8_t kRounds = 8;
constexpr std::size_t kBlock = 16;  // bytes of AES

std::uint64_t joined(std::uint32_t left, std::uint32_t right) {
  return std::uint64_t{left} << 32 | right;
}

}  // namespace

void CallNumbers::Free::operator()(EVP_CIPHER_CTX* context) const {
  EVP_CIPHER_CTX_free(context);
}

CallNumbers::CallNumbers(const Key& key) : cipher_(EVP_CIPHER_CTX_new()) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(key.data());
  const bool ready =
      cipher_ &&
      EVP_EncryptInit_ex2(cipher_.get(), EVP_aes_128_ecb(), bytes, nullptr, nullptr) == 1 &&
      EVP_CIPHER_CTX_set_padding(cipher_.get(), 0) == 1;
  if (!ready) throw std::runtime_error("OpenSSL has no AES-128");
}

std::uint64_t CallNumbers::next() {
  for (;;) {
    if (unused_ == 0) {
      for (std::size_t i = 0; i < kBatch; ++i) {
        const std::uint64_t index = drawn_ + 1 + i;
        batch_[i] = {static_cast<std::uint32_t>(index >> 32), static_cast<std::uint32_t>(index)};
      }
      permute(batch_);
      unused_ = kBatch;
    }
    const Halves halves = batch_[kBatch - unused_--];
    ++drawn_;
    const std::uint64_t number = joined(halves.left, halves.right);
    if (number != 0) return number;
  }
}

bool CallNumbers::has_drawn(std::uint64_t number) const {
  const std::uint64_t index = index_of(number);
  return number != 0 && index != 0 && index <= drawn_;
}

void CallNumbers::permute(std::span<Halves> batch) const {
  for (std::uint8_t round = 0; round < kRounds; ++round) {
    mix(round, batch);
    for (Halves& halves : batch) std::swap(halves.left, halves.right);
  }
}

std::uint64_t CallNumbers::index_of(std::uint64_t number) const {
  Halves halves{static_cast<std::uint32_t>(number >> 32), static_cast<std::uint32_t>(number)};
  for (std::uint8_t round = kRounds; round-- > 0;) {
    std::swap(halves.left, halves.right);
    mix(round, std::span(&halves, 1));
  }
  return joined(halves.left, halves.right);
}

void CallNumbers::mix(std::uint8_t round, std::span<Halves> batch) const {
  std::array<std::byte, kBatch * kBlock> blocks{};
  for (std::size_t i = 0; i < batch.size(); ++i) {
    blocks[i * kBlock] = static_cast<std::byte>(round);
    store(blocks.data() + i * kBlock + 4, batch[i].right);
  }
  auto* const bytes = reinterpret_cast<unsigned char*>(blocks.data());
  int size = 0;
  const int done = EVP_EncryptUpdate(cipher_.get(), bytes, &size, bytes,
                                     static_cast<int>(batch.size() * kBlock));
  // Numbers that anyone can guess would be worse than none.
  if (done != 1) throw std::runtime_error("OpenSSL cannot encrypt");
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i].left ^= load<std::uint32_t>(blocks.data() + i * kBlock);
  }
}

}  // namespace starbus::bus
