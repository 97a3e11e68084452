#include "mail/reader_requests.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace starbus::mail {
namespace {

const Process& process_of(const ReaderRequests::Request& request) {
  return std::visit([](const auto& one) -> const Process& { return one.id.process; }, request);
}

}  // namespace

bool ReaderRequests::merge(const Request& request, Request& latest) {
  const auto* const ack = std::get_if<Acknowledgement>(&request);
  auto* const before = std::get_if<Acknowledgement>(&latest);
  if (!ack || !before || ack->id != before->id) return false;
  if (!ack->ack.reject.empty() || !before->ack.reject.empty()) return false;
  before->ack.upto = std::max(before->ack.upto, ack->ack.upto);
  return true;
}

bool ReaderRequests::add(Request request) {
  const Process process = process_of(request);
  const auto known = of_process_.find(process);
  if (known != of_process_.end() && merge(request, known->second.back())) return true;
  if (known != of_process_.end() && known->second.size() >= kReaderRequestsOfProcess) return false;
  if (count_ >= kReaderRequests) return false;
  if (known == of_process_.end()) turns_.push_back(process);
  of_process_[process].push_back(std::move(request));
  ++count_;
  return true;
}

std::optional<ReaderRequests::Request> ReaderRequests::take() {
  assert(turns_.size() == of_process_.size());
  if (count_ == 0) return std::nullopt;
  const Process process = turns_.front();
  turns_.pop_front();
  const auto of = of_process_.find(process);
  assert(of != of_process_.end() && !of->second.empty());
  std::optional<Request> request = std::move(of->second.front());
  of->second.pop_front();
  --count_;
  if (of->second.empty()) {
    of_process_.erase(of);
  } else {
    turns_.push_back(process);
  }
  return request;
}

void ReaderRequests::put_back(Request request) {
  const Process process = process_of(request);
  std::deque<Request>& of = of_process_[process];
  if (of.empty()) turns_.push_front(process);
  of.push_front(std::move(request));
  ++count_;
}

void ReaderRequests::give_turn(const Process& process) {
  if (std::erase(turns_, process) != 0) turns_.push_front(process);
}

void ReaderRequests::forget(const ReaderId& id) {
  const auto of = of_process_.find(id.process);
  if (of == of_process_.end()) return;
  count_ -= std::erase_if(of->second, [&](const Request& request) {
    return std::visit([&](const auto& one) { return one.id == id; }, request);
  });
  if (of->second.empty()) drop_queue(of);
}

void ReaderRequests::process_gone(const Process& process, bool living) {
  for (auto of = of_process_.begin(); of != of_process_.end();) {
    const auto at = of++;
    if (!Readers::ended_with(at->first, process, living)) continue;
    count_ -= at->second.size();
    drop_queue(at);
  }
}

void ReaderRequests::drop_queue(Queues::iterator of) {
  std::erase(turns_, of->first);
  of_process_.erase(of);
}

}  // namespace starbus::mail
