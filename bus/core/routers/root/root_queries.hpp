/// Admin requests by way of busroot: between hosts, to busroot itself, and of busroot to hosts.
///
/// Part of RootRouter: same thread; owns nothing. A request for a host that is not connected is
/// answered 404 at once; answers may be lost.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "bus/core/routers/root/root_state.hpp"

namespace starbus::bus {

class RootQueries {
 public:
  /// In queries: this busroot. No host may have this name.
  static constexpr std::string_view kRootName = "root";

  explicit RootQueries(RootState& root) : root_(root) {}

  Result<> on_query(const HostEntry& host, ByteView payload);
  /// A query with a role, of a session of 1.2.
  Result<> on_role_query(const HostEntry& host, ByteView payload);
  Result<> on_answer(const HostEntry& host, ByteView payload);
  /// See RootRouter::ask.
  bool ask(Query query);
  void answer(const Answer& answer);
  /// Forgets questions that nobody waits for any more.
  void tick();

 private:
  void pass_on(const HostEntry& host, Query query);
  void send(RouterLink& to, const Query& query);
  /// The role in which a question of that host is answered: the one place that decides it.
  static AdminRole role_of(const HostEntry& host, const Query& query);
  /// Who asked, and under which number.
  using Asked = std::pair<std::string, std::uint64_t>;
  struct Question {
    std::uint32_t host;  // that was asked: no other may answer
    Time asked_at;
  };
  bool note_question(const Query& query, const HostEntry& target);
  void refuse(const Query& query, std::uint16_t status, std::string_view body);

  RootState& root_;
  std::map<Asked, Question> open_;
};

}  // namespace starbus::bus
