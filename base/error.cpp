#include "base/error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ostream>

namespace starbus {

constinit const DomainRegistration* DomainRegistration::first_ = nullptr;

DomainRegistration::DomainRegistration(const ErrorDomain& domain) noexcept
    : domain_(domain), next_(first_) {
  if (const ErrorDomain* const other = find_domain(domain.id)) {
    std::fprintf(stderr, "starbus: the error domains %.*s and %.*s have one id: %u\n",
                 static_cast<int>(other->name.size()), other->name.data(),
                 static_cast<int>(domain.name.size()), domain.name.data(), domain.id);
    std::abort();
  }
  first_ = this;
}

const ErrorDomain* find_domain(std::uint16_t id) {
  for (const auto* it = DomainRegistration::first_; it != nullptr; it = it->next_) {
    if (it->domain_.id == id) return &it->domain_;
  }
  return nullptr;
}

std::vector<const ErrorDomain*> error_domains() {
  std::vector<const ErrorDomain*> domains;
  for (const auto* it = DomainRegistration::first_; it != nullptr; it = it->next_) {
    domains.push_back(&it->domain_);
  }
  std::ranges::sort(domains, {}, &ErrorDomain::id);
  return domains;
}

const ErrorInfo* ErrorDomain::find(std::uint16_t number) const {
  // The numbers of most tables have no gaps.
  if (number != 0 && number <= errors.size() && errors[number - 1U].number == number) {
    return &errors[number - 1U];
  }
  const auto found = std::ranges::find(errors, number, &ErrorInfo::number);
  return found == errors.end() ? nullptr : &*found;
}

const ErrorInfo* info_of(Code code) {
  const ErrorDomain* const domain = code.is_ok() ? nullptr : find_domain(code.domain());
  return domain == nullptr ? nullptr : domain->find(code.number());
}

std::string_view name_of(Code code) {
  if (code.is_ok()) return "ok";
  const ErrorInfo* const info = info_of(code);
  return info == nullptr ? "unknown" : info->name;
}

std::string_view name_of(Retry retry) {
  switch (retry) {
    case Retry::never:
      return "never";
    case Retry::later:
      return "later";
    case Retry::rebind:
      return "rebind";
    case Retry::unknown:
      return "unknown";
  }
  return "unknown";
}

Retry retry_of(Code code) {
  if (code.is_ok()) return Retry::never;
  const ErrorInfo* const info = info_of(code);
  return info == nullptr ? Retry::unknown : info->retry;
}

std::string Error::to_string() const {
  std::string text(name_of(code));
  if (!code.is_ok() && info_of(code) == nullptr) {
    text += " " + std::to_string(code.domain()) + "." + std::to_string(code.number());
  }
  if (!detail.empty()) text.append(": ").append(detail);
  return text;
}

void PrintTo(Code code, std::ostream* out) {
  *out << name_of(code) << " (" << code.domain() << "." << code.number() << ")";
}

void PrintTo(const Error& error, std::ostream* out) {
  *out << error.to_string();
}

}  // namespace starbus
