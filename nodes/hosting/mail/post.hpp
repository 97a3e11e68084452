/// Posts to the mailbox of an entity, wherever that is, and while it is nowhere: its method is
/// called once, when it is there.
///
///   const auto number = co_await entities::post<&Player::gift>(*this, "player/ada", 50);
///   entities::post<&Player::gift>(*this, friend_, {.key = "trade-77/ada"}, 50)(
///       [](const bus::Result<std::uint64_t>& number) { ... });
///
/// `from` is the entity or component that posts, or an rpc::Endpoint, a bus::Bus or a World; the
/// target is a name or a Ref. Completes with the number of the message in the mailbox once it is on
/// a disk; errors are those of bus::Bus::post, and too_large: the arguments do not fit. Nothing is
/// posted before the result is awaited or gets its callback. The loop's thread.
/// docs/guide/entity-mail.md.
#pragma once

#include <boost/asio/post.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "base/wall_clock.hpp"
#include "bus/client/bus.hpp"
#include "entity/objects/acting.hpp"
#include "nodes/hosting/host_context.hpp"
#include "nodes/hosting/mail/mail_method.hpp"

namespace starbus::nodes::entities {

/// How a message is posted.
struct MailOptions {
  /// An idempotency key, for those who may post the same again after a crash: see bus::PostOptions.
  bus::PostKey key{};
  /// It is not handled, and not missed, after this time. 0: it counts for ever.
  std::chrono::milliseconds valid_for{0};
  /// How long to wait for the store; and whether, if no host has it: see bus::PostOptions.
  std::chrono::milliseconds ttl{30'000};
  bool wait = true;
};

/// How a notice is announced.
struct NoticeOptions {
  /// The log: that of HostOptions::notices of the processes whose entities are to get it.
  std::string_view log = "log/notices";
  bus::PostKey key{};
  /// It is not handled after this time. 0: as long as the log keeps it.
  std::chrono::milliseconds valid_for{0};
  /// True: only for entities that are there when it is stored, and not for those that come later.
  bool only_present = false;
  std::chrono::milliseconds ttl{30'000};
};

namespace mail_detail {

inline bus::Bus& bus_of(bus::Bus& bus) {
  return bus;
}
inline bus::Bus& bus_of(entity::rpc::Endpoint& endpoint) {
  return endpoint.bus();
}
inline bus::Bus& bus_of(const entity::World& world) {
  return world.rpc().bus();
}
inline bus::Bus& bus_of(const entity::Acting& acting) {
  return acting.world().rpc().bus();
}

template <auto M, class To>
std::string name_of_target(const To& to) {
  if constexpr (requires { typename To::Referred; }) {
    using Host = typename MailOf<M>::Host;
    static_assert(entity::MethodFitsReference<Host, typename To::Referred>::kFits);
    return to.name();
  } else {
    return std::string(std::string_view(to));
  }
}

/// Error: too_large.
template <auto M, class... A>
bus::Result<bus::Bytes> encode_mail(std::chrono::milliseconds valid_for, bool only_present,
                                    const A&... arguments) {
  using Arguments = typename MailOf<M>::Arguments;
  static_assert(MailMethod<M>, "this is no mail method: see mail_method()");
  static_assert(std::tuple_size_v<Arguments> == sizeof...(A),
                "another number of arguments than the mail method takes after MailInfo");
  const std::string method = mail_name<M>();
  MailHead head{method, mail_signature<M>(), 0, only_present};
  if (valid_for.count() > 0) {
    head.valid_until = wall_ms() + static_cast<std::uint64_t>(valid_for.count());
  }
  bus::Bytes bytes;
  entity::Encoder out(bytes);
  put_mail_head(out, head);
  bool fit = true;
  [&]<class... P>(std::tuple<P...>*) {
    ((fit = fit && entity::rpc::detail::fits<P>(arguments),
      entity::rpc::detail::put_argument<P>(out, arguments)),
     ...);
  }(static_cast<Arguments*>(nullptr));
  if (out.ok() && fit) return bytes;
  return bus::Error(bus::Errc::too_large, method + ": the arguments do not fit");
}

enum class MailTo : std::uint8_t { mailbox, log };

/// Posts, or appends, when it is awaited or gets its callback.
inline auto start_post(bus::Bus& bus, MailTo to, std::string name, bus::Result<bus::Bytes> body,
                       const bus::PostOptions& options) {
  bus::Awaited token;
  return bus::initiate<std::uint64_t>(
      token, [&bus, to, name = std::move(name), body = std::move(body),
              options](std::function<void(bus::Result<std::uint64_t>)> done) {
        if (!body) {
          return boost::asio::post(bus.loop(),
                                   [done = std::move(done), why = body.error()] { done(why); });
        }
        if (to == MailTo::log) return bus.append(name, *body, options, std::move(done));
        bus.post(name, *body, options, std::move(done));
      });
}

}  // namespace mail_detail

/// Posts a call of M: see above.
template <auto M, class From, class To, class... A>
[[nodiscard]] auto post(From& from, const To& to, const MailOptions& options,
                        const A&... arguments) {
  bus::PostOptions how;
  how.key = options.key;
  how.ttl = options.ttl;
  how.wait = options.wait;
  return mail_detail::start_post(
      mail_detail::bus_of(from), mail_detail::MailTo::mailbox, mail_detail::name_of_target<M>(to),
      mail_detail::encode_mail<M>(options.valid_for, false, arguments...), how);
}
/// The same, as MailOptions are by default.
template <auto M, class From, class To, class... A>
[[nodiscard]] auto post(From& from, const To& to, const A&... arguments)  //
    requires(!entity::objects_detail::kBeginsWith<MailOptions, A...>) {
  return post<M>(from, to, MailOptions{}, arguments...);
}

/// Appends a notice: the method is called once on each entity that has it and a Notices component,
/// now or when it comes (notices.hpp). Completes with its number in the log. As post().
template <auto M, class From, class... A>
[[nodiscard]] auto announce(From& from, const NoticeOptions& options, const A&... arguments) {
  bus::PostOptions how;
  how.key = options.key;
  how.ttl = options.ttl;
  return mail_detail::start_post(
      mail_detail::bus_of(from), mail_detail::MailTo::log, std::string(options.log),
      mail_detail::encode_mail<M>(options.valid_for, options.only_present, arguments...), how);
}

}  // namespace starbus::nodes::entities
