#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace starbus::bus {

/// The current activity of a loop as a text, for watchdogs on other threads. The loop's thread
/// writes it in some nanoseconds; any thread reads a whole text, or an empty one while it changes.
/// Owns its bytes. Texts above kLongest bytes are cut.
class ShownName {
 public:
  static constexpr std::size_t kLongest = 96;

  /// Shows `kind` and `name`, one after the other. Owner's thread.
  void show(std::string_view kind, std::string_view name) {
    char text[kLongest] = {};
    const std::size_t head = std::min(kind.size(), kLongest);
    const std::size_t tail = std::min(name.size(), kLongest - head);
    std::memcpy(text, kind.data(), head);
    std::memcpy(text + head, name.data(), tail);
    begin();
    for (std::size_t i = 0; i * kWord < head + tail; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, text + i * kWord, kWord);
      words_[i].store(word, std::memory_order_release);
    }
    size_.store(head + tail, std::memory_order_release);
    end();
  }
  /// Shows nothing. Owner's thread.
  void hide() {
    begin();
    size_.store(0, std::memory_order_release);
    end();
  }
  /// From any thread. Empty if nothing is shown or the text is just changing.
  std::string text() const {
    const std::uint64_t before = version_.load(std::memory_order_acquire);
    char text[kLongest];
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t word = words_[i].load(std::memory_order_acquire);
      std::memcpy(text + i * kWord, &word, kWord);
    }
    const std::size_t size = size_.load(std::memory_order_acquire);
    const bool whole = before % 2 == 0 && version_.load(std::memory_order_relaxed) == before;
    return whole ? std::string(text, size) : std::string();
  }

  /// Shows the text during its own life; the text itself may end earlier.
  class Scope {
   public:
    Scope(std::shared_ptr<ShownName> at, std::string_view kind, std::string_view name)
        : at_(std::move(at)) {
      at_->show(kind, name);
    }
    ~Scope() { at_->hide(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    std::shared_ptr<ShownName> at_;
  };

 private:
  static constexpr std::size_t kWord = sizeof(std::uint64_t);

  // A sequence lock (Boehm, "Can seqlocks get along with programming language memory models?",
  // 2012): a reader that sees a byte of a later text also sees its odd version, since each store is
  // a release.
  void begin() {
    version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void end() {
    version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::atomic<std::uint64_t> version_{0};  // odd: it changes
  std::atomic<std::size_t> size_{0};
  std::array<std::atomic<std::uint64_t>, kLongest / kWord> words_{};
};

}  // namespace starbus::bus
