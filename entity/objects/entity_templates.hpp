/// The functions of Entity that are templates: steps, questions, components. Part of entity.hpp.
/// Belongs to the loop's thread.
#pragma once

#include "entity/objects/entity.hpp"

namespace starbus::entity {

template <auto S, class... A>
EntityResult<std::uint64_t> Entity::run_later(const StepTime& when, A&&... arguments) {
  static_assert(!StepOf<S>::kAnswered, "this step waits for an answer: see ask()");
  const EntityResult<Bytes> bytes = encode_step<S>(std::forward<A>(arguments)...);
  if (!bytes) return bytes.error();
  return add_timer(step_name<S>(), *bytes, when);
}

template <auto S, class... A>
EntityResult<> Entity::run_every(Time interval, A&&... arguments) {
  if (waiting<S>() > 0) return {};
  const auto set =
      run_later<S>({.first = interval, .interval = interval}, std::forward<A>(arguments)...);
  if (!set) return set.error();
  return {};
}

template <auto M, auto S, class... Kept, class... A>
EntityResult<FlowId> Entity::ask(rpc::Endpoint& endpoint, const rpc::Address& to,
                                 const rpc::AskOptions& options, std::tuple<Kept...> kept,
                                 A&&... arguments) {
  using Method = rpc::TraitsOf<M>;
  static_assert(StepOf<S>::kAnswered, "this step takes no answer");
  static_assert(std::is_same_v<typename StepOf<S>::Value, typename Method::Value> &&
                    std::is_same_v<typename StepOf<S>::Refusal, typename Method::Refusal>,
                "the step takes the method's rpc::Reply<T, E> first");
  const EntityResult<Bytes> bytes =
      std::apply([](auto&... each) { return encode_step<S>(std::move(each)...); }, kept);
  if (!bytes) return bytes.error();
  const EntityResult<FlowId> asked = add_flow(endpoint, step_name<S>(), *bytes, options.deadline);
  if (!asked) return asked;
  rpc::detail::EndpointCore& core = rpc::detail::core_of(endpoint);
  const std::string channel(core.bindings.channel_of(*this));
  const rpc::AnswerId question{asked->epoch, asked->number};
  rpc::CallHeader header;
  header.answer_to = channel;
  header.question = question;
  auto buffer = core.buffers.lend();
  if (!rpc::encode_call<M>(*buffer, header, arguments...)) {
    cancel_question(*asked);
    return EntityError(EntityErrc::too_large, rpc::info_of<M>().full_name());
  }
  core.ask(to, options, *buffer, channel, question);
  return asked;
}

template <class C, class... A>
EntityResult<C*> Entity::add_component(A&&... arguments) {
  const ComponentInfo& info = component_info<C>();
  if (auto may = may_attach(info); !may) return may.error();
  if (!type().is_a(type_info<typename C::OwnerClass>())) {
    return EntityError(EntityErrc::wrong_owner, std::string(info.name));
  }
  const EntityResult<StructBase*> state = state_for(info, state_schema<C>());
  if (!state) return state.error();
  const ComponentKey key(*this, info, *state);
  C* made = nullptr;
  try {
    made = C::construct(key, std::forward<A>(arguments)...);
  } catch (...) {
    return construction_failed(info.name);
  }
  rpc::CallableBase* host = nullptr;
  if constexpr (std::is_base_of_v<rpc::CallableBase, C>) host = made;
  if (auto attached = attach_part(made, host); !attached) return attached.error();
  return made;
}

}  // namespace starbus::entity
