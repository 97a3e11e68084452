/// The parts of a BusCore: a ProcessCore with its link, and the parts of the client library, to
/// which it hands the events of the process. Internal header.
///
/// One thread, that of the io_context. Held by BusCore; work that is posted to the loop keeps the
/// BusCore alive while it runs. After `shut` no callback of the user is called any more.
#pragma once

#include "base/loop_thread.hpp"
#include "bus/client/handed_sends.hpp"
#include "bus/client/mail_readers.hpp"
#include "bus/client/parts/bus_context.hpp"
#include "bus/client/parts/group_members.hpp"
#include "bus/client/parts/handler_dispatch.hpp"
#include "bus/client/parts/mail_opener.hpp"
#include "bus/client/parts/mail_posts.hpp"
#include "bus/client/parts/message_sender.hpp"
#include "bus/client/parts/owned_names.hpp"
#include "bus/client/parts/pending_calls.hpp"
#include "bus/client/parts/prefix_watchers.hpp"
#include "bus/client/parts/reply_queue.hpp"
#include "bus/client/parts/shared_names.hpp"
#include "bus/client/parts/waiters.hpp"
#include "bus/client/process_link.hpp"

namespace starbus::bus {

class BusParts final : public ProcessEvents {
 public:
  BusParts(boost::asio::io_context& loop, Options options);
  BusParts(const BusParts&) = delete;
  BusParts& operator=(const BusParts&) = delete;

  /// See BusCore.
  void shut(const Error& reason);
  Result<> reply(const Destination& to, Lane lane, const Envelope& envelope, ByteView body);
  BusCounters counters() const;

  LoopThread thread;
  ProcessCore process;
  ProcessLink link;
  BusContext context;
  PrefixWatchers watchers;
  MessageSender sender;
  PendingCalls calls;
  ReplyQueue replies;
  SharedNames shared;
  GroupMembers groups;
  MailReaders readers;
  MailPosts posts;
  MailOpener opener;
  OwnedNames names;
  Waiters waiters;
  HandlerDispatch dispatch;
  std::shared_ptr<HandedSends> handed;  // set right after construction

 private:
  // ProcessEvents
  void on_welcome(bool first) override;
  void on_bound(BindingId binding, Epoch epoch) override;
  void on_bind_refused(BindingId binding, const Error& reason) override;
  void on_unbound(BindingId binding) override { names.on_unbound(binding); }
  void on_delivery(BindingId binding, const Delivery& delivery) override;
  void on_watch(const std::string& prefix, const std::vector<WatchRow>& changes,
                bool complete) override;
  void on_watch_refused(const std::string& prefix, const Error& reason) override;
  void on_acknowledged(Token token) override;
  void on_failed(Token token, const ChannelId& channel, Lane lane, std::uint64_t seq, Errc reason,
                 bool sent) override;
  void on_posted(Token token, Errc status, std::uint64_t number) override {
    posts.on_posted(token, status, number);
  }
  void on_mail(const Process& from, Kind kind, ByteView payload) override {
    readers.on_mail(from, kind, payload);
  }
  void on_mail_lost(const ChannelId& channel) override { readers.on_lost(channel); }
  void on_room() override;
  Bytes on_freeze(BindingId binding) override { return names.on_freeze(binding); }
  void on_moved(BindingId binding) override { names.on_moved(binding); }
  void on_move_failed(BindingId binding, Epoch epoch, const Error& reason) override {
    names.on_move_failed(binding, epoch, reason);
  }
  Result<> on_arriving(const std::string& name, const Process&, ByteView state) override {
    return names.on_arriving(name, state);
  }
  void on_arrived(BindingId binding, const std::string& name, Epoch epoch, Bytes state) override {
    names.on_arrived(binding, name, epoch, std::move(state));
  }
  void on_lease_lost() override;
  std::string name_of_channel(const ChannelId& channel) override {
    return context.names.text_of(channel);
  }

  ProcessLink::Hooks link_hooks();
  MailReaders::Access reader_access();

  void forget_replies(const Error& reason);

  std::uint64_t connects_ = 0;
  std::uint64_t replies_failed_ = 0;   // a failure took their place
  std::uint64_t replies_dropped_ = 0;  // nothing reached the caller
};

}  // namespace starbus::bus
