#include "bus/core/routers/root/root_queries.hpp"

#include <string>
#include <string_view>

namespace starbus::bus {

Result<> RootQueries::on_query(const HostEntry& host, ByteView payload) {
  auto query = decode<Query>(payload);
  if (!query) return query.error();
  query->from_host = host.name;
  if (query->target == kRootName) {
    root_.shell.answer_query(*query);
  } else if (const HostEntry* target = root_.find_host(query->target); target && target->session) {
    root_.links.tell(*target->session, *query);
  } else {
    constexpr std::string_view kBody =
        R"({"error":"unreachable","detail":"no host of that name is connected to busroot"})";
    const ByteView body = as_bytes(kBody);
    answer({host.name, query->number, 404, Bytes(body.begin(), body.end())});
  }
  return {};
}

Result<> RootQueries::on_answer(ByteView payload) {
  const auto answered = decode<Answer>(payload);
  if (!answered) return answered.error();
  if (answered->to_host == kRootName) {
    root_.shell.on_answer(*answered);
  } else {
    answer(*answered);
  }
  return {};
}

bool RootQueries::ask(Query query) {
  const HostEntry* const target = root_.find_host(query.target);
  if (target == nullptr || target->session == nullptr) return false;
  query.from_host = kRootName;
  root_.links.tell(*target->session, query);
  return true;
}

void RootQueries::answer(const Answer& answered) {
  const HostEntry* const host = root_.find_host(answered.to_host);
  if (host != nullptr && host->session != nullptr) {
    root_.links.tell(*host->session, fit_to_send(answered));
  }
}

}  // namespace starbus::bus
