/// Part of rpc.hpp: what is compiled once per method: how it is run from bytes and from values, and
/// how it answers.
#pragma once

#include <exception>

#include "entity/archive/signature.hpp"
#include "entity/rpc/endpoint.hpp"
#include "entity/rpc/task.hpp"

namespace starbus::entity::rpc {

/// A call that has come as bytes, admitted; `arguments` is what is left of it.
struct Invocation {
  Endpoint& endpoint;
  HostBase& object;
  const MethodInfo& method;
  Caller& caller;
  const CallHeader& header;
  Decoder& arguments;
  bus::Call* call;      // null: nobody waits
  std::string& detail;  // of a refusal

  AnswerRoute route() {
    if (header.answer_to.empty()) return call->responder();
    return {header.answer_to, header.question};
  }
};

// --- how it answers ------------------------------------------------------------------------------

/// What a method returned, as what its caller gets.
template <auto M>
typename TraitsOf<M>::ReplyType reply_of(typename TraitsOf<M>::Result&& returned) {
  using Traits = TraitsOf<M>;
  if constexpr (Traits::kOwnFailure) {
    if (returned) return std::move(returned);
    if (returned.error() == Errc::refused) return std::move(returned.error());
    // Another call's failure, handed on: not to be taken for one of this call.
    return Error(Errc::failed, returned.error().to_string());
  } else if constexpr (Traits::kRefuses) {
    using Fail = Failure<typename Traits::Refusal>;
    if (!returned) return Fail::of_method(std::move(returned.error()));
    if constexpr (std::is_void_v<typename Traits::Value>) {
      return {};
    } else {
      return {in_place_value, std::move(*returned)};
    }
  } else {
    return {in_place_value, std::move(returned)};
  }
}

/// Nobody waits.
template <auto M>
struct NoAnswer {
  explicit operator bool() const { return false; }
  void reply(Endpoint&, typename TraitsOf<M>::ReplyType&&) {}
  void fail(Endpoint& endpoint, const Error& error) {
    endpoint.count_error(counted_as(error.code));
  }
  void suspended() {}
};

/// A process, or a channel, gets bytes.
template <auto M>
struct BusAnswer {
  void reply(Endpoint& endpoint, typename TraitsOf<M>::ReplyType&& reply) {
    Encoder out(endpoint.scratch());
    if (reply) {
      put_reply_head(out, ReplyKind::value);
      if constexpr (!std::is_void_v<typename TraitsOf<M>::Value>) put_value(out, *reply);
    } else if (reply.error() == Errc::refused) {
      put_reply_head(out, ReplyKind::refused);
      put_value(out, reply.error().error);
    } else {
      put_error(out, reply.error());
    }
    if (!out.ok()) return fail(endpoint, Errc::too_large);
    endpoint.answer(std::move(route));
  }
  void fail(Endpoint& endpoint, const Error& error) {
    endpoint.count_error(counted_as(error.code));
    endpoint.answer(std::move(route), error);
  }
  void suspended() {}
  AnswerRoute route;
};

/// Somebody in this process waits, and gets the value.
template <auto M>
class LocalAnswer {
 public:
  using State = TypedCall<typename TraitsOf<M>::Value, typename TraitsOf<M>::Refusal>;
  /// Null: nobody. Takes over one reference.
  explicit LocalAnswer(State* state) : state_(state) {}
  LocalAnswer(LocalAnswer&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  LocalAnswer& operator=(LocalAnswer&&) = delete;
  ~LocalAnswer() {
    if (state_ != nullptr) state_->drop();
  }
  void reply(Endpoint&, typename TraitsOf<M>::ReplyType&& reply) {
    loop_time.latest_end = 0;  // behind it, that of whoever waited
    if (state_ != nullptr) state_->answer(std::move(reply));
  }
  void fail(Endpoint& endpoint, const Error& error) {
    loop_time.latest_end = 0;
    endpoint.count_error(counted_as(error.code));
    if (state_ != nullptr) state_->fail_later(error);
  }
  void suspended() {
    if (state_ != nullptr) state_->arm_deadline();
  }

 private:
  State* state_;
};

// --- how it runs ---------------------------------------------------------------------------------

inline Error failure_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return {Errc::failed, exception.what()};
  } catch (...) {
    return {Errc::failed, "something that is no std::exception was thrown"};
  }
}

/// A method that is a coroutine, from its start to its answer.
template <auto M, class Answer>
class RunningMethod final : public Running {
 public:
  using Traits = TraitsOf<M>;

  static void start(Endpoint& endpoint, HostBase& object, const MethodInfo& method,
                    const Caller& caller, typename Traits::Arguments&& arguments, Answer&& answer) {
    if (!endpoint.may_run(object)) {
      return answer.fail(endpoint, Error(Errc::would_block, "too many coroutines"));
    }
    auto* running = new RunningMethod(endpoint, object, method, caller, std::move(answer));
    bool ended = false;
    running->ended_ = &ended;
    running->enter(object, std::move(arguments));
    if (ended) return;
    running->ended_ = nullptr;
    running->answer_.suspended();
  }

 private:
  RunningMethod(Endpoint& at, HostBase& object, const MethodInfo& method, const Caller& caller,
                Answer&& answer)
      : Running(at, object, &method),
        channel_(caller.channel),
        caller_(caller),
        answer_(std::move(answer)) {
    caller_.channel = channel_;
  }
  ~RunningMethod() override {
    if (ended_ != nullptr) *ended_ = true;
    task_.reset();
    if (!answered_) answer_.fail(endpoint(), Errc::destroyed);
  }
  void enter(HostBase& object, typename Traits::Arguments&& arguments) {
    auto& self = static_cast<typename Traits::Host&>(object);
    try {
      std::apply([&](auto&... values) { task_.emplace((self.*M)(caller_, std::move(values)...)); },
                 arguments);
    } catch (...) {  // no memory for the frame
      answered_ = true;
      answer_.fail(endpoint(), failure_of(std::current_exception()));
      return kill();
    }
    task_->handle().promise().running = this;
    resume(task_->handle());
  }
  bool done() const override { return task_->handle().done(); }
  void finish() override {
    answered_ = true;
    auto& promise = task_->handle().promise();
    if (promise.thrown) return answer_.fail(endpoint(), failure_of(promise.thrown));
    if constexpr (std::is_void_v<typename Traits::Result>) {
      answer_.reply(endpoint(), {});
    } else {
      answer_.reply(endpoint(), reply_of<M>(promise.take()));
    }
  }

  std::string channel_;
  Caller caller_;
  Answer answer_;
  std::optional<typename Traits::Return> task_;
  bool* ended_ = nullptr;
  bool answered_ = false;
};

/// Runs a method with its arguments. The object, and the caller, may be gone afterwards.
template <auto M, class Answer>
void perform(Endpoint& endpoint, HostBase& object, const MethodInfo& method, Caller& caller,
             typename TraitsOf<M>::Arguments&& arguments, Answer&& answer) {
  using Traits = TraitsOf<M>;
  if constexpr (Traits::kCoroutine) {
    RunningMethod<M, Answer>::start(endpoint, object, method, caller, std::move(arguments),
                                    std::move(answer));
  } else {
    std::optional<typename Traits::ReplyType> reply;
    Error thrown;
    try {
      auto& self = static_cast<typename Traits::Host&>(object);
      const auto enter = [&](auto&... values) ->
          typename Traits::Result { return (self.*M)(caller, std::move(values)...); };
      if constexpr (std::is_void_v<typename Traits::Result>) {
        std::apply(enter, arguments);
        reply.emplace();
      } else {
        reply.emplace(reply_of<M>(std::apply(enter, arguments)));
      }
    } catch (...) {
      thrown = failure_of(std::current_exception());
    }
    if (reply) return answer.reply(endpoint, std::move(*reply));
    answer.fail(endpoint, thrown);
  }
}

/// MethodInfo::invoke: from bytes. All arguments are there before the method is entered.
template <auto M>
Errc invoke_bytes(Invocation& at) {
  typename TraitsOf<M>::Arguments arguments{};
  std::apply([&](auto&... values) { (get_value(at.arguments, values), ...); }, arguments);
  if (const DataErrc bad = at.arguments.finish(); bad != DataErrc::ok) {
    at.detail = at.method.full_name().append(": ").append(name_of(bad));
    return Errc::bad_arguments;
  }
  at.endpoint.entered(at.method);
  if (at.call == nullptr) {
    perform<M>(at.endpoint, at.object, at.method, at.caller, std::move(arguments), NoAnswer<M>{});
  } else {
    perform<M>(at.endpoint, at.object, at.method, at.caller, std::move(arguments),
               BusAnswer<M>{at.route()});
  }
  return Errc::ok;
}

template <auto M>
struct MethodOf {
  static MethodInfo info;
};

/// A call from values.
template <auto M>
class LocalCall final : public LocalMessage {
 public:
  using State = typename LocalAnswer<M>::State;
  using Arguments = typename TraitsOf<M>::Arguments;

  /// With a state, takes over one reference.
  LocalCall(SlotRef to, Behalf on_behalf, State* state, Arguments&& arguments)
      : LocalMessage(MethodOf<M>::info, to, on_behalf),
        arguments_(std::move(arguments)),
        answer_(state) {}
  std::uint64_t run(HostBase& object, Caller& caller) override {
    perform<M>(*caller.endpoint, object, *method, caller, std::move(arguments_),
               std::move(answer_));
    return TraitsOf<M>::kCoroutine ? 0 : loop_time.latest_end;
  }
  void fail(Endpoint& endpoint, const Error& error) override { answer_.fail(endpoint, error); }

 private:
  Arguments arguments_;
  LocalAnswer<M> answer_;
};

// --- what is known of it -------------------------------------------------------------------------

/// "(str,i32)->i32!u8": the types of the arguments, of the answer, and of a refusal.
template <auto M>
std::string describe() {
  using Traits = TraitsOf<M>;
  std::string text = "(";
  [&]<class... A>(std::tuple<A...>*) {
    std::size_t left = sizeof...(A);
    ((text += signature_of<A>(), text += --left == 0 ? "" : ","), ...);
  }(static_cast<typename Traits::Arguments*>(nullptr));
  text += ")->";
  if constexpr (!std::is_void_v<typename Traits::Value>) {
    text += signature_of<typename Traits::Value>();
  }
  if constexpr (!std::is_same_v<typename Traits::Refusal, NoError>) {
    text += "!" + signature_of<typename Traits::Refusal>();
  }
  return text;
}

/// The static rows of a class. Naming it anywhere enlists the class before main.
template <class C>
struct ClassOf {
  static const ClassInfo* get() {
    (void)&enlisted;
    return &info;
  }
  template <auto... M>
  static constexpr std::array<MethodInfo*, sizeof...(M)> rows_of(const Methods<M...>&) {
    return {&MethodOf<M>::info...};
  }
  static constexpr const ClassInfo* parent() {
    if constexpr (requires { C::RpcBase::kRpc; }) {
      return &ClassOf<typename C::RpcBase>::info;
    } else {
      return nullptr;
    }
  }
  static bool enlist() {
    if constexpr (requires { C::RpcBase::kRpc; }) ClassOf<typename C::RpcBase>::enlist();
    return Dictionary::enlist(&info);
  }
  static const ClassInfo info;
  static const bool enlisted;
};
template <class C>
inline constexpr auto kRowsOf = ClassOf<C>::rows_of(C::kRpc);
template <class C>
constinit const ClassInfo ClassOf<C>::info{C::kRpc.class_name, ClassOf<C>::parent(), kRowsOf<C>};
template <class C>
const bool ClassOf<C>::enlisted = ClassOf<C>::enlist();

template <auto M>
constinit MethodInfo MethodOf<M>::info{&ClassOf<typename TraitsOf<M>::Host>::info,
                                       row_of<M>().name,
                                       row_of<M>().id,
                                       row_of<M>().allow,
                                       TraitsOf<M>::kCoroutine,
                                       &invoke_bytes<M>,
                                       &describe<M>};

/// The row of a method, its class enlisted.
template <auto M>
const MethodInfo& info_of() {
  static_assert(Declared<M>, "the class does not declare this method in its kRpc");
  (void)ClassOf<typename TraitsOf<M>::Host>::get();
  return MethodOf<M>::info;
}

}  // namespace starbus::entity::rpc
