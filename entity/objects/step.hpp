/// Code that travels: methods of an entity that its timers and open questions name, so that future
/// work can move to another process as a name and arguments.
///
///   void respawn(int place);                                 // of a timer
///   void bought(rpc::Reply<int> price, std::string item);    // of an answer: docs/guide/flows.md
///   static constexpr auto kSteps = entity::steps<&Player::respawn, &Player::bought>();
///
/// Each has the name of its method. One that was renamed keeps its old one as a text, by which
/// those find it that were set before: steps(step<&Player::respawn>("revive"), ...).
///
/// They cannot be called from outside. Declarations are compile-time values; state that travelled
/// is treated as hostile: an unknown name or other types are refused. docs/guide/entities.md,
/// "Steps".
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>

#include "base/declared_name.hpp"
#include "entity/archive/signature.hpp"
#include "entity/objects/component.hpp"
#include "entity/rpc/call_fits.hpp"
#include "entity/rpc/method.hpp"
#include "entity/rpc/reply.hpp"

namespace starbus::entity {

class Entity;

// --- types of steps ------------------------------------------------------------------------------

/// The types of a method that may be a step; kStep is false for any other.
template <class M>
struct StepTraits {
  static constexpr bool kStep = false;
};
template <class C, class... A>
struct StepTraits<void (C::*)(A...)> {
  using Host = C;
  using Arguments = std::tuple<std::remove_cvref_t<A>...>;
  static constexpr bool kStep = (rpc::Argument<A> && ...);
  static constexpr bool kAnswered = false;
};
template <class C, class T, class E, class... A>
struct StepTraits<void (C::*)(starbus::Result<T, rpc::Failure<E>>, A...)> {
  using Host = C;
  using Arguments = std::tuple<std::remove_cvref_t<A>...>;
  using Value = T;
  using Refusal = E;
  static constexpr bool kStep = (rpc::Argument<A> && ...);
  static constexpr bool kAnswered = true;
};
template <auto M>
using StepOf = StepTraits<std::remove_const_t<decltype(M)>>;
template <auto M>
concept IsStep = StepOf<M>::kStep;

/// The answer for a step that waits for one, as bytes of rpc/wire.hpp.
struct StepAnswer {
  bool in_time = true;
  ByteView bytes{};
};

/// The object whose step runs: the entity, or the component of that class. Null: it has none.
template <class Host>
struct StepHost {
  static Host* of(Entity& entity) { return &static_cast<Host&>(entity); }
};
template <class Host>
requires std::is_base_of_v<Component, Host>
struct StepHost<Host> {
  template <class Owner>
  static Host* of(Owner& entity) {
    return entity.template component<Host>();
  }
};

/// One row of kSteps.
struct Step {
  std::string_view name{};
  bool answered = false;
  /// Hash of the argument types.
  std::uint64_t (*signature)() = nullptr;
  /// Decodes the arguments, and runs the step unless the entity is null.
  DataErrc (*run)(Entity* entity, ByteView arguments, const StepAnswer& answer) = nullptr;
};

/// The kSteps of a class.
template <auto... M>
struct Steps {
  std::array<Step, sizeof...(M)> rows;
  /// Null if there is none.
  const Step* find(std::string_view name) const {
    for (const Step& row : rows) {
      if (row.name == name) return &row;
    }
    return nullptr;
  }
};

/// The hash of the argument types, by which two builds of a step are told apart.
template <auto M>
std::uint64_t step_signature() {
  using Traits = StepOf<M>;
  static const std::uint64_t hash = [] {
    std::string text = "(";
    [&]<class... A>(std::tuple<A...>*) {
      ((text += signature_of<A>(), text += ','), ...);
    }(static_cast<typename Traits::Arguments*>(nullptr));
    text += ')';
    if constexpr (Traits::kAnswered) {
      if constexpr (!std::is_void_v<typename Traits::Value>) {
        text += signature_of<typename Traits::Value>();
      }
      text += '!' + signature_of<typename Traits::Refusal>();
    }
    return hash_of(text);
  }();
  return hash;
}

/// Decodes the arguments and runs the step, unless `entity` is null. Errors of the decoder: nothing
/// has run.
template <auto M>
DataErrc run_step(Entity* entity, ByteView bytes, const StepAnswer& answer) {
  using Traits = StepOf<M>;
  typename Traits::Arguments arguments{};
  Decoder in(bytes);
  std::apply([&](auto&... values) { (get_value(in, values), ...); }, arguments);
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok || entity == nullptr) return bad;
  auto* const host = StepHost<typename Traits::Host>::of(*entity);
  if (host == nullptr) return DataErrc::refused;  // the component is gone
  auto& self = *host;
  std::apply(
      [&](auto&... values) {
        if constexpr (Traits::kAnswered) {
          using Answer = rpc::Reply<typename Traits::Value, typename Traits::Refusal>;
          Answer reply = rpc::Failure<typename Traits::Refusal>(rpc::Errc::deadline);
          if (answer.in_time) {
            reply =
                rpc::decode_answer<typename Traits::Value, typename Traits::Refusal>(answer.bytes);
          }
          (self.*M)(std::move(reply), std::move(values)...);
        } else {
          (self.*M)(std::move(values)...);
        }
      },
      arguments);
  return DataErrc::ok;
}

// --- declarations --------------------------------------------------------------------------------

/// One row for `steps`.
template <auto M>
struct DeclaredStep {
  std::string_view name;
};

/// Declares one step. Its name travels: 1..48 of a-z 0-9 _.
template <auto M>
consteval DeclaredStep<M> step(std::string_view name) {
  static_assert(IsStep<M>,
                "a step is `void name(A...)` or `void name(rpc::Reply<T, E>, A...)`: arguments by "
                "value or by reference to const, default-constructible, no pointers, no views");
  return {name};
}
/// The same under its own name.
template <auto M>
consteval DeclaredStep<M> step() {
  return step<M>(member_name<M>());
}

/// Collects the rows of kSteps; two steps of one name do not compile.
template <auto... M>
consteval Steps<M...> steps(DeclaredStep<M>... declared) {
  const Steps<M...> all{
      {Step{declared.name, StepOf<M>::kAnswered, &step_signature<M>, &run_step<M>}...}};
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    if (!rpc::is_part(all.rows[i].name)) throw "a step's name: 1..48 of a-z 0-9 _";
    for (std::size_t j = 0; j < i; ++j) {
      if (all.rows[i].name == all.rows[j].name) throw "two steps of one class have the same name";
    }
  }
  return all;
}
/// The same, each under its own name.
template <auto M, auto... More>
consteval Steps<M, More...> steps() {
  return steps(step<M>(), step<More>()...);
}

/// A step that the kSteps of its class declares.
template <auto M>
concept is_declared_in_kSteps = IsStep<M> && rpc::place_in<M>(StepOf<M>::Host::kSteps)
< StepOf<M>::Host::kSteps.rows.size();

/// Named in the compiler's message where a step is used that its class does not declare.
template <auto M>
struct step_is_not_declared {
  static_assert(is_declared_in_kSteps<M>,
                "the class does not declare this step in its kSteps: add "
                "entity::step<&Class::name>(\"name\") to entity::steps(...)");
};

/// Named in the compiler's message where the arguments of a step do not fit; counted from 1.
template <auto S, std::size_t Wanted, std::size_t Given>
struct wrong_number_of_step_arguments {
  static_assert(rpc::number_of_arguments_fits<S, Wanted, Given>,
                "another number of arguments than the step takes: the template arguments are the "
                "step, the number wanted, and the number given");
};
template <auto S, std::size_t Number, class Wanted, class Given>
inline constexpr bool step_argument_fits = std::is_constructible_v<Wanted, Given>;
template <auto S, std::size_t Number, class Wanted, class Given>
struct step_argument_does_not_fit {
  static_assert(step_argument_fits<S, Number, Wanted, Given>,
                "an argument does not convert to what the step takes: the template arguments are "
                "the step, the number of the argument, the type wanted, and the type given");
};
template <auto S, class Wanted, class Numbers, class... Given>
struct StepArguments;
template <auto S, class... Wanted, std::size_t... I, class... Given>
struct StepArguments<S, std::tuple<Wanted...>, std::index_sequence<I...>, Given...>
    : step_argument_does_not_fit<S, I + 1, Wanted, Given>... {
  static constexpr bool kFit = (step_argument_fits<S, I + 1, Wanted, Given> && ... && true);
};

/// Whether arguments of these types fit a declared step; the first mistake does not compile.
template <auto S, class... Given>
consteval bool step_fits() {
  if constexpr (!is_declared_in_kSteps<S>) {
    return sizeof(step_is_not_declared<S>) == 0;
  } else {
    using Wanted = typename StepOf<S>::Arguments;
    constexpr std::size_t kWanted = std::tuple_size_v<Wanted>;
    if constexpr (kWanted != sizeof...(Given)) {
      return sizeof(wrong_number_of_step_arguments<S, kWanted, sizeof...(Given)>) == 0;
    } else {
      using Each = StepArguments<S, Wanted, std::make_index_sequence<kWanted>, Given...>;
      return sizeof(Each) > 0 && Each::kFit;
    }
  }
}

/// The row of a step that its class declares.
template <auto M>
const Step& step_row() {
  static_assert(sizeof(step_is_not_declared<M>) > 0);
  if constexpr (is_declared_in_kSteps<M>) {
    return StepOf<M>::Host::kSteps.rows[rpc::place_in<M>(StepOf<M>::Host::kSteps)];
  } else {
    static const Step none;
    return none;
  }
}

/// The name under which a step waits and travels: "respawn", or "backpack.decay" of a component.
template <auto M>
std::string_view step_name() {
  using Host = typename StepOf<M>::Host;
  if constexpr (std::is_base_of_v<Component, Host>) {
    static const std::string name =
        std::string(component_name<Host>()).append(".").append(step_row<M>().name);
    return name;
  } else {
    return step_row<M>().name;
  }
}

/// The step of a component by its whole name; null: it is none of this class.
template <class C>
const Step* component_step(std::string_view name) {
  if constexpr (requires { C::kSteps; }) {
    constexpr std::string_view kName = component_name<C>();
    const std::size_t size = kName.size();
    if (name.size() <= size || !name.starts_with(kName) || name[size] != '.') return nullptr;
    return C::kSteps.find(name.substr(size + 1));
  } else {
    return nullptr;
  }
}

/// The same of any component of a list.
template <template <class...> class List, class... C>
const Step* step_of_components([[maybe_unused]] std::string_view name, const List<C...>&) {
  const Step* found = nullptr;
  static_cast<void>((((found = component_step<C>(name)) != nullptr) || ...));
  return found;
}

}  // namespace starbus::entity
