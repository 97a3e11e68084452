/// The code that is compiled once per method: it runs the method from bytes and from values, and
/// answers. Part of rpc.hpp.
#pragma once

#include "entity/archive/signature.hpp"
#include "entity/rpc/call_fits.hpp"
#include "entity/rpc/call_state.hpp"
#include "entity/rpc/endpoint/endpoint_core.hpp"
#include "entity/rpc/method.hpp"
#include "entity/rpc/task.hpp"

namespace starbus::entity::rpc {

/// An admitted call as bytes; `arguments` is what follows the header.
struct Invocation {
  detail::EndpointCore& core;
  CallableBase& object;
  const MethodInfo& method;
  Caller& caller;
  const CallHeader& header;
  Decoder& arguments;
  bus::Call* call;      // null: a message, without an answer
  std::string& detail;  // of a refusal
  AnswerTaker taker{};  // of a request of a client

  bool answered() const { return call != nullptr || taker; }
  /// Where the answer goes: to the call, to the channel of a question, or to the taker.
  AnswerRoute route() {
    if (taker) return AnswerRoute(std::move(taker));
    if (header.answer_to.empty()) return call->responder();
    return {header.answer_to, header.question};
  }
};

// --- answers -------------------------------------------------------------------------------------

/// Converts what a method returned into what its caller gets.
template <auto M>
typename TraitsOf<M>::ReplyType reply_of(typename TraitsOf<M>::Result&& returned) {
  using Traits = TraitsOf<M>;
  if constexpr (Traits::kOwnFailure) {
    if (returned) return std::move(returned);
    if (returned.error() == Errc::refused) return std::move(returned.error());
    // Another call's failure, handed on: the caller must not take it for one of this call.
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

/// For a message: no answer is sent.
template <auto M>
struct NoAnswer {
  std::uint64_t reply(detail::EndpointCore&, typename TraitsOf<M>::ReplyType&&) { return 0; }
  void fail(detail::EndpointCore& core, const Error& error) { core.counters.count(error.code); }
  void suspended() {}
};

/// Sends bytes to a process or to a channel.
template <auto M>
struct BusAnswer {
  std::uint64_t reply(detail::EndpointCore& core, typename TraitsOf<M>::ReplyType&& reply) {
    auto buffer = core.buffers.lend();
    Encoder out(*buffer);
    if (reply) {
      put_reply_head(out, ReplyKind::value);
      if constexpr (!std::is_void_v<typename TraitsOf<M>::Value>) put_value(out, *reply);
    } else if (reply.error() == Errc::refused) {
      put_reply_head(out, ReplyKind::refused);
      put_value(out, reply.error().error);
    } else {
      put_error(out, reply.error());
    }
    if (out.ok()) {
      core.replies.send(std::move(route), *buffer);
    } else {
      fail(core, Errc::too_large);
    }
    return 0;
  }
  void fail(detail::EndpointCore& core, const Error& error) {
    core.counters.count(error.code);
    core.replies.send(std::move(route), error);
  }
  void suspended() {}
  AnswerRoute route;
};

/// Hands the value to a caller in this process.
template <auto M>
class LocalAnswer {
 public:
  using State = TypedCall<typename TraitsOf<M>::Value, typename TraitsOf<M>::Refusal>;
  /// Null: a message, without an answer.
  explicit LocalAnswer(boost::intrusive_ptr<State> state) : state_(std::move(state)) {}

  /// As Waiter::wake.
  std::uint64_t reply(detail::EndpointCore&, typename TraitsOf<M>::ReplyType&& reply) {
    return state_ != nullptr ? state_->answer(std::move(reply)) : 0;
  }
  void fail(detail::EndpointCore& core, const Error& error) {
    core.counters.count(error.code);
    if (state_ != nullptr) state_->fail_later(error);
  }
  void suspended() {
    if (state_ != nullptr) state_->arm_deadline();
  }

 private:
  boost::intrusive_ptr<State> state_;
};

// --- running -------------------------------------------------------------------------------------

/// A method that is a coroutine, from its start to its answer.
template <auto M, class Answer>
class RunningMethod final : public Running {
 public:
  using Traits = TraitsOf<M>;

  /// Starts the coroutine; would_block if its object has too many.
  static void start(detail::EndpointCore& core, CallableBase& object, const MethodInfo& method,
                    const Caller& caller, typename Traits::Arguments&& arguments, Answer&& answer) {
    if (!core.running.admits(object)) {
      return answer.fail(core, Error(Errc::would_block, "too many coroutines"));
    }
    const boost::intrusive_ptr<RunningMethod> running(
        new RunningMethod(core, object, method, caller, std::move(answer)));
    running->link();
    running->enter(object, std::move(arguments));
    if (running->linked()) running->answer_.suspended();
  }

 private:
  RunningMethod(detail::EndpointCore& at, CallableBase& object, const MethodInfo& method,
                const Caller& caller, Answer&& answer)
      : Running(at, object, &method),
        method_(&method),
        channel_(caller.channel),
        caller_(caller),
        answer_(std::move(answer)) {
    caller_.channel = channel_;
  }
  ~RunningMethod() override {
    task_.reset();
    if (!answered_) answer_.fail(this->core(), Errc::destroyed);
  }
  void enter(CallableBase& object, typename Traits::Arguments&& arguments) {
    auto& self = static_cast<typename Traits::Host&>(object);
    try {
      std::apply([&](auto&... values) { task_.emplace((self.*M)(caller_, std::move(values)...)); },
                 arguments);
    } catch (...) {  // no memory for the frame
      answered_ = true;
      answer_.fail(this->core(), this->core().meter.threw(*method_, std::current_exception()));
      return kill();
    }
    task_->handle().promise().running = this;
    resume(task_->handle());
  }
  bool done() const override { return task_->handle().done(); }
  void finish() override {
    answered_ = true;
    auto& promise = task_->handle().promise();
    if (promise.thrown) {
      return answer_.fail(this->core(), this->core().meter.threw(*method_, promise.thrown));
    }
    if constexpr (std::is_void_v<typename Traits::Result>) {
      answer_.reply(this->core(), {});
    } else {
      answer_.reply(this->core(), reply_of<M>(promise.take()));
    }
  }

  void finish_alone() override {
    const std::exception_ptr& thrown = task_->handle().promise().thrown;
    if (thrown) static_cast<void>(this->core().meter.threw(*method_, thrown));
  }

  const MethodInfo* const method_;
  std::string channel_;
  Caller caller_;
  Answer answer_;
  std::optional<typename Traits::Return> task_;
  bool answered_ = false;
};

/// Runs a method with its arguments. The object, and the caller, may be gone afterwards. Returns
/// when the work that the answer set off ended, in ticks; 0: not known.
template <auto M, class Answer>
std::uint64_t perform(detail::EndpointCore& core, CallableBase& object, const MethodInfo& method,
                      Caller& caller, typename TraitsOf<M>::Arguments&& arguments,
                      Answer&& answer) {
  using Traits = TraitsOf<M>;
  if constexpr (Traits::kCoroutine) {
    RunningMethod<M, Answer>::start(core, object, method, caller, std::move(arguments),
                                    std::move(answer));
    return 0;
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
      thrown = core.meter.threw(method, std::current_exception());
    }
    if (reply) return answer.reply(core, std::move(*reply));
    answer.fail(core, thrown);
    return 0;
  }
}

/// MethodInfo::invoke: runs a method from bytes, once all arguments are decoded.
template <auto M>
Errc invoke_bytes(Invocation& at) {
  static_assert(check_sent_types<M>());
  typename TraitsOf<M>::Arguments arguments{};
  std::apply([&](auto&... values) { (get_value(at.arguments, values), ...); }, arguments);
  if (const DataErrc bad = at.arguments.finish(); bad != DataErrc::ok) {
    at.detail = at.method.full_name().append(": ").append(name_of(bad));
    return Errc::bad_arguments;
  }
  ++at.core.meter.of(at.method).calls;
  if (!at.answered()) {
    perform<M>(at.core, at.object, at.method, at.caller, std::move(arguments), NoAnswer<M>{});
  } else {
    perform<M>(at.core, at.object, at.method, at.caller, std::move(arguments),
               BusAnswer<M>{at.route()});
  }
  return Errc::ok;
}

/// Holds the one MethodInfo of M.
template <auto M>
struct MethodOf {
  static MethodInfo info;
};

/// A call with its arguments as values.
template <auto M>
class LocalCall final : public LocalMessage {
 public:
  using State = typename LocalAnswer<M>::State;
  using Arguments = typename TraitsOf<M>::Arguments;

  /// Null state: a message, without an answer.
  LocalCall(SlotRef to, Behalf on_behalf, boost::intrusive_ptr<State> state, Arguments&& arguments)
      : LocalMessage(MethodOf<M>::info, to, on_behalf),
        arguments_(std::move(arguments)),
        answer_(std::move(state)) {}
  std::uint64_t run(detail::EndpointCore& at, CallableBase& object, Caller& caller) override {
    return perform<M>(at, object, *method, caller, std::move(arguments_), std::move(answer_));
  }
  void fail(detail::EndpointCore& at, const Error& error) override { answer_.fail(at, error); }

 private:
  Arguments arguments_;
  LocalAnswer<M> answer_;
};

// --- static rows ---------------------------------------------------------------------------------

/// MethodInfo::describe.
template <auto M>
std::string describe(TypeTable* types) {
  using Traits = TraitsOf<M>;
  MethodTypes all;
  [&]<class... A>(std::tuple<A...>*) {
    (all.arguments.push_back(described<A>(types)), ...);
  }(static_cast<typename Traits::Arguments*>(nullptr));
  if constexpr (!std::is_void_v<typename Traits::Value>) {
    all.answer = described<typename Traits::Value>(types);
  }
  if constexpr (!std::is_same_v<typename Traits::Refusal, NoError>) {
    all.refusal = described<typename Traits::Refusal>(types);
  }
  return types == nullptr ? signature_text(all) : json_members(all);
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
  static std::string type_name() { return name_of_type(typeid(C)); }
  static const ClassInfo info;
  static const bool enlisted;
};
template <class C>
inline constexpr auto kRowsOf = ClassOf<C>::rows_of(C::kRpc);
template <class C>
constinit const ClassInfo ClassOf<C>::info{C::kRpc.class_name, ClassOf<C>::parent(), kRowsOf<C>,
                                           &ClassOf<C>::type_name};
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
