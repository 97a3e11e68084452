/// The part of Asio's TLS that is not templates; see nodes/CMakeLists.txt.
#include <boost/asio/ssl/impl/src.hpp>
