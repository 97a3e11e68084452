/// Proof of identity, one implementation for each method that a client may name.
///
/// Belongs to the login's thread: asked and answered there. Answers exactly once, later and never
/// within the call, within a deadline of its own (below kLookTime); a failure is a verdict.
#pragma once

#include <functional>
#include <string>

#include "bus/core/bytes.hpp"
#include "nodes/login/core/admission.hpp"

namespace starbus::nodes::login {

/// What a client has said, within the bounds of its frame.
struct Proof {
  std::string account{};  // as it was typed; empty: the proof says it
  bus::Bytes proof{};
};

class Verifier {
 public:
  virtual ~Verifier() = default;
  /// The account under which attempts are counted before the proof is looked at: the one form of
  /// what was typed; empty if that says nothing.
  virtual std::string counted_as(const std::string& typed) const = 0;
  /// Answers later, on the loop, exactly once; a failure is Verdict::Kind::later.
  virtual void verify(Proof proof, std::function<void(Verdict)> done) = 0;
};

}  // namespace starbus::nodes::login
