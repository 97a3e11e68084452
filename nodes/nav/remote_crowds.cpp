#include "nodes/nav/remote_crowds.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "entity/rpc/rpc.hpp"
#include "nodes/nav/crowd_calls.hpp"
#include "nodes/nav/limits.hpp"

namespace starbus::nodes::crowds {
namespace {

namespace rpc = entity::rpc;

/// The node's own error, or how the call ended.
Error error_of(const rpc::Failure<Error>& failure) {
  if (failure == rpc::Errc::refused) return failure.error;
  return static_cast<const Error&>(failure);
}

template <class T>
auto hand_on(const std::shared_ptr<bool>& alive, std::function<void(Result<T>)> done) {
  return [weak = std::weak_ptr(alive), done = std::move(done)](rpc::Reply<T, Error> reply) {
    if (weak.expired()) return;
    if (reply) return done(*std::move(reply));
    done(error_of(reply.error()));
  };
}

}  // namespace

void RemoteCrowds::create(const CrowdSpec& spec, Made done) {
  rpc::CallOptions options;
  options.deadline = kCreateDeadline;
  rpc::call<&CrowdCalls::create>(endpoint_, service_, options,
                                 spec)(hand_on<CrowdId>(alive_, std::move(done)));
}

void RemoteCrowds::step(Batch batch, Answered done) {
  rpc::CallOptions options;
  options.deadline = kStepDeadline;
  rpc::call<&CrowdCalls::step>(endpoint_, service_, options,
                               batch)(hand_on<Answer>(alive_, std::move(done)));
}

void RemoteCrowds::destroy(CrowdId crowd) {
  const auto sent = rpc::send<&CrowdCalls::destroy>(endpoint_, service_, {}, crowd);
  if (!sent) spdlog::debug("crowds: not ended at its node: {}", sent.error().to_string());
}

}  // namespace starbus::nodes::crowds
