#include "bus/client/parts/mail_posts.hpp"

#include <utility>

#include "bus/core/wire/post_limit.hpp"

namespace starbus::bus {

void MailPosts::post(PostTarget target, const std::string& name, ByteView body,
                     const PostOptions& options, Done<std::uint64_t> done) {
  // A post that does not wait needs the snapshot of the stores; later posts stay after it.
  const bool held = context_.process.reply_lineage() &&
                    !watchers_.complete_rows(std::string(kStores)) &&
                    (!options.wait || held_ != 0) && !context_.ends();
  if (held) return hold_post(target, name, body, options, std::move(done));
  post_now(target, name, body, options, std::move(done));
}

void MailPosts::post_now(PostTarget target, const std::string& name, ByteView body,
                         const PostOptions& options, Done<std::uint64_t> done) {
  const auto token = send(target, name, body, options);
  if (!token) return context_.complete<std::uint64_t>(std::move(done), token.error());
  posts_.emplace(*token, Pending{name, std::move(done)});
}

void MailPosts::hold_post(PostTarget target, const std::string& name, ByteView body,
                          const PostOptions& options, Done<std::uint64_t> done) {
  struct Held {
    Bytes body;
    Done<std::uint64_t> done;
  };
  const auto held = std::make_shared<Held>(Held{{body.begin(), body.end()}, std::move(done)});
  const auto waits = watchers_.hold(
      std::string(kStores), name.size() + body.size(),
      [this, target, name, options, held](const Result<>& ready) {
        --held_;
        if (!ready) {
          return context_.complete<std::uint64_t>(std::move(held->done), ready.error());
        }
        post_now(target, name, held->body, options, std::move(held->done));
      });
  if (!waits) return context_.complete<std::uint64_t>(std::move(held->done), waits.error());
  ++held_;
}

Result<> MailPosts::check_size(ByteView body, const PostOptions& options) {
  if (!options.key.fits()) {
    return Error{Errc::too_large, "a key of " + std::to_string(options.key.size()) +
                                      " bytes; at most " + std::to_string(kMaxPostKey)};
  }
  if (body.size() > kMaxPostBody) {
    return Error{Errc::too_large, "a body of " + std::to_string(body.size()) + " bytes; at most " +
                                      std::to_string(kMaxPostBody)};
  }
  return {};
}

/// For posts that do not wait: no_owner if the watch shows no store with this shard.
Result<> MailPosts::check_store(const Name& shard) {
  if (auto kept = watchers_.keep(std::string(kStores)); !kept) return kept;
  const RowSet* const rows = watchers_.complete_rows(std::string(kStores));
  if (!rows || rows->rows().contains(shard.text())) return {};
  return Error{Errc::no_owner, shard.text() + " has no owner; nothing was stored"};
}

Result<Token> MailPosts::send(PostTarget target, const std::string& name, ByteView body,
                              const PostOptions& options) {
  if (context_.ends()) return Error{Errc::closed};
  const auto box = context_.names.id_of(name);
  if (!box) return box.error();
  if (auto fits = check_size(body, options); !fits) return fits.error();
  if (auto allowed = context_.process.may_send(name); !allowed) return allowed.error();
  const Name& shard = shard_channel(shard_of(*box));
  if (auto allowed = context_.process.may_send(shard.text()); !allowed) return allowed.error();
  if (!options.wait) {
    if (auto stored = check_store(shard); !stored) return stored.error();
  }
  write_head(target, name, options);
  Destination to = sender_.destination(shard, {});
  to.durable = true;
  const Token token = context_.next_token;
  const auto seq = context_.process.origin().send(to, Lane::call, context_.envelope, body, token,
                                                  expiry_of(options.ttl));
  if (!seq) return seq.error();
  ++context_.next_token;
  context_.names.remember(shard);
  context_.link.request_send(context_.envelope.size() + body.size());
  return token;
}

void MailPosts::write_head(PostTarget target, const std::string& name, const PostOptions& options) {
  PostHead head;
  head.target = target;
  head.name = name;
  head.key = options.key.text();
  Bytes trace;
  if (options.trace) {
    Writer writer(trace);
    writer.bytes(options.trace.trace_id);
    writer.bytes(options.trace.span_id);
    head.trace = trace;
  }
  context_.envelope.clear();
  encode_post_head(head, context_.envelope);
}

void MailPosts::on_posted(Token token, Errc status, std::uint64_t number) {
  if (status == Errc::ok) return void(end(token, number));
  Error error{status};
  // The store sends only the status and, for a full box, which limit was reached.
  if (status == Errc::denied) {
    error.detail = "a mailbox takes no append, a log no post, and dead letters neither";
  }
  const auto found = posts_.find(token);
  const bool full = status == Errc::mailbox_full || status == Errc::store_full;
  if (full && found != posts_.end()) {
    error.detail = found->second.box + ": " + std::string(text_of(static_cast<PostLimit>(number)));
  }
  end(token, std::move(error));
}

bool MailPosts::end(Token token, Result<std::uint64_t> result) {
  const auto found = posts_.find(token);
  if (found == posts_.end()) return false;
  context_.complete<std::uint64_t>(std::move(found->second.done), std::move(result));
  posts_.erase(found);
  return true;
}

void MailPosts::shut(const Error& reason) {
  for (auto& [token, post] : std::exchange(posts_, {})) {
    context_.complete<std::uint64_t>(std::move(post.done), reason);
  }
}

}  // namespace starbus::bus
