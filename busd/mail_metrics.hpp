#pragma once

#include <functional>

#include "daemon/metrics.hpp"
#include "mail/mail_store_thread.hpp"

namespace starbus::busd {

/// starbus_mail_*: counters of the mail and of its store. `node` may be null at times; it must
/// outlive the last scrape. Returns the observer of commit times for Node::Hooks; its histograms
/// belong to the metrics, which outlive the node.
storage::MeasuredStore::Measured add_mail_metrics(daemon::Metrics& metrics,
                                                  std::function<mail::MailStoreThread*()> node);

}  // namespace starbus::busd
