/// Notices to the entities of a host: follows their log once, and hands each notice to the entities
/// that are here and have not had it.
///
/// Each entity has a listener of one LogFeed while it owns a name here; its place is a property, so
/// it is saved and moves with the effects of the notices. A handler that fails is logged and not
/// tried again. Belongs to the loop's thread; the context and the mail outlive it, the Bus outlives
/// both. docs/guide/entity-mail.md.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "bus/client/log_feed.hpp"
#include "nodes/hosting/mail/entity_mail.hpp"

namespace starbus::nodes::entities {

struct NoticeCounters {
  std::uint64_t handled = 0;
  std::uint64_t passed = 0;  // their time was over, or they were for those who were there
  std::uint64_t failed = 0;
  std::uint64_t missed = 0;  // the log did not keep them until the entity came
};

class EntityNotices {
 public:
  /// `log`: empty: there are no notices.
  EntityNotices(HostContext& context, const EntityMail& mail, std::string log);
  ~EntityNotices();
  EntityNotices(const EntityNotices&) = delete;
  EntityNotices& operator=(const EntityNotices&) = delete;

  /// An entity owns a name, or goes on after a move that failed.
  void owned(std::uint64_t id);
  /// It is frozen, or ends.
  void leave(std::uint64_t id);

  const NoticeCounters& counters() const { return counters_; }
  std::size_t listeners() const { return places_.size(); }

 private:
  struct Place {
    bus::LogFeed::Listener listener;
    bool new_life = false;
    std::uint64_t missed = 0;  // that are counted
  };
  void listen(std::uint64_t id);
  void opened();
  void begin(std::uint64_t id, const Place& place);
  void came(std::uint64_t id, const bus::Mail& mail);

  HostContext& context_;
  const EntityMail& mail_;
  const std::string log_;
  bool open_ = false;
  NoticeCounters counters_;
  std::unique_ptr<bus::LogFeed> feed_;  // from the first entity on that listens
  std::unordered_map<std::uint64_t, Place> places_;
};

}  // namespace starbus::nodes::entities
