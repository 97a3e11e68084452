#include "nodes/space/service/space_service.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "bus/io/clock.hpp"
#include "nodes/space/registry/limits.hpp"
#include "nodes/space/registry/news_check.hpp"
#include "nodes/space/service/limits.hpp"

namespace starbus::nodes::space {

namespace rpc = entity::rpc;

/// A request to enter, from its call until its answer. Belongs to the frame of its coroutine: if
/// that ends first, nobody waits.
class SpaceService::Visitor {
 public:
  Visitor(SpaceService& service, std::uint64_t request, const bus::Process& caller,
          std::uint64_t its_number)
      : process(caller), number(its_number), service_(service), request_(request) {
    service_.visitors_.emplace(request_, this);
    ++service_.waiting_[process];
  }
  ~Visitor() {
    service_.visitors_.erase(request_);
    const auto its = service_.waiting_.find(process);
    if (--its->second == 0) service_.waiting_.erase(its);
    if (!answer_) service_.registry_->cancel(request_, now());
  }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  /// Both once, in any order.
  void wait(bus::Done<Grant> done) {
    if (answer_) return done(*answer_);
    done_ = std::move(done);
  }
  void answer(Result<Grant> result) {
    if (answer_) return;
    answer_ = std::move(result);
    if (done_) std::exchange(done_, nullptr)(*answer_);  // this may be gone afterwards
  }

  const bus::Process process;
  const std::uint64_t number;  // of that process

 private:
  SpaceService& service_;
  const std::uint64_t request_;
  std::optional<Result<Grant>> answer_;
  bus::Done<Grant> done_;
};

SpaceService::SpaceService(service::Instance& instance, rpc::Endpoint& endpoint,
                           entity::TimerWheel& timers, SpaceDesk& desk)
    : instance_(instance),
      timers_(timers),
      desk_(desk),
      news_([this](const bus::Process& from, const Announcement& what) { announced(from, what); },
            [this](const bus::Process& from, const Reply& what) { replied(from, what); }),
      sender_(endpoint, [this](const std::string& node, std::uint64_t number, Sent sent,
                               const Error& why) { order_ended(node, number, sent, why); }),
      directory_(endpoint.bus(), *this) {
  desk_.service = this;
  limit_coroutines(kMaxWaiters + 1);  // the registry refuses, and says why
}

SpaceService::~SpaceService() {
  close_rpc();  // coroutines first: their variables use this
  if (desk_.service == this) desk_.service = nullptr;
}

Time SpaceService::now() {
  return bus::io::boot_now();
}

// --- of its host ---------------------------------------------------------------------------------

void SpaceService::start(Done done) {
  const service::InstanceId& id = instance_.id();
  if (id.partitions != 0 || id.number != 1) {
    return done(bus::Error(bus::Errc::bad_config,
                           to_string(id) + ": there is one service of spaces; give the type "
                                           "instances = 1 in the manager's file"));
  }
  if (auto attached = attach(news_); !attached) return done(attached);
  registry_.emplace(instance_.epoch().value, desk_.types, now());
  const auto ticks =
      timers_.every(due_, kSpaceStep, kSpaceStep, entity::CatchUp::once, [this] { tick(); });
  if (!ticks) return done(bus::Error(bus::Errc::would_block, "too many timers"));
  // Nothing is awaited: it is reachable at once, and those who ask wait for the rebuild.
  done(directory_.start());
}

/// Orders go out from now on: what nodes answer finds its way.
void SpaceService::opened() {
  open_ = true;
  pump();
}

void SpaceService::tick() {
  registry_->due(now());
  pump();
}

void SpaceService::reload(const SpaceTypes& types) {
  if (!registry_) return;
  registry_->reload(types, now());
  pump();
}

void SpaceService::pump() {
  if (!open_ || superseded_) return;
  if (registry_->superseded()) return end_superseded();
  for (auto orders = registry_->take_orders(); !orders.empty(); orders = registry_->take_orders()) {
    for (const Order& order : orders) {
      ++desk_.counters.orders;
      if (sender_.send(order)) continue;
      ++desk_.counters.undelivered;
      registry_->undelivered(order.node, order.number, now());
    }
  }
  for (Answer& each : registry_->take_answers()) answer(each.request, std::move(each.result));
}

void SpaceService::answer(std::uint64_t request, Result<Grant> result) {
  const auto found = visitors_.find(request);
  if (found == visitors_.end()) return;
  ++desk_.counters.answers[result ? "granted" : std::string(name_of(result.error().code))];
  found->second->answer(std::move(result));
}

/// The placement ends it, or the lease does; until then nothing of it may be taken for an answer.
void SpaceService::end_superseded() {
  superseded_ = true;
  spdlog::error(
      "{}: most nodes obey a later service of spaces than this one of term {}; it refuses all from "
      "now on, and ends with its claim",
      to_string(instance_.id()), instance_.epoch().to_string());
  due_.cancel_all();
  std::vector<std::uint64_t> all;
  for (const auto& [request, visitor] : visitors_) all.push_back(request);
  for (const std::uint64_t request : all) answer(request, check_present().error());
}

// --- nodes ---------------------------------------------------------------------------------------

void SpaceService::announced(const bus::Process& from, const Announcement& what) {
  const std::string* const node = directory_.node_of(from);
  if (node == nullptr) return;  // its row is on its way, and it announces itself again
  const Time at = now();
  if (const auto checked = check_news(what); !checked) {
    return complain(*node, "announces what cannot be: " + checked.error().to_string());
  }
  registry_->announced(*node, what, at);
  if (what.term > instance_.epoch().value && !registry_->superseded()) {
    complain(*node, "says that it obeys a later service, and most others do not");
  }
  pump();
}

void SpaceService::complain(const std::string& node, const std::string& text) {
  ++desk_.counters.bad_news;
  const Time at = now();
  Time& latest = complained_.try_emplace(node, at - kNewsPause).first->second;
  if (at - latest < kNewsPause) return;
  latest = at;
  spdlog::error("node {} {}; it is ignored", node, text);
}

void SpaceService::replied(const bus::Process& from, const Reply& what) {
  const std::string* const node = directory_.node_of(from);
  if (node == nullptr) return;
  registry_->replied(*node, what, now());
  pump();
}

void SpaceService::order_ended(const std::string& node, std::uint64_t number, Sent sent,
                               const Error& why) {
  switch (sent) {
    case Sent::obeyed:
      return;
    case Sent::stale:
      // It did nothing; that it obeys another one shows in what it announces.
      ++desk_.counters.stale;
      spdlog::warn("node {} refuses order {}: {}", node, number, why.to_string());
      break;
    case Sent::undelivered:
      ++desk_.counters.undelivered;
      break;
    case Sent::uncertain:
      // It may have been handled, or may still be. Seats that it asked for count until the node
      // says what it has handled, and what is taken; so seats are never given twice.
      ++desk_.counters.uncertain;
      registry_->uncertain(node, number);
      return;
  }
  registry_->undelivered(node, number, now());
  pump();
}

void SpaceService::on_node_came(const std::string& node) {
  registry_->node_came(node, now());
}

void SpaceService::on_node_left(const std::string& node) {
  complained_.erase(node);
  registry_->node_left(node, now());
}

void SpaceService::on_name_held(const SpaceName& name, const std::string& node) {
  registry_->name_held(name, node);
}

void SpaceService::on_name_freed(const SpaceName& name) {
  registry_->name_freed(name);
}

void SpaceService::on_directory_complete() {
  registry_->directory_complete(now());
}

void SpaceService::on_server_left(const bus::Process& process) {
  std::vector<std::uint64_t> left;
  for (const auto& [request, visitor] : visitors_) {
    if (visitor->process == process) left.push_back(request);
  }
  for (const std::uint64_t request : left) {
    registry_->cancel(request, now());
    answer(request, Error(bus::Errc::owner_lost, "the caller has ended"));
  }
}

// --- over the bus --------------------------------------------------------------------------------

Result<> SpaceService::check_present() const {
  if (!superseded_) return {};
  return Error(Errc::stale_service,
               to_string(instance_.id()) + " has been followed by another one");
}

Result<> SpaceService::check(const SpaceName& space) const {
  if (auto present = check_present(); !present) return present;
  if (auto named = check_space(space); !named) return named;
  if (registry_->rebuilding()) return Error(Errc::rebuilding, to_string(space));
  return {};
}

rpc::Task<Result<Grant>> SpaceService::enter(rpc::Caller& from, EnterRequest ask) {
  if (auto present = check_present(); !present) co_return present.error();
  const auto its = waiting_.find(from.process);
  if (its != waiting_.end() && its->second >= kMaxWaitersOfOne) {
    co_return Error(Errc::would_block, "too many requests of this process wait");
  }
  const std::uint64_t request = ++requests_;
  Visitor visitor(*this, request, from.process, ask.number);
  registry_->enter(request, std::move(ask), now());
  pump();
  auto answered = bus::initiate<Grant>(
      boost::asio::deferred, [&visitor](bus::Done<Grant> done) { visitor.wait(std::move(done)); });
  Result<Grant> result = co_await std::move(answered);
  co_return result;
}

Result<> SpaceService::withdraw(rpc::Caller& from, std::uint64_t number) {
  if (auto present = check_present(); !present) return present;
  const auto found = std::ranges::find_if(visitors_, [&](const auto& each) {
    return number != 0 && each.second->number == number && each.second->process == from.process;
  });
  if (found == visitors_.end()) return {};
  const std::uint64_t request = found->first;
  registry_->cancel(request, now());
  answer(request, Error(rpc::Errc::canceled, "it was withdrawn"));
  pump();
  return {};
}

Result<std::vector<LineView>> SpaceService::lines(rpc::Caller&, PlaceId place) {
  if (auto present = check_present(); !present) return present.error();
  if (auto named = check_place(place); !named) return named.error();
  if (registry_->rebuilding()) return Error(Errc::rebuilding, to_string(place));
  if (!registry_->has_type(place.type)) return Error(Errc::unknown_type, place.type);
  return registry_->lines(place);
}

SpacesPage SpaceService::page(const SpaceName& after, std::size_t most) const {
  SpacesPage page;
  page.spaces = registry_->spaces_after(after, most + 1);
  page.more = page.spaces.size() > most;
  page.spaces.resize(std::min(page.spaces.size(), most));
  page.rebuilding = registry_->rebuilding();
  return page;
}

Result<SpacesPage> SpaceService::spaces(rpc::Caller&, SpaceName after, std::uint32_t most) {
  if (auto present = check_present(); !present) return present.error();
  return page(after, std::min<std::size_t>(most, kSpacesPage));
}

Result<> SpaceService::countdown(rpc::Caller&, SpaceName space,
                                 std::optional<std::chrono::milliseconds> after) {
  if (auto checked = check(space); !checked) return checked;
  auto result = registry_->countdown(space, after, now());
  pump();
  return result;
}

Result<> SpaceService::close(rpc::Caller&, SpaceName space) {
  if (auto checked = check(space); !checked) return checked;
  auto result = registry_->close(space, now());
  pump();
  return result;
}

Result<> SpaceService::give_back(rpc::Caller&, Life space, std::vector<Ticket> tickets) {
  if (auto present = check_present(); !present) return present;
  auto result = registry_->give_back(space, std::move(tickets));
  pump();
  return result;
}

}  // namespace starbus::nodes::space
