#include "bus/client/log_feed.hpp"

#include <boost/asio/post.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <utility>

#include "base/unit_guard.hpp"
#include "bus/io/timer.hpp"

namespace starbus::bus {
namespace {

/// Whether another attempt cannot help. A superseded reader is opened again: its log is shared.
bool is_final(const Error& error) {
  return retry_of(error.code) == Retry::never && error.code != Errc::superseded;
}

}  // namespace

/// The I/O around a FeedBook: a reader that follows the log, and one at a time that catches up for
/// a listener. Lives as long as its LogFeed, or the pass in which that ends.
class LogFeedCore : public std::enable_shared_from_this<LogFeedCore> {
 public:
  LogFeedCore(Bus& bus, std::string log, LogFeedOptions options)
      : bus_(bus),
        log_(std::move(log)),
        options_(std::move(options)),
        follow_pause_(bus.loop()),
        read_pause_(bus.loop()) {}

  void follow() {
    LogOptions options;
    options.after = book_.is_open() ? book_.position() : LogOptions::kFromEnd;
    bus_.follow(log_, options, when_alive<LogReader>([this](Result<LogReader> reader) {
                  if (!reader) return follow_again(reader.error());
                  follower_ = std::move(*reader);
                  if (!book_.is_open()) open();
                  read_on();
                }));
  }

  void await_open(std::function<void(Result<>)> done) {
    if (!book_.is_open() && end_.code == Errc::ok) return openers_.push_back(std::move(done));
    complete(std::move(done), end_.code == Errc::ok ? Result<>() : end_);
  }

  Result<FeedBook::Id> add(std::shared_ptr<FeedBook::Place> place, LogFeed::Handler handler) {
    const auto id = book_.add(std::move(place));
    if (!id)
      return Error{id.error().code, std::to_string(book_.listeners()) + " listen to " + log_};
    handlers_.emplace(*id, std::make_shared<LogFeed::Handler>(std::move(handler)));
    want_pass();
    return id;
  }
  void remove(FeedBook::Id id) {
    book_.remove(id);
    handlers_.erase(id);
  }
  const FeedBook& book() const { return book_; }

  void end(const Error& reason) {
    if (end_.code != Errc::ok) return;
    end_ = reason;
    follower_.close();
    reader_.close();
    follow_pause_.cancel();
    read_pause_.cancel();
    for (auto& done : std::exchange(openers_, {})) complete(std::move(done), end_);
  }

 private:
  /// A callback for the Bus or a timer, which may come when this feed has ended already.
  template <class T, class Function>
  std::function<void(Result<T>)> when_alive(Function function) {
    return [weak = weak_from_this(), function = std::move(function)](Result<T> result) {
      const auto self = weak.lock();
      if (self && self->end_.code == Errc::ok) function(std::move(result));
    };
  }
  void complete(std::function<void(Result<>)> done, Result<> result) {
    boost::asio::post(bus_.loop(), [done = std::move(done), result = std::move(result)] {
      guarded(UnitKind::completion, done.target_type(), [&] { done(result); });
    });
  }
  template <class Function>
  void later(io::Timer& timer, Function function) {
    timer.expires_after(kFeedRetry);
    timer.async_wait([weak = weak_from_this(), function](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (self && !error && self->end_.code == Errc::ok) function();
    });
  }

  void open() {
    book_.open(follower_.position());
    for (auto& done : std::exchange(openers_, {})) complete(std::move(done), {});
    want_pass();
  }
  void read_on() {
    follower_.next_batch(kFeedPage,
                         when_alive<std::vector<Mail>>([this](Result<std::vector<Mail>> items) {
                           if (!items) return follow_again(items.error());
                           for (Mail& mail : *items) book_.append(std::move(mail));
                           want_pass();
                           read_on();
                         }));
  }
  void follow_again(const Error& reason) {
    if (is_final(reason)) return fail(reason);
    later(follow_pause_, [this] { follow(); });
  }
  void fail(const Error& reason) {
    end(reason);
    if (!options_.on_ended) return;
    guarded(
        UnitKind::listener, [this] { return "end of the feed of " + log_; },
        [&] { options_.on_ended(reason); });
  }

  void want_pass() {
    if (std::exchange(pass_wanted_, true)) return;
    boost::asio::post(bus_.loop(), [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->pass();
    });
  }
  void pass() {
    pass_wanted_ = false;
    for (std::uint64_t given = 0; given < kFeedPass && end_.code == Errc::ok; ++given) {
      const auto delivery = book_.next();
      if (!delivery) return catch_up();
      const auto handler = handlers_.at(delivery->to);  // it may end its listener
      guarded(
          UnitKind::listener, [this] { return "feed of " + log_; },
          [&] { (*handler)(*delivery->mail); });
    }
    if (end_.code == Errc::ok) want_pass();
  }

  /// Reads the page that a listener needs to go on: one at a time.
  void catch_up() {
    if (reading_) return;
    const auto from = book_.wanted();
    if (!from) return close_reader();
    reading_ = true;
    // A reader that has nothing more does not know whether more will come.
    if (reader_from_ == *from && reader_.position() < reader_.last()) return next_page();
    LogOptions options;
    options.after = *from - 1;
    bus_.follow(log_, options, when_alive<LogReader>([this, f = *from](Result<LogReader> reader) {
                  if (!reader) return catch_up_later(reader.error());
                  reader_ = std::move(*reader);
                  reader_from_ = f;
                  // Else nothing is kept after this cursor, and nothing need come.
                  reader_.position() < reader_.last() ? next_page() : take_page({});
                }));
  }
  void next_page() {
    reader_.next_batch(kFeedPage,
                       when_alive<std::vector<Mail>>([this](Result<std::vector<Mail>> items) {
                         if (!items) return catch_up_later(items.error());
                         take_page(std::move(*items));
                       }));
  }
  void take_page(std::vector<Mail> items) {
    const std::uint64_t from = std::exchange(reader_from_, reader_.position() + 1);
    if (!book_.page(from, {std::move(items), reader_.last()})) {
      return catch_up_later(Error{Errc::cursor_ahead});
    }
    reading_ = false;
    want_pass();
  }
  void close_reader() {
    reader_.close();
    reader_from_ = 0;
  }
  void catch_up_later(const Error& reason) {
    close_reader();
    if (is_final(reason)) return fail(reason);
    later(read_pause_, [this] {
      reading_ = false;
      want_pass();
    });
  }

  Bus& bus_;
  const std::string log_;
  const LogFeedOptions options_;
  FeedBook book_;
  boost::unordered_flat_map<FeedBook::Id, std::shared_ptr<LogFeed::Handler>> handlers_;
  std::vector<std::function<void(Result<>)>> openers_;
  Error end_{};
  LogReader follower_;
  io::Timer follow_pause_;
  LogReader reader_;               // of the page
  std::uint64_t reader_from_ = 0;  // the number that it gives next; 0: it is closed
  bool reading_ = false;
  io::Timer read_pause_;
  bool pass_wanted_ = false;
};

LogFeed::Listener& LogFeed::Listener::operator=(Listener&& other) noexcept {
  if (this == &other) return *this;
  close();
  core_ = std::exchange(other.core_, {});
  id_ = other.id_;
  place_ = other.place_;
  return *this;
}

void LogFeed::Listener::close() {
  if (const auto core = std::exchange(core_, {}).lock()) core->remove(id_);
}

LogFeed::LogFeed(Bus& bus, std::string log, LogFeedOptions options)
    : core_(std::make_shared<LogFeedCore>(bus, std::move(log), std::move(options))) {
  core_->follow();
}

LogFeed::~LogFeed() {
  core_->end(Error{Errc::closed, "the feed has ended"});
}

Result<LogFeed::Listener> LogFeed::listen(std::uint64_t cursor, Handler handler) {
  const auto place = std::make_shared<FeedBook::Place>(FeedBook::Place{cursor, 0});
  const auto id = core_->add(place, std::move(handler));
  if (!id) return id.error();
  Listener listener;
  listener.core_ = core_;
  listener.id_ = *id;
  listener.place_ = place;
  return listener;
}

std::uint64_t LogFeed::position() const {
  return core_->book().position();
}

std::size_t LogFeed::listeners() const {
  return core_->book().listeners();
}

void LogFeed::await_open(std::function<void(Result<>)> done) {
  core_->await_open(std::move(done));
}

}  // namespace starbus::bus
