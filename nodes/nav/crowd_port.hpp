/// Where a space asks for its crowd: in its own process (CrowdPool), or at a node (RemoteCrowds).
///
/// Belongs to the loop's thread. Each callback is called once, on the loop; within the call only
/// with an error. Those that wait when the port ends are dropped.
#pragma once

#include <functional>

#include "nodes/nav/messages.hpp"

namespace starbus::nodes::crowds {

class CrowdPort {
 public:
  using Made = std::function<void(Result<CrowdId>)>;
  using Answered = std::function<void(Result<Answer>)>;

  CrowdPort() = default;
  CrowdPort(const CrowdPort&) = delete;
  CrowdPort& operator=(const CrowdPort&) = delete;
  virtual ~CrowdPort() = default;

  /// Loads the map, if it is not there, and makes a crowd. no_map, bad_map, bad_request, too_many,
  /// busy.
  virtual void create(const CrowdSpec& spec, Made done) = 0;
  /// Applies the requests in their order, then lets the time pass. unknown_crowd; busy while the
  /// batch before is not answered, or the workers have no room: nothing was done; bad_request
  /// beyond kMaxBatch.
  virtual void step(Batch batch, Answered done) = 0;
  /// Ends a crowd; one that is not there is none.
  virtual void destroy(CrowdId crowd) = 0;
};

}  // namespace starbus::nodes::crowds
