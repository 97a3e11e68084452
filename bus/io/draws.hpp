/// What a program draws from its machine. From any thread. The simulator compiles the client
/// library with draws that follow from a seed (tests/sim/clients/substitutes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace starbus::bus::io {

/// Bytes that nobody can guess. Throws std::system_error if the kernel has none.
void fill_random(std::span<std::byte> bytes);
/// A number that nobody can guess; never 0. Throws as fill_random.
std::uint64_t draw_number();
/// The incarnation of a node: a number that grows from start to start on one host, even if the
/// starts are a microsecond apart.
std::uint64_t draw_incarnation();

}  // namespace starbus::bus::io
