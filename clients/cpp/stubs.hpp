/// What generated code (`starbus client-code`) calls the client with: typed requests, their typed
/// outcomes, and typed calls of the server. docs/guide/game-client.md shows a program.
///
/// Plain values and functions; they belong to the thread of their client, which outlives them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "clients/cpp/calls.hpp"
#include "clients/cpp/session.hpp"
#include "clients/cpp/values.hpp"

namespace starbus::game {

/// How a typed request has ended.
enum class Came : std::uint8_t {
  replied,     ///< `value` is there
  refused,     ///< `refusal` is: the method's own error
  failed,      ///< an error of the call: domain, number and detail (docs/reference/errors.md)
  unreadable,  ///< it has run, and its answer is of other types
  reply_lost,  ///< as Fate's
  not_begun,
  unknown,
};
std::string_view name_of(Came came);

/// V: what the method returns, or Nothing; R: its own error, or Nothing if it has none.
template <class V, class R = Nothing>
struct Answered {
  Came came = Came::unknown;
  std::optional<V> value{};
  std::optional<R> refusal{};
  std::uint16_t domain = 0;
  std::uint16_t number = 0;
  std::string detail{};
  explicit operator bool() const { return came == Came::replied; }
};

/// Reads the outcome of a request.
template <class V, class R>
Answered<V, R> answered_of(const Outcome& outcome) {
  Answered<V, R> made;
  if (outcome.fate == Fate::reply_lost) made.came = Came::reply_lost;
  if (outcome.fate == Fate::not_begun) made.came = Came::not_begun;
  if (outcome.fate != Fate::replied) return made;
  made.came = Came::unreadable;
  const Read<Answer> answer = read_answer(outcome.answer);
  if (!answer) return made;
  const auto read = [&](auto& to, Came came) {
    ValueReader in(answer->bytes);
    if constexpr (!std::is_same_v<std::decay_t<decltype(to)>, std::optional<Nothing>>) {
      get_value(in, to.emplace());
    } else {
      to.emplace();
    }
    if (in.finish() == Refusal::none) made.came = came;
    if (made.came != came) to.reset();
  };
  if (answer->kind == AnswerKind::value) read(made.value, Came::replied);
  if (answer->kind == AnswerKind::refused) read(made.refusal, Came::refused);
  if (answer->kind == AnswerKind::error) {
    made.came = Came::failed;
    made.domain = answer->domain;
    made.number = answer->number;
    made.detail = answer->detail;
  }
  return made;
}

/// A Client or a Session, for requests.
class Asker {
 public:
  template <class To>
  requires requires(To& to, ByteView body, Told told) { to.ask(body, std::move(told)); }
  Asker(To& to)  // NOLINT(google-explicit-constructor): stubs are made of a client
      : ask_([&to](ByteView body, Told told) { return to.ask(body, std::move(told)); }) {}

  /// As theirs; too_large, too, if the arguments are nested deeper than a server takes.
  template <class V, class R, class... A>
  Asked ask(std::uint32_t method, std::uint32_t types,
            std::function<void(const Answered<V, R>&)> told, const A&... arguments) const {
    Bytes bytes;
    ValueWriter out(bytes);
    (put_value(out, arguments), ...);
    if (!out.ok()) return Asked::too_large;
    return ask_(call_body(method, types, bytes), [told = std::move(told)](const Outcome& outcome) {
      if (told) told(answered_of<V, R>(outcome));
    });
  }

 private:
  std::function<Asked(ByteView, Told)> ask_;
};

/// What a typed interface has done with a call of the server.
enum class Heard : std::uint8_t {
  called,
  unknown,     ///< not of this interface
  differs,     ///< of this interface, with other types: the server is of another schema
  unreadable,  ///< the arguments are not of these types
};
std::string_view name_of(Heard heard);

/// Reads the arguments of a call, and hands them to `run`.
template <class... A, class Run>
Heard hear_call(const Call& call, std::uint32_t types, Run run) {
  if (call.types != types) return Heard::differs;
  ValueReader in(call.arguments);
  std::tuple<A...> values;
  std::apply([&](auto&... each) { (get_value(in, each), ...); }, values);
  if (in.finish() != Refusal::none) return Heard::unreadable;
  std::apply([&](auto&... each) { run(std::move(each)...); }, values);
  return Heard::called;
}

}  // namespace starbus::game
