/// Posts and appends: messages to the shard that stores a mailbox or a log, until the shard's
/// result. `store/` is watched only for posts that do not wait for an absent store. One thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "bus/client/parts/bus_context.hpp"
#include "bus/client/parts/message_sender.hpp"
#include "bus/client/parts/prefix_watchers.hpp"
#include "bus/core/wire/post_head.hpp"

namespace starbus::bus {

class MailPosts {
 public:
  MailPosts(BusContext& context, PrefixWatchers& watchers, MessageSender& sender)
      : context_(context), watchers_(watchers), sender_(sender) {}

  /// See Bus::post and Bus::append.
  void post(PostTarget target, const std::string& name, ByteView body, const PostOptions& options,
            Done<std::uint64_t> done);
  void on_posted(Token token, Errc status, std::uint64_t number);
  /// False if this is not a post.
  bool end(Token token, Result<std::uint64_t> result);
  void shut(const Error& reason);

 private:
  struct Pending {
    std::string box;
    Done<std::uint64_t> done;
  };

  void post_now(PostTarget target, const std::string& name, ByteView body,
                const PostOptions& options, Done<std::uint64_t> done);
  void hold_post(PostTarget target, const std::string& name, ByteView body,
                 const PostOptions& options, Done<std::uint64_t> done);
  Result<Token> send(PostTarget target, const std::string& name, ByteView body,
                     const PostOptions& options);
  static Result<> check_size(ByteView body, const PostOptions& options);
  Result<> check_store(const Name& shard);
  void write_head(PostTarget target, const std::string& name, const PostOptions& options);

  BusContext& context_;
  PrefixWatchers& watchers_;
  MessageSender& sender_;
  boost::unordered_flat_map<Token, Pending> posts_;
  std::size_t held_ = 0;  // posts that wait for the first snapshot of the stores
};

}  // namespace starbus::bus
