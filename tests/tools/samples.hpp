/// Documents as docs/operate/admin-api.md describes them: host "a" is the local one, "b" a remote
/// one, "c" is known to busroot but has no link.
#pragma once

#include <string>

namespace starbus::bustop::test {

inline std::string link(const std::string& id, const std::string& peer, const std::string& kind,
                        const std::string& extra = R"("rtt_us":120,"silence_ms":200)") {
  return R"({"id":)" + id + R"(,"peer":")" + peer + R"(","kind":")" + kind +
         R"(","address":"pid 1","greeted":true,"suspect":false,"in_flight_bytes":0,)"
         R"("queued_bytes":{"control":0,"call":0,"sync":0,"bulk":0},"bundles_in":1,)"
         R"("bundles_out":2,"bytes_in":1000,"bytes_out":2000,"records_in":10,)" +
         extra + "}";
}

inline const std::string kStatusA =
    R"({"kind":"busd","name":"a","version":"0.1.0","protocol":"1.0","pid":100,"uptime_s":4000,)"
    R"("loop_lag_ms":1,"term":3,"state":"serving","counters":{"messages_forwarded":1000,)"
    R"("bytes_forwarded":50000,"nacks_overflow":0,"nacks_no_owner":2,"sessions_refused":0,)"
    R"("hostile_bytes":0}})";
inline const std::string kStatusB =
    R"({"kind":"busd","name":"b","version":"0.1.0","pid":101,"uptime_s":4000,"state":"serving",)"
    R"("counters":{"messages_forwarded":10}})";
inline const std::string kStatusRoot =
    R"({"kind":"busroot","name":"busroot","version":"0.1.0","protocol":"1.0","pid":90,)"
    R"("uptime_s":9000,"loop_lag_ms":0,"term":3,"state":"serving","counters":)"
    R"({"messages_forwarded":400,"bytes_forwarded":20000}})";

inline const std::string kTopologyA =
    R"({"kind":"busd","host":"a","term":3,"uplink":{"endpoint":"tcp://10.0.0.1:7600",)"
    R"("connected":true,"rtt_us":340,"since_s":3900,"last_error":""},"processes":[)"
    R"({"name":"a.space-1","role":"space","pid":4712,"incarnation":8,"connected":true,"names":1500,)"
    R"("link":)" +
    link("2", "a.space-1", "process", R"("rtt_us":95,"silence_ms":4200)") +
    R"(,"software":"arena 1"},)"
    R"({"name":"a.gate-1","role":"gate","pid":4711,"incarnation":7,"connected":true,"names":2,)"
    R"("link":)" +
    link("1", "a.gate-1", "process") + R"(,"software":"arena 1"}],"names":1502})";
inline const std::string kTopologyB =
    R"({"kind":"busd","host":"b","term":3,"uplink":{"endpoint":"tcp://10.0.0.1:7600",)"
    R"("connected":true,"rtt_us":410,"since_s":3900,"last_error":""},"processes":[)"
    R"({"name":"b.space-2","role":"space","pid":99,"connected":true,"names":3,"link":)" +
    link("1", "b.space-2", "process", R"("rtt_us":80,"silence_ms":10)") +
    R"(,"software":"arena 1"}],"names":3})";
inline const std::string kTopologyRoot =
    R"({"kind":"busroot","name":"busroot","term":3,"grace":false,"waiting_for":[],"hosts":[)"
    R"({"host":"a","connected":true,"key":"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7","names":1502,)"
    R"("processes":[{"name":"a.gate-1","role":"gate","pid":4711,"names":2}],"link":)" +
    link("1", "a", "busd", R"("rtt_us":340,"silence_ms":100)") +
    R"(,"software":"0.1.0"},)"
    R"({"host":"b","connected":true,"key":"","names":3,"processes":[],"link":)" +
    link("2", "b", "busd", R"("rtt_us":400,"silence_ms":100)") +
    R"(,"software":"0.1.0"},)"
    R"({"host":"c","connected":false,"key":"","names":0,"processes":[],"link":null,)"
    R"("software":"0.1.0"}],"names":1505})";

inline const std::string kLinksA = R"({"links":[)" + link("1", "a.gate-1", "process") + "," +
                                   link("2", "a.space-1", "process") + "," +
                                   link("3", "root", "busroot") + "]}";
inline const std::string kLinksB = R"({"links":[)" + link("1", "b.space-2", "process") + "]}";
inline const std::string kLinksRoot =
    R"({"links":[)" + link("1", "a", "busd") + "," + link("2", "b", "busd") + "]}";

}  // namespace starbus::bustop::test
