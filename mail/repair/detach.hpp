#pragma once

#include <filesystem>
#include <utility>

#include "storage/error.hpp"

namespace starbus::bus::busd::mail {

/// The folder of a store, lent by the busd that has it to a program beside it (starbus-mail): as
/// long as the program has the file LENT in it locked, busd does not open the store again. The lock
/// ends with the program, however that ends.
class Loan {
 public:
  /// in_use: another program has it; io_error.
  static storage::Result<Loan> take(const std::filesystem::path& folder);
  Loan(Loan&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Loan& operator=(Loan&&) = delete;
  ~Loan();

 private:
  explicit Loan(int file) : file_(file) {}
  int file_;
};

/// Whether somebody has it now.
bool is_lent(const std::filesystem::path& folder);

}  // namespace starbus::bus::busd::mail
