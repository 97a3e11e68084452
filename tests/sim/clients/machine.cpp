#include "tests/sim/clients/machine.hpp"

#include <stdexcept>

namespace starbus::sim {

Machine* Machine::present_ = nullptr;

Machine& Machine::present() {
  if (present_ == nullptr) throw std::logic_error("no simulated client runs now");
  return *present_;
}

std::uint64_t machine_ticks() {
  return Machine::any_present() ? static_cast<std::uint64_t>(machine_now().count()) : 0;
}

void fill_by_machine(std::span<std::byte> bytes) {
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(Machine::present().draw() >> 56);
}

std::uint64_t draw_by_machine() {
  return Machine::present().draw() | 1;
}

std::uint64_t incarnation_by_machine() {
  return Machine::present().incarnation();
}

}  // namespace starbus::sim
