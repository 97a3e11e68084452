/// Admin requests between this host and other daemons, by way of busroot. Each of this host's ends:
/// with the answer, with unreachable, or with deadline.
///
/// Part of HostRouter: same thread; owns the callbacks of the requests that wait.
#pragma once

#include <string>
#include <utility>

#include "bus/core/routers/host/host_config.hpp"
#include "bus/core/routers/host/pending_requests.hpp"
#include "bus/core/routers/host/uplink.hpp"
#include "bus/core/wire/version.hpp"

namespace starbus::bus {

class HostQueries {
 public:
  HostQueries(HostState& host, Uplink& uplink) : host_(host), uplink_(uplink) {}

  /// See HostRouter::query.
  void start(const std::string& target, const std::string& path, AdminRole role,
             PendingRequests<Answer>::Callback callback) {
    if (path.size() > kMaxName || target.size() > kMaxName) {
      return callback(Error{Errc::too_large, "at most 255 bytes"});
    }
    if (pending_.full()) return callback(Error{Errc::busy, "1024 requests are waiting"});
    if (!uplink_.greeted()) return callback(Error{Errc::unreachable, "no session with busroot"});
    const std::uint64_t number = pending_.add(std::move(callback), host_.links.now());
    const Query query{host_.config.host, number, target, path, role};
    if (uplink_.link()->minor >= kAdminRoleMinor) {
      uplink_.tell(RoleQuery{query});
    } else {
      uplink_.tell(query);
    }
  }
  /// Answers another daemon's request.
  void answer(const Answer& answer) {
    if (uplink_.greeted()) uplink_.tell(fit_to_send(answer));
  }
  /// Asked is Query or RoleQuery.
  template <class Asked>
  Result<> on_query(ByteView payload) {
    const auto query = decode<Asked>(payload);
    if (!query) return query.error();
    host_.shell.answer_query(*query);
    return {};
  }
  Result<> on_answer(ByteView payload) {
    auto answer = decode<Answer>(payload);
    if (!answer) return answer.error();
    pending_.on_reply(std::move(*answer));
    return {};
  }
  void on_uplink_gone() {
    pending_.fail_all({Errc::unreachable, "the session with busroot ended"});
  }
  void tick(Time now) { pending_.tick(now); }

 private:
  HostState& host_;
  Uplink& uplink_;
  PendingRequests<Answer> pending_;
};

}  // namespace starbus::bus
