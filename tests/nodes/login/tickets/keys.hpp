/// A pair of keys whose signatures the golden bytes have: the private half is 00 01 02 ... 1f.
#pragma once

#include <string_view>

namespace starbus::nodes::login::fixture {

inline constexpr std::string_view kPrivatePem =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n"
    "-----END PRIVATE KEY-----\n";

}  // namespace starbus::nodes::login::fixture
