/// What broken and hostile nodes say to the service, and what operators see of it.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "nodes/space/host/limits.hpp"
#include "nodes/space/service/spaces_admin.hpp"
#include "tests/nodes/space/service/support.hpp"

namespace starbus::nodes::space::test {
namespace {

using ::testing::HasSubstr;

TEST_F(SpaceServiceTest, MalformedNewsChangesNothing) {
  const daemon::test::LogCapture log;
  run([this, &log]() -> Task {
    const auto home = host("home", {town()});
    const auto x = runner("x");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await serve(*home));
    const auto liar = co_await begin_liar(*home);
    CO_TRUE(liar != nullptr);
    liar->announce();
    const std::uint64_t term = home->host.describe().instances.front().epoch;
    Announcement good;
    good.term = term;
    const SpaceRow row{{term - 1, 1}, {kTownPlace, 1}, true, false, {}, 100, {1, 0}};
    std::vector<Announcement> all(7, good);
    all[0].busy_ms_per_s = std::nan("");
    all[1].busy_ms_per_s = std::numeric_limits<double>::infinity();
    all[2].spaces.assign(kMaxHosted + 1, row);
    all[3].spaces = {row};
    all[3].spaces[0].name.place.type = "a/b-1";
    all[4].spaces = {row};
    all[4].spaces[0].seats = {std::numeric_limits<std::uint32_t>::max(), 2};
    all[5].spaces = {row};
    all[5].spaces[0].capacity = 0;
    all[6].labels.assign(100'000, "x");
    for (const Announcement& each : all) liar->say(each);
    CO_TRUE(co_await until([&] { return home->desk.counters.bad_news == all.size(); }));
    EXPECT_FALSE(home->registry().nodes().find("b.liar")->announced);
    EXPECT_TRUE(home->registry().spaces().empty());
    const std::string text = log.text();
    const std::string line = "node b.liar announces what cannot be";
    EXPECT_THAT(text, HasSubstr(line));
    EXPECT_EQ(text.find(line), text.rfind(line)) << "one line in kNewsPause";

    // Bytes that are no call, and a call with more types than there are bytes in the world.
    CO_OK(liar->bus.send(kSpaceService, std::string(70'000, '\xff')));
    bus::Bytes absurd;
    entity::Encoder out(absurd);
    const rpc::MethodInfo& method = rpc::info_of<&NewsPort::announce>();
    out.number(std::uint8_t{0xa1});
    out.number(std::uint8_t{0});
    out.raw(reinterpret_cast<const std::byte*>(&method.id), sizeof method.id);
    out.raw(reinterpret_cast<const std::byte*>(&method.signature), sizeof method.signature);
    entity::put_value(out, std::make_tuple(term, std::uint64_t{0}, 0.0, false));
    out.varint(std::uint64_t{1} << 60);
    const std::string service(kSpaceService);
    const auto refused = co_await liar->bus.call(service, absurd, {}, use_awaitable);
    CO_OK(refused);
    const auto why = rpc::decode_answer<void, rpc::NoError>(*refused);
    EXPECT_EQ(why.error(), rpc::Errc::bad_arguments) << why.error().to_string();
    // Replies of lives that are not its own.
    liar->say(Reply{term, 1, Reply::To::create, {term, 1}, Error(Errc::start_failed), {}});
    liar->say(Reply{term, 1, static_cast<Reply::To>(77), {term, 1}, {}, {9, 9}});

    good.busy_ms_per_s = 1e300;  // a number: as busy as can be
    good.types = {"town"};
    liar->say(good);
    CO_TRUE(co_await until([&] { return home->registry().nodes().find("b.liar")->full; }));
    const EnterRequest request = ask(10s);
    const auto seat = co_await player->calls.enter(request, use_awaitable);
    CO_OK(seat);
    EXPECT_EQ(seat->node, "b.x");
  });
}

TEST_F(SpaceServiceTest, AStrangerIsNotBelievedThatALaterServiceHasBegun) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    const auto stranger = caller("stranger");
    CO_OK(co_await stranger->bus.connect(use_awaitable));
    CO_TRUE(co_await serve(*home));
    Announcement news;
    news.term = std::numeric_limits<std::uint64_t>::max();
    CO_OK(co_await rpc::call<&NewsPort::announce>(stranger->endpoint, kSpaceService, {}, news));
    EXPECT_FALSE(home->desk.service->superseded());
  });
}

TEST_F(SpaceServiceTest, AfterALaterServiceItRefusesAllAndSaysSo) {
  const daemon::test::LogCapture log;
  run([this, &log]() -> Task {
    const auto home = host("home", {town()});
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await serve(*home));
    const auto liar = co_await begin_liar(*home);
    CO_TRUE(liar != nullptr);
    const EnterRequest request = ask(30s);
    auto waiting = rpc::call<&SpaceService::enter>(player->endpoint, kSpaceService, {}, request);
    CO_TRUE(co_await until([&] { return home->registry().waiters() == 1; }));
    Announcement news;
    news.term = home->host.describe().instances.front().epoch + 1;
    liar->say(news);
    const auto told = co_await std::move(waiting);
    EXPECT_EQ(told.error().error, Errc::stale_service);
    EXPECT_TRUE(home->desk.service->superseded());
    EXPECT_THAT(log.text(), HasSubstr("most nodes obey a later service of spaces"));
    const PlaceId place = kTownPlace;
    const SpaceName name{kTownPlace, 1};
    rpc::Endpoint& from = player->endpoint;
    const auto lines = co_await rpc::call<&SpaceService::lines>(from, kSpaceService, {}, place);
    EXPECT_EQ(lines.error().error, Errc::stale_service);
    const auto close = co_await rpc::call<&SpaceService::close>(from, kSpaceService, {}, name);
    EXPECT_EQ(close.error().error, Errc::stale_service);
    const auto enter = co_await rpc::call<&SpaceService::enter>(from, kSpaceService, {}, request);
    EXPECT_EQ(enter.error().error, Errc::stale_service);
  });
}

TEST_F(SpaceServiceTest, ALiarAmongOthersDoesNotStopTheService) {
  const daemon::test::LogCapture log;
  run([this, &log]() -> Task {
    const auto home = host("home", {town()});
    const auto x = runner("x");
    const auto y = runner("y");
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await x->begin());
    CO_TRUE(co_await y->begin());
    CO_TRUE(co_await serve(*home));
    const auto liar = co_await begin_liar(*home);
    CO_TRUE(liar != nullptr);
    Announcement news;
    news.term = std::numeric_limits<std::uint64_t>::max();
    liar->say(news);
    liar->say(news);
    CO_TRUE(co_await until([&] { return home->desk.counters.bad_news == 2; }));
    const std::string text = log.text();
    const std::string line = "node b.liar says that it obeys a later service";
    EXPECT_THAT(text, HasSubstr(line));
    EXPECT_EQ(text.find(line), text.rfind(line)) << "one line in kNewsPause";
    EXPECT_FALSE(home->desk.service->superseded());
    const EnterRequest request = ask(10s);
    CO_OK(co_await player->calls.enter(request, use_awaitable));
  });
}

TEST_F(SpaceServiceTest, OneProcessLeavesRoomForTheRequestsOfOthers) {
  run([this]() -> Task {
    const auto home = host("home", {town()});
    const auto greedy = caller("greedy");
    const auto player = caller("player");
    CO_OK(co_await greedy->bus.connect(use_awaitable));
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await serve(*home));  // no node runs: whoever asks waits
    std::map<Code, std::size_t> told;
    const auto note = [&](const Result<Grant>& seat) { ++told[seat.error().code]; };
    for (std::size_t i = 0; i < kMaxWaitersOfOne + 1; ++i) greedy->calls.enter(ask(60s), note);
    CO_TRUE(co_await until([&] { return told[Errc::would_block] == 1; }));
    EXPECT_EQ(home->registry().waiters(), std::size_t{kMaxWaitersOfOne});
    player->calls.enter(ask(60s), note);
    CO_TRUE(co_await until([&] { return home->registry().waiters() == kMaxWaitersOfOne + 1; }));
    EXPECT_EQ(told.size(), 1u) << "nobody else was refused";
  });
}

TEST_F(SpaceServiceTest, ManySpacesAreListedInPages) {
  run([this]() -> Task {
    const auto home = host("home", {dungeon()});
    const auto player = caller("player");
    CO_OK(co_await player->bus.connect(use_awaitable));
    CO_TRUE(co_await serve(*home));
    const auto liar = co_await begin_liar(*home);
    CO_TRUE(liar != nullptr);
    Announcement news;
    news.term = home->host.describe().instances.front().epoch;
    for (std::uint64_t i = 1; i <= kSpacesPage + 1; ++i) {
      const PlaceId place{"dungeon", "k" + std::to_string(i)};
      news.spaces.push_back({{1, i}, {place, 1}, true, false, {}, 5, {1, 0}});
    }
    liar->say(news);
    CO_TRUE(co_await until([&] { return home->registry().spaces().size() == kSpacesPage + 1; }));
    rpc::Endpoint& from = player->endpoint;
    const SpaceName begin;
    const auto first =
        co_await rpc::call<&SpaceService::spaces>(from, kSpaceService, {}, begin, 1'000'000U);
    CO_OK(first);
    CO_TRUE(first->spaces.size() == kSpacesPage);
    EXPECT_TRUE(first->more);
    EXPECT_FALSE(first->rebuilding);
    const SpaceName last = first->spaces.back().space;
    const auto second =
        co_await rpc::call<&SpaceService::spaces>(from, kSpaceService, {}, last, 1'000'000U);
    CO_OK(second);
    CO_TRUE(second->spaces.size() == 1);
    EXPECT_FALSE(second->more);
    EXPECT_EQ(to_string(second->spaces.front().space), "dungeon.k999-1");  // the last by name

    const nlohmann::json page = spaces_page(home->desk, begin);
    EXPECT_EQ(page["here"], true);
    EXPECT_EQ(page["rebuilding"], false);
    EXPECT_EQ(page["waiters"], 0);
    EXPECT_EQ(page["nodes"][0]["node"], "b.liar");
    EXPECT_EQ(page["spaces"].size(), kSpacesPage);
    EXPECT_EQ(page["spaces"][0]["state"], "ready");
    EXPECT_EQ(page["more"], true);
    EXPECT_EQ(spaces_page(home->desk, last)["spaces"].size(), 1u);
    home->kill();
    EXPECT_EQ(spaces_page(home->desk, begin)["here"], false);
  });
}

}  // namespace
}  // namespace starbus::nodes::space::test
