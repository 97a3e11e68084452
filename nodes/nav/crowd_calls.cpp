#include "nodes/nav/crowd_calls.hpp"

#include <utility>

#include "bus/client/initiate.hpp"

namespace starbus::nodes::crowds {

namespace rpc = entity::rpc;

bool CrowdCalls::is_of(const bus::Process& process, CrowdId crowd) const {
  const auto found = owners_.find(crowd);
  return found != owners_.end() && found->second == process;
}

rpc::Task<Result<CrowdId>> CrowdCalls::create(rpc::Caller& from, CrowdSpec spec) {
  // It is owned from its making on, also if this coroutine has ended meanwhile.
  bus::Awaited token;
  auto made = bus::initiate<CrowdId>(
      token, [this, spec = std::move(spec), owner = from.process](bus::Done<CrowdId> done) {
        pool_.create(spec, [this, owner, done = std::move(done)](Result<CrowdId> crowd) mutable {
          if (crowd) owners_[*crowd] = owner;
          done(std::move(crowd));
        });
      });
  co_return co_await std::move(made);
}

rpc::Task<Result<Answer>> CrowdCalls::step(rpc::Caller& from, Batch batch) {
  if (!is_of(from.process, batch.crowd)) co_return Errc::unknown_crowd;
  bus::Awaited token;
  auto answer = bus::initiate<Answer>(
      token, [this, batch = std::move(batch)](bus::Done<Answer> done) mutable {
        pool_.step(std::move(batch), [done = std::move(done)](Result<Answer> each) mutable {
          done(std::move(each));
        });
      });
  co_return co_await std::move(answer);
}

void CrowdCalls::destroy(rpc::Caller& from, CrowdId crowd) {
  if (!is_of(from.process, crowd)) return;
  pool_.destroy(crowd);
  owners_.erase(crowd);
}

void CrowdCalls::forget_gone() {
  std::erase_if(owners_, [this](const auto& entry) { return !pool_.has(entry.first); });
}

}  // namespace starbus::nodes::crowds
