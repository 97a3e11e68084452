#include <zmq.h>

#include <array>

#include "bus/io/link.hpp"

namespace starbus::bus::io {
namespace {

using KeyText = std::array<char, kCurveKeyText + 1>;

}  // namespace

Result<CurveKeys> generate_curve_keys() {
  KeyText public_key{};
  KeyText secret_key{};
  if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0) {
    return Error{Errc::io_error, "this libzmq is built without CURVE"};
  }
  return CurveKeys{public_key.data(), secret_key.data()};
}

Result<std::string> curve_public_key(const std::string& secret_key) {
  KeyText public_key{};
  // zmq_curve_public asserts nothing about the length; a short text would read past its end.
  if (secret_key.size() != kCurveKeyText ||
      zmq_curve_public(public_key.data(), secret_key.c_str()) != 0) {
    return Error{Errc::bad_config, "a CURVE secret key is 40 characters of Z85"};
  }
  return std::string(public_key.data());
}

}  // namespace starbus::bus::io
