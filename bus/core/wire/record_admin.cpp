#include "bus/core/wire/record_admin.hpp"

namespace starbus::bus {

Answer fit_to_send(const Answer& answer) {
  if (answer.body.size() <= kMaxAnswer) return answer;
  constexpr std::string_view kBody =
      R"({"error":"too_large","detail":"the answer has more than 8 MiB: ask that daemon itself"})";
  const ByteView body = as_bytes(kBody);
  return {answer.to_host, answer.number, 413, {body.begin(), body.end()}};
}

std::string_view name_of(TraceEnd end) {
  switch (end) {
    case TraceEnd::none:
      return "none";
    case TraceEnd::owner:
      return "owner";
    case TraceEnd::not_bound:
      return "not_bound";
    case TraceEnd::frozen:
      return "frozen";
    case TraceEnd::no_owner:
      return "no_owner";
    case TraceEnd::held:
      return "held";
    case TraceEnd::no_session:
      return "no_session";
    case TraceEnd::queue_full:
      return "queue_full";
    case TraceEnd::older_version:
      return "older_version";
    case TraceEnd::too_long:
      return "too_long";
  }
  return "unknown";
}

}  // namespace starbus::bus
