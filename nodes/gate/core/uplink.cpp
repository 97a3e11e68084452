#include "nodes/gate/core/uplink.hpp"

#include <utility>

#include "nodes/gate/core/downlink.hpp"

namespace starbus::nodes::gate {

bool Uplink::take(Session& session, const Ask& request) {
  // While a new bind has no full state yet, nobody knows for whom a request is meant.
  const bool stale = session.order.bind() != session.requests.bind();
  const auto took = stale ? RequestTable::Take::dropped
                          : session.requests.take(request.u, request.bind, request.body);
  if (took == RequestTable::Take::taken) {
    ++desk_.counters.requests;
    session.traffic.requests.add(request.body.size());
    desk_.counters.traffic.requests.add(request.body.size());
    if (!session.request_waits) put(session, request.u, request.body);
    return true;
  }
  if (took == RequestTable::Take::busy) {
    ++desk_.counters.busy;
    desk_.frame(session.connection, Busy{session.requests.seen()});
  } else {
    ++desk_.counters.requests_dropped;
  }
  return false;
}

bool Uplink::ask(Session& session, const Ask& request) {
  // An empty body is the gate's own word, and a number 0 was never drawn.
  if (request.body.empty() || request.body.size() > sessions::kRequestBytes || request.u == 0) {
    return false;
  }
  take(session, request);
  return true;
}

bool Uplink::refuse(Session& session, const Ask& request, Body reply) {
  if (request.u == 0) return false;
  if (take(session, Ask{request.u, request.bind, {}})) {
    desk_.downlink->packet(session, PacketKind::reply, std::move(reply), {});
  }
  return true;
}

void Uplink::put(Session& session, std::uint64_t u, const bus::Bytes& body) {
  const Bind bind = session.requests.bind();
  const std::uint64_t question =
      desk_.ask({Question::Kind::request, session.id, u, bind, session.hand.turn});
  desk_.effects.push_back(TellSubject{
      question, session.subject, sessions::Request{session.id, session.hand.turn, bind, u, body}});
}

void Uplink::outcome(Session& session, const Question& question, bool settled) {
  // What was said in an earlier turn says nothing of the one that goes again in this turn.
  if (question.bind != session.requests.bind() || question.turn != session.hand.turn) return;
  if (settled) return session.requests.ended(question.number);
  if (std::exchange(session.request_waits, true)) return;
  session.again_at = desk_.now + desk_.options.times.pause;
  desk_.table.wake(session, session.again_at);
}

void Uplink::again(Session& session) {
  session.request_waits = false;
  if (session.order.bind() != session.requests.bind()) return;
  for (const auto& [u, body] : session.requests.state().pending) put(session, u, body);
}

}  // namespace starbus::nodes::gate
