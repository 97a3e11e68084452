/// The words of the bus that all of mail uses, by their short names. Everything else of the bus is
/// named with `bus::`.
#pragma once

#include "bus/core/bytes.hpp"
#include "bus/core/ends/durable_owner.hpp"
#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"
#include "bus/core/wire/post_limit.hpp"

namespace starbus::mail {

using bus::as_bytes;
using bus::as_text;
using bus::Bytes;
using bus::ByteView;
using bus::channel_id;
using bus::ChannelId;
using bus::Epoch;
using bus::Errc;
using bus::errc_of;
using bus::FilterRow;
using bus::kShards;
using bus::Lineage;
using bus::PostLimit;
using bus::PostResult;
using bus::PostTarget;
using bus::Process;
using bus::shard_channel;
using bus::shard_name;
using bus::StreamId;

}  // namespace starbus::mail
