/// Every bound of `starbus client-code`, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"

namespace starbus::starter {

// X(constant, value, unit, reason, when reached, test)
#define STARBUS_CLIENT_CODE_LIMITS(X)                                                              \
  X(kSchemaBytes, 64_MiB, "bytes", "one schema: it is read as a whole", "too_large",               \
    "ClientCode.WhatIsTooLargeIsRefused")                                                          \
  X(kSchemas, 16, "schemas", "that one program is built from: a client names each to its server",  \
    "too_large", "ClientCode.WhatIsTooLargeIsRefused")                                             \
  X(kSchemaNames, 65'536, "rows", "of each list of a schema: as many methods as a program has",    \
    "too_large", "ClientCode.WhatIsTooLargeIsRefused")                                             \
  X(kTypeDepth, 32, "levels", "of types within one another: as deep as an archive", "too_large",   \
    "ClientCode.WhatIsTooLargeIsRefused")                                                          \
  X(kArraySize, 65'536, "elements", "of an array: it is a value of that size in C++", "too_large", \
    "ClientCode.WhatIsTooLargeIsRefused")                                                          \
  X(kJsonDepth, 128, "levels", "of JSON within one another", "malformed",                          \
    "ClientCode.WhatIsTooLargeIsRefused")                                                          \
  X(kCodeName, 32, "bytes", "the name of the generated files and namespace", "bad_name",           \
    "ClientCode.ANameIsAnIdentifier")

STARBUS_LIMITS_OF(kClientCodeLimits, STARBUS_CLIENT_CODE_LIMITS)

}  // namespace starbus::starter
