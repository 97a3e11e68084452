/// A call of a client's method as an operator writes it: "player_client.said(str,i32)" and
/// ["ann", 5]. Pure functions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.hpp"
#include "bus/core/error.hpp"

namespace starbus::bustop {

/// The bytes of the call, as docs/reference/client-protocol.md has them. Types: b, i8 to i64, u8 to
/// u64, f32, f64, str, and [T]: a list of one of these. bad_name: the method or a type is
/// malformed; bad_bytes: the arguments are not of these types.
bus::Result<std::string> call_of(const std::string& method, const nlohmann::json& arguments);
/// The call of entity::AnyClient::notice.
bus::Result<std::string> notice_of(const std::string& text);

}  // namespace starbus::bustop
