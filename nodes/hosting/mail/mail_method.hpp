/// Declares which methods of an entity, or of a component, are called by mail: messages that wait
/// on a disk until the entity is there, and that take effect once (docs/guide/entity-mail.md).
///
///   class Player final
///       : public entity::EntityOf<Player, entity::Entity, entity::Components<entities::Inbox>> {
///    public:
///     void gift(const entities::MailInfo& mail, int gold) { state.gold += gold; }
///     static constexpr auto kMail =
///         entities::mail_methods(entities::mail_method<&Player::gift>("gift"));
///     ...
///   };
///
/// Forms of a method: `void name(const MailInfo&, A...)`; or it returns a starbus::Result<void, E>,
/// whose error refuses the message. It does not wait: a coroutine's effects would be saved without
/// the place of the message, or the other way round. Compile-time values; names are 1..48 of
/// a-z 0-9 _.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bus/core/error.hpp"
#include "entity/archive/signature.hpp"
#include "entity/objects/entity.hpp"
#include "entity/rpc/encode_call.hpp"
#include "nodes/hosting/mail/mail_body.hpp"

namespace starbus::nodes::entities {

/// What a handler is told of its message.
struct MailInfo {
  std::uint64_t number = 0;                      // its place in the mailbox, or in the log
  std::chrono::system_clock::time_point posted;  // when it was stored, by the store's clock
  std::uint32_t attempts = 1;                    // this one counted
  bool notice = false;                           // it came from the log that all entities read
};

namespace mail_detail {

template <class R>
inline constexpr bool kMailReturn = std::is_void_v<R>;
template <class E>
inline constexpr bool kMailReturn<starbus::Result<void, E>> = std::is_base_of_v<starbus::Error, E>;

template <class M>
struct MailTraits {
  static constexpr bool kMail = false;
};
template <class R, class C, class... A>
struct MailTraits<R (C::*)(const MailInfo&, A...)> {
  using Host = C;
  using Return = R;
  using Arguments = std::tuple<std::remove_cvref_t<A>...>;
  static constexpr bool kMail = kMailReturn<R> && (entity::rpc::Argument<A> && ...);
};
template <auto M>
using MailOf = MailTraits<std::remove_const_t<decltype(M)>>;

template <auto M>
struct Tag {};

}  // namespace mail_detail

/// A pointer to a member function that has the form of a mail method.
template <auto M>
concept MailMethod = mail_detail::MailOf<M>::kMail;

/// What came of handing a message to its handler.
struct MailRun {
  bool ran = false;      // false: the arguments could not be decoded
  bus::Result<> result;  // of the handler
};

/// One row of the table of a type.
struct MailHandler {
  std::string name;  // as in MailHead::method
  std::uint64_t (*signature)() = nullptr;
  MailRun (*run)(entity::Entity& entity, entity::Decoder& in, const MailInfo& info) = nullptr;
};
using MailTable = std::vector<MailHandler>;

/// The hash of the types of the arguments.
template <auto M>
std::uint64_t mail_signature() {
  static const std::uint64_t hash = [] {
    std::string text = "(";
    [&]<class... A>(std::tuple<A...>*) {
      ((text += entity::signature_of<A>(), text += ','), ...);
    }(static_cast<typename mail_detail::MailOf<M>::Arguments*>(nullptr));
    return entity::hash_of(text + ')');
  }();
  return hash;
}

/// Decodes the arguments and runs the handler. Throws what that throws.
template <auto M>
MailRun run_mail(entity::Entity& entity, entity::Decoder& in, const MailInfo& info) {
  using Traits = mail_detail::MailOf<M>;
  typename Traits::Arguments arguments{};
  std::apply([&](auto&... values) { (entity::get_value(in, values), ...); }, arguments);
  if (in.finish() != entity::DataErrc::ok) return {};
  auto* const host = entity::StepHost<typename Traits::Host>::of(entity);
  if (host == nullptr) {
    return {true, bus::Error(bus::Errc::handler_failed, "the entity has no such component")};
  }
  return std::apply(
      [&](auto&... values) -> MailRun {
        if constexpr (std::is_void_v<typename Traits::Return>) {
          (host->*M)(info, std::move(values)...);
          return {true, {}};
        } else {
          const auto handled = (host->*M)(info, std::move(values)...);
          if (handled) return {true, {}};
          return {true, bus::Error(handled.error())};
        }
      },
      arguments);
}

// --- declarations --------------------------------------------------------------------------------

/// The type of kMail.
template <auto... M>
struct MailMethods {
  std::array<std::string_view, sizeof...(M)> names;

  /// Adds rows that are not there yet. `component`: the name of its class; empty: an entity's own.
  void add_to(MailTable& table, std::string_view component) const {
    std::size_t at = 0;
    (add_row<M>(table, component, names[at++]), ...);
  }
  /// The name of one; empty: it is not declared here.
  template <auto Wanted>
  constexpr std::string_view name_of() const {
    std::string_view found;
    std::size_t at = 0;
    ((found = std::is_same_v<mail_detail::Tag<Wanted>, mail_detail::Tag<M>> ? names[at] : found,
      ++at),
     ...);
    return found;
  }

 private:
  template <auto Row>
  static void add_row(MailTable& table, std::string_view component, std::string_view name) {
    std::string whole(component);
    whole.append(component.empty() ? "" : ".").append(name);
    const bool known = std::ranges::any_of(
        table, [&](const MailHandler& handler) { return handler.name == whole; });
    if (!known) table.push_back({std::move(whole), &mail_signature<Row>, &run_mail<Row>});
  }
};

/// A method of kMail, and the name under which it travels.
template <auto M>
struct DeclaredMail {
  std::string_view name;
};

/// Declares one method, under the name that travels.
template <auto M>
consteval DeclaredMail<M> mail_method(std::string_view name) {
  static_assert(MailMethod<M>,
                "a mail method is `void name(const MailInfo&, A...)`, or returns a "
                "starbus::Result<void, E>: arguments by value or by reference to const, "
                "default-constructible, no pointers, no views");
  return {name};
}

/// Collects the rows of kMail; two methods of one name do not compile.
template <auto... M>
consteval MailMethods<M...> mail_methods(DeclaredMail<M>... declared) {
  const MailMethods<M...> all{{declared.name...}};
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    if (!entity::rpc::is_part(all.names[i])) throw "a mail method's name: 1..48 of a-z 0-9 _";
    for (std::size_t j = 0; j < i; ++j) {
      if (all.names[i] == all.names[j]) throw "two mail methods of one class have the same name";
    }
  }
  return all;
}

/// The name under which a method is called by mail: "gift", or "postbox.deliver" of a component.
template <auto M>
std::string mail_name() {
  using Host = typename mail_detail::MailOf<M>::Host;
  constexpr std::string_view kOwn = Host::kMail.template name_of<M>();
  static_assert(!kOwn.empty(), "the class does not declare this method in its kMail");
  if constexpr (std::is_base_of_v<entity::Component, Host>) {
    return std::string(entity::component_name<Host>()).append(".").append(kOwn);
  } else {
    return std::string(kOwn);
  }
}

// --- the table of a type -------------------------------------------------------------------------

namespace mail_detail {

template <class T, class Parent, class List>
List components_in(const entity::EntityOf<T, Parent, List>*);
template <class T>
using ComponentsOf = decltype(components_in<T>(static_cast<const T*>(nullptr)));

template <class C>
void add_component(MailTable& table) {
  if constexpr (requires { C::kMail; }) C::kMail.add_to(table, entity::component_name<C>());
}

}  // namespace mail_detail

/// The rows of a class of entities, of the components that it declares, and of its ancestors.
template <class T>
void collect_mail(MailTable& table) {
  if constexpr (requires { T::kMail; }) T::kMail.add_to(table, {});
  if constexpr (!std::is_void_v<typename T::TypeParent>) {
    [&]<class... C>(const entity::Components<C...>&) {
      (mail_detail::add_component<C>(table), ...);
    }(mail_detail::ComponentsOf<T>{});
    collect_mail<typename T::TypeParent>(table);
  }
}

/// Whether a class of entities, or an ancestor, declares this component.
template <class T, class C>
constexpr bool declares_component() {
  if constexpr (std::is_void_v<typename T::TypeParent>) {
    return false;
  } else {
    return []<class... Each>(const entity::Components<Each...>*) {
      return (std::is_same_v<C, Each> || ...);
    }(static_cast<mail_detail::ComponentsOf<T>*>(nullptr)) ||
           declares_component<typename T::TypeParent, C>();
  }
}

}  // namespace starbus::nodes::entities
