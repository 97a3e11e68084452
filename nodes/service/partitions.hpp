/// Calls to a type with partitions, by key: to the owner of the key's partition now, or to the one
/// that owns it before the deadline.
///
///   service::Partitions ranks(node.rpc(), "rank", 16);      // for as long as you call
///   auto total = co_await ranks.call<&Rank::add>(player, {.deadline = 3s}, player, points);
///   ranks.call<&Rank::add>(player, {}, player, points)([](const auto& total) { ... });
///
/// The number of partitions is part of the channel names, so a caller with a wrong number reaches
/// no owner. A call that was not run (its partition was moving) is repeated until the deadline; a
/// call that may have run is never repeated. Calls of one key are in order while the partition
/// stays where it is. Belongs to the loop's thread, and ends before the endpoint; what waits then
/// ends as closed.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "bus/client/initiate_early.hpp"
#include "entity/rpc/rpc.hpp"
#include "nodes/service/partition_watch.hpp"

namespace starbus::nodes::service {

/// The outcome of a call by key: the error is of services (not_placed, wrong_partitions ...), of
/// RPC, or of the bus (owner_lost ...).
template <class T, class E>
using Answer = entity::rpc::Reply<T, E>;

/// Options of a call by key.
struct KeyCallOptions {
  std::chrono::milliseconds deadline{5000};  // with all waiting
  bus::Lane lane = bus::Lane::call;
  bus::Trace trace{};
};

class Partitions {
 public:
  /// `partitions` is that of the manager's configuration, 1..kMaxCount.
  Partitions(entity::rpc::Endpoint& endpoint, std::string type, std::uint32_t partitions)
      : endpoint_(endpoint),
        watch_(std::make_shared<PartitionWatch>(endpoint.bus(), std::move(type), partitions)) {}

  template <auto M, bool kTrap>
  class KeyCall;
  /// A call that ends with an Answer of the method's value and refusal. The arguments are copied
  /// before this returns; it begins when the result is awaited, in an rpc::Task or an Asio
  /// coroutine, or given a completion token. As with rpc::call, an awaited temporary struct that
  /// owns memory does not compile.
  template <auto M, class... A>
  requires entity::rpc::CallableWith<M, A...>
  auto call(std::string_view key, const KeyCallOptions& options, A&&... arguments) {
    const bool fits = entity::rpc::detail::all_fit<M>(arguments...);
    return KeyCall<M, (kTrapsCoAwait<A> || ...)>(
        endpoint_, watch_, partition_of(key, watch_->partitions()), options, fits,
        entity::rpc::detail::pack<M>(std::forward<A>(arguments)...));
  }

  /// Number of partitions known to be reachable now.
  std::size_t placed() const { return watch_->placed(); }
  /// Number of calls that wait for a partition.
  std::size_t waiting() const { return watch_->waiting(); }

 private:
  /// One call, through all its tries.
  template <auto M, class Ended, class Handler>
  struct Attempt {
    using Traits = entity::rpc::TraitsOf<M>;
    using Reply = entity::rpc::Reply<typename Traits::Value, typename Traits::Refusal>;
    using Failure = entity::rpc::Failure<typename Traits::Refusal>;
    using Self = std::shared_ptr<Attempt>;

    Attempt(entity::rpc::Endpoint& to, const std::shared_ptr<PartitionWatch>& places,
            std::uint32_t number, const KeyCallOptions& with, typename Traits::Arguments values,
            Handler then)
        : endpoint(to),
          watch(places),
          partition(number),
          options(with),
          deadline(PartitionWatch::Clock::now() + with.deadline),
          arguments(std::move(values)),
          handler(std::move(then)) {}

    static void find(const Self& self, bus::Epoch not_this) {
      const auto watch = self->watch.lock();
      if (!watch) return end_later(self, Failure(Error(Errc::closed)));
      watch->find(self->partition, self->options.lane, self->deadline, not_this,
                  [self](Result<PartitionWatch::Place> place) {
                    if (!place) return end_later(self, Failure(place.error()));
                    send(self, *place);
                  });
    }
    static void send(const Self& self, const PartitionWatch::Place& place) {
      using std::chrono::milliseconds;
      entity::rpc::CallOptions how;
      how.deadline = std::max(milliseconds(1), std::chrono::duration_cast<milliseconds>(
                                                   self->deadline - PartitionWatch::Clock::now()));
      how.lane = self->options.lane;
      how.trace = self->options.trace;
      auto pending = std::apply(
          [&](const auto&... values) {
            return entity::rpc::call<M>(self->endpoint, place.channel, how, values...);
          },
          self->arguments);
      std::move(pending)([self, epoch = place.epoch](Reply reply) {
        // Nothing was run, and the partition may be elsewhere soon.
        if (!reply && entity::rpc::is_absent(reply.error())) return find(self, epoch);
        if (!reply) return end(self, Failure(std::move(reply).error()));
        if constexpr (std::is_void_v<typename Traits::Value>) {
          end(self, Ended());
        } else {
          end(self, Ended(*std::move(reply)));
        }
      });
    }
    static void unfit(const Self& self) {
      using entity::rpc::Errc;
      end_later(self, Failure(Errc::bad_arguments, "out of range"));
    }
    static void end(const Self& self, Ended ended) { std::move(self->handler)(std::move(ended)); }
    static void end_later(const Self& self, Failure failure) {
      boost::asio::post(self->endpoint.loop(), [self, failure = std::move(failure)]() mutable {
        end(self, Ended(std::move(failure)));
      });
    }

    entity::rpc::Endpoint& endpoint;
    std::weak_ptr<PartitionWatch> watch;
    const std::uint32_t partition;
    const KeyCallOptions options;
    const PartitionWatch::Clock::time_point deadline;
    const typename Traits::Arguments arguments;
    Handler handler;
  };

  entity::rpc::Endpoint& endpoint_;
  std::shared_ptr<PartitionWatch> watch_;
};

/// A call by key that has not begun: an operation of Asio, for once. Owns the arguments; the
/// Partitions may end before it. Belongs to the loop's thread.
template <auto M, bool kTrap>
class [[nodiscard]] Partitions::KeyCall
    : public std::conditional_t<kTrap, NotAwaitable, std::monostate> {
 public:
  using Traits = entity::rpc::TraitsOf<M>;
  using Ended = Answer<typename Traits::Value, typename Traits::Refusal>;

  KeyCall(entity::rpc::Endpoint& endpoint, std::shared_ptr<PartitionWatch> watch,
          std::uint32_t partition, const KeyCallOptions& options, bool fits,
          typename Traits::Arguments arguments)
      : endpoint_(endpoint),
        watch_(std::move(watch)),
        partition_(partition),
        options_(options),
        fits_(fits),
        arguments_(std::move(arguments)) {}

  template <boost::asio::completion_token_for<void(Ended)> Token>
  requires(!kTrap || !bus::kAwaits<Token, void(Ended)>)  //
      auto
      operator()(Token&& token) && {
    return boost::asio::async_initiate<Token, void(Ended)>(
        [](auto handler, KeyCall call) {
          using Made = Attempt<M, Ended, decltype(handler)>;
          auto attempt =
              std::make_shared<Made>(call.endpoint_, call.watch_, call.partition_, call.options_,
                                     std::move(call.arguments_), std::move(handler));
          call.watch_.reset();  // of the Partitions alone: their end ends the attempt
          call.fits_ ? Made::find(attempt, {}) : Made::unfit(attempt);
        },
        token, std::move(*this));
  }

 private:
  entity::rpc::Endpoint& endpoint_;
  std::shared_ptr<PartitionWatch> watch_;
  std::uint32_t partition_;
  KeyCallOptions options_;
  bool fits_;
  typename Traits::Arguments arguments_;
};

}  // namespace starbus::nodes::service
