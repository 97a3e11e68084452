#include "tools/bots/answers.hpp"

#include "clients/cpp/limits.hpp"

namespace starbus::bots {

std::string Refusal::to_string() const {
  if (domain == 0) return "refused by the method";
  return std::to_string(domain) + " " + std::to_string(number) + " " + detail;
}

std::optional<Refusal> refusal_of(const game::Answer& answer) {
  switch (answer.kind) {
    case game::AnswerKind::value:
      return std::nullopt;
    case game::AnswerKind::error:
      return Refusal{answer.domain, answer.number, answer.detail};
    case game::AnswerKind::refused:
      break;
  }
  game::FieldReader in(answer.bytes);
  Refusal refusal;
  refusal.domain = in.number16();
  refusal.number = in.number16();
  refusal.detail = in.text(game::kPartBytes);
  return in.finish() == game::Refusal::none ? refusal : Refusal{};
}

}  // namespace starbus::bots
