#include "clients/cpp/io/resolver.hpp"

#include <netdb.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "clients/cpp/limits.hpp"

namespace starbus::game {
namespace {

std::vector<Endpoint> endpoints_of(const Address& address, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* first = nullptr;
  std::vector<Endpoint> endpoints;
  if (getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &first) != 0) {
    return endpoints;
  }
  for (const addrinfo* each = first; each != nullptr; each = each->ai_next) {
    if (endpoints.size() == kEndpoints) break;
    Endpoint& endpoint = endpoints.emplace_back();
    endpoint.size = each->ai_addrlen;
    std::memcpy(&endpoint.address, each->ai_addr, each->ai_addrlen);
  }
  freeaddrinfo(first);
  return endpoints;
}

}  // namespace

std::optional<Address> address_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  Address address{text.substr(0, colon), text.substr(colon + 1)};
  if (address.host.front() == '[' && address.host.back() == ']') {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  const auto is_digit = [](char each) { return each >= '0' && each <= '9'; };
  const bool number = !address.port.empty() && address.port.size() <= 5 &&
                      std::all_of(address.port.begin(), address.port.end(), is_digit);
  if (!number || address.host.empty()) return std::nullopt;
  const int port = std::stoi(address.port);
  if (port < 1 || port > 65'535) return std::nullopt;
  return address;
}

std::shared_ptr<Resolver> Resolver::shared() {
  static std::mutex mutex;
  static std::weak_ptr<Resolver> known;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Resolver> resolver = known.lock();
  if (!resolver) known = resolver = std::make_shared<Resolver>();
  return resolver;
}

Resolver::~Resolver() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool Resolver::has_thread() {
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

std::shared_ptr<Lookup> Resolver::look_up(Address address) {
  auto lookup = std::make_shared<Lookup>();
  lookup->endpoints = endpoints_of(address, AI_NUMERICHOST);
  lookup->address = std::move(address);
  const std::lock_guard lock(mutex_);
  if (!lookup->endpoints.empty() || waiting_.size() >= kLookups || !has_thread()) {
    lookup->done = true;
    return lookup;
  }
  waiting_.push_back(lookup);
  wake_.notify_one();
  return lookup;
}

void Resolver::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    const std::shared_ptr<Lookup> lookup = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    if (lookup.use_count() > 1) lookup->endpoints = endpoints_of(lookup->address, 0);
    lookup->done = true;
    lock.lock();
  }
}

}  // namespace starbus::game
