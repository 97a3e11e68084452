// What happens on the cluster while the store dies: posting, logging, reading, erasing, purging.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/cluster/crash_points/crash_run.hpp"

namespace starbus::cluster_test {
namespace {

/// More than storage::kRangeInline: so many are hidden at once, erased in chunks and compacted.
constexpr std::size_t kMany = 1'200;
constexpr std::uint64_t kPurged = 10;
constexpr std::uint64_t kLiveAcknowledged = 10;
constexpr std::size_t kLarge = 40 * 1024;  // over a block of LevelDB's log

}  // namespace

struct CrashRun::Boxes {
  MailAccount first{{.name = "player/first", .count = 1}};
  MailAccount early{{.name = "player/early", .count = 30, .size = 200, .large = kLarge}};
  MailAccount live{{.name = "player/live", .count = 20}};
  MailAccount keyed{{.name = "player/keyed", .count = 12, .keyed = true}};
  MailAccount full{
      {.name = "player/full", .count = 5, .window = 2, .size = kLarge, .may_be_full = true}};
  MailAccount hasty{{.name = "player/hasty", .count = 10, .ttl = 30ms}};
  MailAccount purged{{.name = "player/purged", .count = 20}};
  MailAccount town{{.name = "log/town", .count = 48, .log = true}};
  MailAccount many{{.name = "player/many", .count = kMany, .window = kMany}};

  std::vector<const MailAccount*> all() const {
    return {&first, &early, &live, &keyed, &full, &hasty, &purged, &town, &many};
  }
  void verify() const {
    for (const MailAccount* const box : all()) box->verify();
    EXPECT_EQ(full.last(), 2u) << "what its quota has room for";
  }
};

bus::Task CrashRun::work() {
  const std::string run = std::to_string(runs_);
  Bus poster(loop, cluster.node("b", "poster-" + run));
  Bus reader(loop, cluster.node("b", "reader-" + run));
  CO_OK(co_await poster.connect(use_awaitable));
  CO_OK(co_await reader.connect(use_awaitable));
  co_await work_with(poster, reader);
  CO_OK(co_await poster.close(kPatience, use_awaitable));
  CO_OK(co_await reader.close(kPatience, use_awaitable));
}

bus::Task CrashRun::work_with(Bus& poster, Bus& reader) {
  const auto made = std::make_unique<Boxes>();
  Boxes& boxes = *made;
  co_await post_all(poster, reader, boxes);
  if (!HasFailure()) co_await log_all(poster, reader, boxes);
  if (!HasFailure()) co_await read_all(reader, boxes);
  if (!HasFailure()) co_await erase_many(poster, reader, boxes);
  if (!HasFailure()) co_await purge(reader, boxes);
  if (!HasFailure()) co_await read_rest(poster, reader, boxes);
  if (!HasFailure()) boxes.verify();
  if (!HasFailure()) co_return;
  for (const MailAccount* const box : boxes.all()) std::cerr << box->state() << std::endl;
}

/// Several mailboxes at once, one of which is read meanwhile.
bus::Task CrashRun::post_all(Bus& poster, Bus& reader, Boxes& boxes) {
  post(poster, boxes.first);
  CO_TRUE(co_await until(kPatience, [&] { return boxes.first.ended(); }));
  enter(Phase::posting);
  co_await bind(reader, boxes.live.name());
  const std::uint64_t count = boxes.live.plan().count;
  bool read_live = false;
  spawn([&]() -> boost::asio::awaitable<void> {
    auto mailbox = co_await reader.open_mailbox(boxes.live.name(), behind(0), use_awaitable);
    CO_OK(mailbox);
    while (boxes.live.cursor() < count) {
      const auto mail = co_await mailbox->next(use_awaitable);
      CO_OK(mail);
      boxes.live.save(*mail);
      if (mail->number == kLiveAcknowledged) settle(*mailbox, mail->number);
    }
    (void)co_await acknowledged();
    read_live = true;
  });
  const std::vector<MailAccount*> all{&boxes.early, &boxes.live,  &boxes.keyed,
                                      &boxes.full,  &boxes.hasty, &boxes.purged};
  for (MailAccount* box : all) post(poster, *box);
  const std::function<bool()> done = [&] {
    return read_live && std::ranges::all_of(all, [](MailAccount* box) { return box->ended(); });
  };
  CO_TRUE(co_await until(kPatience, done));
}

bus::Task CrashRun::log_all(Bus& poster, Bus& reader, Boxes& boxes) {
  enter(Phase::logging);
  bool read = false;
  spawn([&]() -> boost::asio::awaitable<void> {
    co_await read_log(reader, boxes.town);
    read = true;
  });
  post(poster, boxes.town);
  CO_TRUE(co_await until(kPatience, [&] { return read; }));
  co_await expect_kept(reader, boxes.town);
}

/// The reader of one forgets a message that it had not saved, and begins again at its cursor.
bus::Task CrashRun::read_all(Bus& reader, Boxes& boxes) {
  enter(Phase::reading);
  const std::vector<MailAccount*> all{&boxes.early, &boxes.first, &boxes.keyed, &boxes.full};
  for (MailAccount* const box : all) co_await bind(reader, box->name());
  co_await read(reader, boxes.early, boxes.early.last() / 2);
  {
    auto mailbox = co_await reader.open_mailbox(boxes.early.name(), behind(boxes.early.cursor()),
                                                use_awaitable);
    CO_OK(mailbox);
    CO_OK(co_await mailbox->next(use_awaitable));
  }
  for (MailAccount* const box : all) co_await read(reader, *box, box->last());
  co_await expect_letter(reader, boxes.early);
}

/// One acknowledgement for all of a large mailbox, while others are posted to.
bus::Task CrashRun::erase_many(Bus& poster, Bus& reader, Boxes& boxes) {
  post(poster, boxes.many);
  CO_TRUE(co_await until(kPatience, [&] { return boxes.many.ended(); }));
  co_await bind(reader, boxes.many.name());
  auto mailbox = co_await reader.open_mailbox(boxes.many.name(), behind(0), use_awaitable);
  CO_OK(mailbox);
  while (boxes.many.cursor() < kMany) {
    const auto mail = co_await mailbox->next(use_awaitable);
    CO_OK(mail);
    boxes.many.save(*mail);
  }
  enter(Phase::erasing);
  settle(*mailbox, kMany);
  boxes.early.go_on(20);
  post(poster, boxes.early);
  CO_TRUE(co_await acknowledged());
  CO_TRUE(co_await until(kPatience, [&] { return boxes.early.ended(); }));
  co_await read(reader, boxes.early, boxes.early.last());
  // Who was killed has forgotten that it was to be compacted.
  CO_TRUE(co_await until(kPatience, [this] { return compacted() || !deaths_.empty(); }));
}

/// The manifest has the table of what was in memory, and the one that it was merged into.
bool CrashRun::compacted() const {
  const std::vector<Situation> calls = sheet_.calls();
  constexpr Situation kNoted{DiskCall::sync, DiskFile::manifest, Phase::erasing};
  return std::ranges::count(calls, kNoted) >= 2;
}

bus::Task CrashRun::purge(Bus& reader, Boxes& boxes) {
  enter(Phase::purging);
  const std::string target =
      "/mail/purge?name=" + boxes.purged.name() + "&upto=" + std::to_string(kPurged);
  HttpAnswer answer;
  const std::function<bool()> answered = [&] {
    answer = http_post(store().admin(), target);
    return answer.status == 200;
  };
  CO_TRUE(co_await until(kPatience, answered));
  const auto json = nlohmann::json::parse(answer.body, nullptr, false);
  const bool first_answer_lost = !deaths_.empty() && json["purged"] == 0;
  EXPECT_TRUE(json["purged"] == kPurged || first_answer_lost) << answer.body;
  boxes.purged.purged(kPurged);
  co_await bind(reader, boxes.purged.name());
  co_await read(reader, boxes.purged, boxes.purged.last());
}

/// One more to the mailbox whose posts may have expired: what is there is there before it.
bus::Task CrashRun::read_rest(Bus& poster, Bus& reader, Boxes& boxes) {
  enter(Phase::closing);
  boxes.hasty.go_on(1);
  post(poster, boxes.hasty);
  CO_TRUE(co_await until(kPatience, [&] { return boxes.hasty.ended(); }));
  co_await bind(reader, boxes.hasty.name());
  co_await read(reader, boxes.hasty, boxes.hasty.last());
  co_await expect_kept_behind(reader, boxes.live, kLiveAcknowledged);
}

}  // namespace starbus::cluster_test
