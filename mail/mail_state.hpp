#pragma once

#include <utility>

#include "mail/box_cache.hpp"
#include "mail/mail_counters.hpp"
#include "mail/mail_shell.hpp"
#include "mail/open_shards.hpp"
#include "mail/quota.hpp"
#include "mail/readers.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// What the parts of Mail share: the store, its owner, and what is known of the rows on the disk.
/// Mail owns it and outlives its parts; store and shell outlive it. The mail's thread only.
struct MailState {
  MailState(storage::Store& of, MailShell& owner, MailQuota limits)
      : store(of),
        shell(owner),
        quota(std::move(limits)),
        boxes(of),
        readers(of, {[&owner](const Process& to, Lineage hint, ByteView record) {
                       owner.say(to, hint, record);
                     },
                     [&owner](const Process& to) { return owner.has_room(to); }}),
        shards(of) {}

  storage::Store& store;
  MailShell& shell;
  const MailQuota quota;
  BoxCache boxes;
  Readers readers;
  OpenShards shards;
  MailCounters counters;
};

}  // namespace starbus::mail
