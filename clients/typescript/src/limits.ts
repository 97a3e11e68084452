/**
 * Every bound of this client, with its reason and with what happens when it is reached. Times are
 * in milliseconds.
 */

/** Bytes of the longest frame that is taken; beyond, the connection is closed and resumed. */
export const kFrameBytes = 1024 * 1024 + 64 * 1024;
/** Bytes of the body of a packet, also of one that comes deflated; beyond, likewise. */
export const kPacketBytes = 1024 * 1024 + 1024;
/** Bytes of frames that wait while one before them is inflated; beyond, likewise. */
export const kInflateBytes = 16 * 1024 * 1024;
/** Bytes of one request; beyond, `ask` throws. */
export const kAskBytes = 64 * 1024;
/** Requests under way at once, as many as a subject runs; the others are kept until one ends. */
export const kAsksSent = 64;
/** Requests without a fate; beyond, a new one ends as `not_begun`. */
export const kAsksKept = 256;
/** Bytes of these, as a connection may be away for long; beyond, likewise. */
export const kAskKeptBytes = 1024 * 1024;
/** Until the fate of a request, unless the program says otherwise; then it is `unknown`. */
export const kAskTime = 60_000;

/** Until a connection is open, and until its Greeting; then another gate is tried. */
export const kConnectTime = 10_000;
/** Heartbeats without a word after which the connection is closed. */
export const kSilentHeartbeats = 3;
/** The bounds of a gate's heartbeat: one of 0 would never rest, a large one never find a loss. */
export const kLeastHeartbeat = 500;
export const kMostHeartbeat = 120_000;
/** Packets, bytes and time after which these are acknowledged. */
export const kAckPackets = 64;
export const kAckBytes = 16 * 1024;
export const kAckTime = 250;
/** Between two measurements of the gate's clock. */
export const kClockTime = 10_000;
/** Measurements of which the quickest counts. */
export const kClockSamples = 8;

/** The longest wait before the first attempt to come back; it doubles with each one. */
export const kFirstRetry = 500;
export const kMostRetry = 15_000;
/** The longest wait after a connection that was in play, and just broke. */
export const kBrokenRetry = 2_000;
/** The longest wait that a gate may demand; a longer one counts as this. */
export const kMostDemanded = 600_000;
/** In play for so long, a session begins with the first wait again. */
export const kStableTime = 5_000;
/** Without a word of any gate for so long, the session ends as `unreachable`. */
export const kPatience = 300_000;
/** Faults in a row, of either side (malformed frames, gaps), after which the session ends. */
export const kFaults = 5;
/** Redirections in a row that are followed at once; the next one waits as after a loss. */
export const kRedirections = 4;
/** Before requests that a gate was too busy for are said again; doubled each time. */
export const kFirstBusy = 50;
export const kMostBusy = 2_000;
/** Until the gate has answered Bye. */
export const kByeTime = 2_000;

/** Of the bytes of values, as the server's archive has them; beyond, `too_large`, `too_deep`. */
export const kArchiveBytes = 16 * 1024 * 1024;
export const kArchiveElements = 1024 * 1024;
export const kArchiveDepth = 32;
/** Elements of a list, map or bag of properties. */
export const kMaxElements = 65_536;
/** Bytes of a text that is a key of one of these. */
export const kMaxKey = 64;

/**
 * Rows of each kind in a server's table of names, fields of a class, bytes of a name, of the name of
 * a field, and of the shape of its type; beyond, the table is refused, and counts as none.
 */
export const kNameRows = 65_536;
export const kClassFields = 254;
export const kNameBytes = 255;
export const kFieldName = 64;
export const kShapeBytes = 1024;
/** Levels of classes of properties within one another; beyond, the table is refused. */
export const kMaxLevels = 7;
/** Bytes of properties that wait for the server's names; beyond, a full state is asked for. */
export const kHeldBytes = 2 * 1024 * 1024;

/** Metres of a coordinate from the origin, as the server has it; beyond, moves are malformed. */
export const kMaxCoordinate = 1_048_576;
/** Bytes of a batch of moves, as the server makes them; beyond, `too_large`. */
export const kMoveBatchBytes = 64 * 1024;
/** Bytes of one move in its record of sight, more than any; beyond, `too_large`. */
export const kMoveBytes = 24;
/** Bytes of the name of a space, of the name of a class of entities, and of a game's setup. */
export const kSpaceName = 255;
export const kSeenClass = 64;
export const kSetupBytes = 1024;
/** Places that are kept of a mover: 3 seconds at 10 ticks per second; the oldest is forgotten. */
export const kMaxSnapshots = 32;
/** A mover goes on without news for so long; then it stands: further it would run through walls. */
export const kMaxExtrapolation = 250;
/** Moves that the server has not answered: more than a second of frames; then all are forgotten. */
export const kMaxPending = 96;
/** Between two reports of moves, unless the program says otherwise; later ones stand for those. */
export const kReportTime = 100;
/** Reports without an answer, so that none wait for a connection; no further one is said then. */
export const kReportsOpen = 16;
/** Until the fate of a report; it is worth nothing later. */
export const kReportWait = 10_000;
