#include "entity/rpc/error.hpp"

namespace starbus::entity::rpc {

Error from_bus(const bus::Error& error) {
  switch (error.code.in<bus::Errc>()) {
    case bus::Errc::deadline:
      return {Errc::deadline, error.detail};
    case bus::Errc::would_block:
      return {Errc::would_block, error.detail};
    case bus::Errc::too_large:
      return {Errc::too_large, error.detail};
    case bus::Errc::closed:
      return {Errc::closed, error.detail};
    default:
      return error;
  }
}

}  // namespace starbus::entity::rpc
