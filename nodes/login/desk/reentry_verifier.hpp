/// The method "reentry": the signed part of a client's token is the proof. It lets the player in
/// again after a gate has died, under the same login: no number is drawn, and no place is waited
/// for.
///
/// Says only that a login has signed it; the account takes it if this is its present login still.
/// Belongs to the loop's thread; answers later, through the executor, which outlives it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "nodes/login/core/verifier.hpp"
#include "nodes/login/tickets/ticket.hpp"
#include "nodes/runtime/tasks/executor.hpp"

namespace starbus::nodes::login {

class ReentryVerifier final : public Verifier {
 public:
  /// `wall_ms`: milliseconds since 1970.
  ReentryVerifier(Executor& loop, VerifyingKeys keys, std::function<std::uint64_t()> wall_ms)
      : loop_(loop), keys_(std::move(keys)), wall_ms_(std::move(wall_ms)) {}
  void verify(Proof proof, std::function<void(Verdict)> done) override;
  std::string counted_as(const std::string&) const override { return {}; }

 private:
  Verdict judge(bus::ByteView ticket) const;

  Executor& loop_;
  const VerifyingKeys keys_;
  const std::function<std::uint64_t()> wall_ms_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace starbus::nodes::login
