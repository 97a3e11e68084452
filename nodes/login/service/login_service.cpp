#include "nodes/login/service/login_service.hpp"

#include <boost/asio/deferred.hpp>
#include <cstring>
#include <utility>

#include "bus/client/initiate.hpp"
#include "nodes/login/service/limits.hpp"

namespace starbus::nodes::login {
namespace {

std::string text_of(const entity::sessions::SessionId& session, const LoginAnswer& answer) {
  bus::Bytes bytes;
  encode(LoginTold{session, answer}, bytes);
  return std::string(bus::as_text(bytes));
}

bool is_last(const LoginAnswer& answer) {
  return !std::holds_alternative<LoginWaiting>(answer);
}

}  // namespace

rpc::Task<std::string> LoginService::enter(rpc::Caller& from, std::string ask) {
  auto read = gate::decode_login_ask(bus::as_bytes(ask));
  // The bus says which process asks, and which names it owns.
  if (!read || !from.endpoint->gates().owns(from.process, read->gate.channel)) {
    co_return text_of({},
                      LoginRefused{CloseReason::fault, 0, "the gate's question is not understood"});
  }
  read->gate.process = from.process;
  const SessionId session = read->session;
  const auto [at, fresh] = rows_.try_emplace(session);
  if (!fresh && at->second.gate != from.process) {
    co_return text_of(session,
                      LoginRefused{CloseReason::fault, 0, "the session is another gate's"});
  }
  at->second.gate = from.process;
  at->second.asked = clock_();
  if (fresh) {
    // It may be answered within this.
    desk_.ask(std::move(*read),
              [this, session](const LoginAnswer& answer) { said(session, answer); });
  }
  auto asked = bus::initiate<std::string>(
      boost::asio::deferred, [this, session](bus::Done<std::string> done) {
        const auto row = rows_.find(session);
        if (row == rows_.end()) return done(std::string());
        // Of two questions for one session the former one was lost, or is answered as this one.
        if (row->second.waiter)
          std::exchange(row->second.waiter, nullptr)(text_of(session, row->second.news));
        row->second.waiter = std::move(done);
        if (!row->second.told) answer(row);
      });
  const bus::Result<std::string> answer = co_await std::move(asked);
  co_return answer ? *answer : std::string();
}

void LoginService::leave(rpc::Caller& from, std::string session) {
  SessionId id;
  if (session.size() != sizeof id) return;
  std::memcpy(&id, session.data(), sizeof id);
  const auto at = rows_.find(id);
  if (at == rows_.end() || at->second.gate != from.process) return;
  desk_.gone(id);
  at->second.news = LoginRefused{CloseReason::ended, 0, "the client has left"};
  at->second.told = false;
  if (at->second.waiter) return answer(at);
  rows_.erase(at);
}

void LoginService::said(const SessionId& session, const LoginAnswer& answer) {
  const auto at = rows_.find(session);
  if (at == rows_.end()) return;
  at->second.news = answer;
  at->second.told = false;
  if (at->second.waiter) this->answer(at);
}

void LoginService::answer(Rows::iterator at) {
  Row& row = at->second;
  bus::Done<std::string> waiter = std::exchange(row.waiter, nullptr);
  std::string text = text_of(at->first, row.news);
  row.told = true;
  row.asked = clock_();
  if (is_last(row.news)) rows_.erase(at);
  waiter(std::move(text));
}

void LoginService::sweep() {
  const Time now = clock_();
  for (std::size_t i = 0; i < kSweepAtOnce; ++i) {
    const auto at = rows_.upper_bound(swept_);
    if (at == rows_.end()) {
      swept_ = {};
      return;
    }
    swept_ = at->first;
    Row& row = at->second;
    if (row.waiter && now - row.asked >= kAskHeld) {
      answer(at);
    } else if (!row.waiter && now - row.asked >= kAskAbandoned) {
      desk_.gone(at->first);
      rows_.erase(at);
    }
  }
}

}  // namespace starbus::nodes::login
