// NATS' JetStream through libnats: one stream for all mailboxes, `mail.>`, on a disk; mailbox N is
// the subject `mail.N`. Acknowledgements of posts arrive on a thread of the library.
#include <nats/nats.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <random>
#include <thread>

#include "bench/harness/clock.hpp"
#include "bench/mail/client.hpp"

namespace starbus::bench::mail {
namespace {

constexpr const char* kStream = "mail";
constexpr const char* kConsumer = "reader";
constexpr const char* kDrained = "mail.0";
constexpr int kBufferBytes = 64 * 1024;
constexpr std::int64_t kPatienceMs = 60'000;

Result<void> checked(const char* doing, natsStatus status, jsErrCode code = jsErrCode(0)) {
  if (status == NATS_OK) return {};
  return fail(std::string("nats: ") + doing + ": " + natsStatus_GetText(status) +
              (code == 0 ? "" : ", " + std::to_string(code)));
}

class NatsClient final : public Client {
 public:
  NatsClient(const ClientOptions& options, Tally& tally)
      : options_(options), tally_(tally), body_(options.bytes, '\0') {
    std::minstd_rand random(1);
    for (char& c : body_) c = static_cast<char>(random());
  }
  ~NatsClient() override {
    natsSubscription_Destroy(subscription_);
    jsCtx_Destroy(jet_);
    natsConnection_Destroy(connection_);
    natsOptions_Destroy(settings_);
  }

  Result<void> connect() override {
    natsStatus status = natsOptions_Create(&settings_);
    if (status == NATS_OK) status = natsOptions_SetURL(settings_, options_.endpoint.c_str());
    if (status == NATS_OK) status = natsOptions_SetIOBufSize(settings_, kBufferBytes);
    // True writes on every publish instead of waking the flusher thread, which waits a millisecond.
    if (status == NATS_OK) status = natsOptions_SetSendAsap(settings_, options_.low_latency);
    if (status != NATS_OK) return checked("options", status);
    const std::int64_t deadline = now_ns() + 60 * kSecond;
    do {
      status = natsConnection_Connect(&connection_, settings_);
      if (status != NATS_OK) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    } while (status != NATS_OK && now_ns() < deadline);
    if (status != NATS_OK) return checked("connect", status);
    jsOptions options;
    jsOptions_Init(&options);
    options.Wait = kPatienceMs;
    options.PublishAsync.MaxPending = static_cast<std::int64_t>(options_.outstanding) + 1;
    options.PublishAsync.AckHandler = acknowledged;
    options.PublishAsync.AckHandlerClosure = this;
    return checked("context", natsConnection_JetStream(&jet_, connection_, &options));
  }

  // Interest: what its only consumer has acknowledged is erased, as in a mailbox.
  Result<void> prepare(bool read) override {
    const char* subjects[] = {"mail.>"};
    jsStreamConfig stream;
    jsStreamConfig_Init(&stream);
    stream.Name = kStream;
    stream.Subjects = subjects;
    stream.SubjectsLen = 1;
    stream.Storage = js_FileStorage;
    stream.Retention = read ? js_InterestPolicy : js_LimitsPolicy;
    jsErrCode code = jsErrCode(0);
    natsStatus status = NATS_OK;
    const std::int64_t deadline = now_ns() + 60 * kSecond;
    do {  // JetStream may still be starting
      status = js_AddStream(nullptr, jet_, &stream, nullptr, &code);
      if (status != NATS_OK) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } while (status != NATS_OK && now_ns() < deadline);
    if (status != NATS_OK || !read) return checked("stream", status, code);
    jsConsumerConfig consumer;
    jsConsumerConfig_Init(&consumer);
    consumer.Durable = kConsumer;
    consumer.FilterSubject = kDrained;
    consumer.AckPolicy = js_AckAll;
    consumer.DeliverPolicy = js_DeliverAll;
    consumer.MaxAckPending = -1;
    status = js_AddConsumer(nullptr, jet_, kStream, &consumer, nullptr, &code);
    return checked("consumer", status, code);
  }

  bool post(std::uint64_t mailbox, std::int64_t stamp) override {
    if (outstanding_.load() >= options_.outstanding) return false;
    std::memcpy(body_.data(), &stamp, sizeof stamp);
    ++outstanding_;
    const auto status = js_PublishAsync(jet_, subject_of(mailbox).c_str(), body_.data(),
                                        static_cast<int>(body_.size()), nullptr);
    if (status == NATS_OK) return true;
    --outstanding_;
    const std::string error = natsStatus_GetText(status);
    tally_.ended(stamp, &error);
    return true;
  }

  void poll(std::int64_t until_ns) override {
    const std::int64_t left = until_ns - now_ns();
    if (left <= 0) return;
    std::unique_lock lock(mutex_);
    if (outstanding_.load() < options_.outstanding) {
      // Nothing is missing but time.
      lock.unlock();
      sleep_until_ns(until_ns);
      return;
    }
    room_.wait_for(lock, std::chrono::nanoseconds(left),
                   [this] { return outstanding_.load() <= options_.outstanding / 2; });
  }

  Result<void> post_one(std::uint64_t mailbox) override {
    jsPubAck* ack = nullptr;
    jsErrCode code = jsErrCode(0);
    const auto status = js_Publish(&ack, jet_, subject_of(mailbox).c_str(), body_.data(),
                                   static_cast<int>(body_.size()), nullptr, &code);
    jsPubAck_Destroy(ack);
    return checked("publish", status, code);
  }

  Result<void> drain(std::uint64_t count, std::size_t batch, bool acknowledge) override {
    if (!acknowledge) return fail("nats reads nothing that it keeps");
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = kStream;
    options.ManualAck = true;
    options.Config.AckPolicy = js_AckAll;
    options.Config.MaxAckPending = -1;
    jsErrCode code = jsErrCode(0);
    auto status =
        js_PullSubscribe(&subscription_, jet_, kDrained, kConsumer, nullptr, &options, &code);
    if (status != NATS_OK) return checked("subscribe", status, code);
    for (std::uint64_t read = 0; read < count;) {
      natsMsgList list{};
      status =
          natsSubscription_Fetch(&list, subscription_, static_cast<int>(batch), kPatienceMs, &code);
      if (status != NATS_OK) return checked("fetch", status, code);
      for (int i = 0; i < list.Count; ++i) {
        if (natsMsg_GetDataLength(list.Msgs[i]) != static_cast<int>(options_.bytes)) {
          return fail("a message of another size");
        }
      }
      read += static_cast<std::uint64_t>(list.Count);
      natsMsg* const last = list.Msgs[list.Count - 1];
      status = read < count ? natsMsg_Ack(last, nullptr) : natsMsg_AckSync(last, nullptr, &code);
      natsMsgList_Destroy(&list);
      if (status != NATS_OK) return checked("acknowledge", status, code);
    }
    return {};
  }

  Result<void> follow(std::uint64_t) override { return fail("not measured of nats"); }
  Result<void> erase(std::uint64_t) override {
    jsOptions options;
    jsOptions_Init(&options);
    options.Wait = kPatienceMs;
    options.Stream.Purge.Subject = kDrained;
    jsErrCode code = jsErrCode(0);
    return checked("purge", js_PurgeStream(jet_, kStream, &options, &code), code);
  }

  Result<std::int64_t> open(std::uint64_t) override { return fail("nats opens no mailboxes"); }

 private:
  static std::string subject_of(std::uint64_t mailbox) { return "mail." + std::to_string(mailbox); }

  static void acknowledged(jsCtx*, natsMsg* message, jsPubAck* ack, jsPubAckErr* refused,
                           void* self) {
    static_cast<NatsClient*>(self)->ended(message, ack != nullptr, refused);
    natsMsg_Destroy(message);
  }
  void ended(natsMsg* message, bool good, const jsPubAckErr* refused) {
    std::int64_t stamp = 0;
    std::memcpy(&stamp, natsMsg_GetData(message), sizeof stamp);
    if (good) {
      tally_.ended(stamp, nullptr);
    } else {
      const std::string error =
          refused != nullptr && refused->ErrText != nullptr ? refused->ErrText : "no reason";
      tally_.ended(stamp, &error);
    }
    if (--outstanding_ != options_.outstanding / 2) return;
    const std::lock_guard lock(mutex_);
    room_.notify_one();
  }

  ClientOptions options_;
  Tally& tally_;
  std::string body_;
  natsOptions* settings_ = nullptr;
  natsConnection* connection_ = nullptr;
  jsCtx* jet_ = nullptr;
  natsSubscription* subscription_ = nullptr;
  std::atomic<std::uint64_t> outstanding_{0};
  std::mutex mutex_;
  std::condition_variable room_;
};

}  // namespace

std::unique_ptr<Client> make_nats_client(const ClientOptions& options, Tally& tally) {
  return std::make_unique<NatsClient>(options, tally);
}

}  // namespace starbus::bench::mail
