/**
 * What a client and a gate say to each other: docs/reference/client-protocol.md has the bytes. A
 * frame is one message of a connection. Each frame has one form; decoding throws BadBytes for all
 * others, and checks sizes before anything is allocated. Encoding throws BadBytes (`too_large`,
 * `malformed`) for what the form cannot hold, so that it is found where it is made.
 *
 * Numbers of 64 bits are bigint, all others number. Pure functions.
 */
import { BadBytes, Reader, Writer, bytesOfHex, bytesOfText, hexOf } from './bytes.js';
import * as limits from './limits.js';

/** The version of the protocol that is built here. */
export const kClientVersion = 1;

/** 16 bytes that mean nothing to the client, as 32 hex digits. */
export type Key = string;
/** No key. */
export const kNoKey: Key = '0'.repeat(32);

/** Drawn by an account; grows for ever. */
export interface Bind {
  readonly epoch: bigint;
  readonly counter: bigint;
}
export const kNoBind: Bind = { epoch: 0n, counter: 0n };
/** Below 0 if a is before b, 0 if they are the same. */
export function compareBinds(a: Bind, b: Bind): number {
  if (a.epoch !== b.epoch) return a.epoch < b.epoch ? -1 : 1;
  return a.counter === b.counter ? 0 : a.counter < b.counter ? -1 : 1;
}

// --- fields --------------------------------------------------------------------------------------

interface Field<T> {
  put(out: Writer, value: T): void;
  get(from: Reader): T;
}
function refuse(what: string): never {
  throw new BadBytes('malformed', what);
}

const number64: Field<bigint> = {
  put(out, value) {
    if (value < 0n || value >= 1n << 64n) refuse(`${value} is not a number of 64 bits`);
    out.varint(value);
  },
  get: (from) => from.varint(),
};
function numberTo(most: number): Field<number> {
  return {
    put(out, value) {
      if (!Number.isInteger(value) || value < 0 || value > most) refuse(`${value} above ${most}`);
      out.varint(value);
    },
    get: (from) => from.small(most),
  };
}
const number16 = numberTo(0xffff);
const number32 = numberTo(0xffff_ffff);
const flag: Field<boolean> = {
  put: (out, value) => out.byte(value ? 1 : 0),
  get(from) {
    const value = from.byte();
    return value > 1 ? refuse('a flag of neither 0 nor 1') : value === 1;
  },
};
const key: Field<Key> = {
  put(out, value) {
    if (value.length !== 32) refuse('a key of other than 16 bytes');
    out.raw(bytesOfHex(value));
  },
  get: (from) => hexOf(from.take(16)),
};
function sized(bytes: Uint8Array, most: number, out: Writer): void {
  if (bytes.length > most) throw new BadBytes('too_large', `more than ${most} bytes`);
  out.sized(bytes);
}
function text(most: number): Field<string> {
  return {
    put: (out, value) => sized(bytesOfText(value), most, out),
    get: (from) => from.text(most),
  };
}
function bytes(most: number): Field<Uint8Array> {
  return { put: (out, value) => sized(value, most, out), get: (from) => from.sized(most) };
}
/** All that is left of the frame. */
function rest(most: number): Field<Uint8Array> {
  return {
    put(out, value) {
      if (value.length > most) throw new BadBytes('too_large', `more than ${most} bytes`);
      out.raw(value);
    },
    get(from) {
      if (from.left > most) throw new BadBytes('too_large', `more than ${most} bytes`);
      return from.rest();
    },
  };
}
const bind: Field<Bind> = {
  put(out, value) {
    number64.put(out, value.epoch);
    number64.put(out, value.counter);
  },
  get: (from) => ({ epoch: from.varint(), counter: from.varint() }),
};
/** A count of at most `most`, and as many. */
function list<T>(most: number, each: Field<T>): Field<T[]> {
  return {
    put(out, value) {
      if (value.length > most) throw new BadBytes('too_large', `more than ${most} of a list`);
      out.varint(value.length);
      for (const one of value) each.put(out, one);
    },
    get: (from) => Array.from({ length: from.size(most) }, () => each.get(from)),
  };
}
/** A byte that stands for a name. */
function named<N extends string>(numbers: Readonly<Record<N, number>>): Field<N> {
  const names = new Map(Object.entries(numbers).map(([name, at]) => [at as number, name as N]));
  return {
    put: (out, value) => out.byte(numbers[value]),
    get: (from) => names.get(from.byte()) ?? refuse('an unknown number'),
  };
}

type Fields = Readonly<Record<string, Field<any>>>;
type Values<F extends Fields> = { [N in keyof F]: F[N] extends Field<infer T> ? T : never };
interface Form<F extends Fields> {
  readonly kind: number;
  readonly fields: F;
}
function form<F extends Fields>(kind: number, fields: F): Form<F> {
  return { kind, fields };
}

function putAll<F extends Fields>(fields: F, values: Values<F>, out: Writer): void {
  for (const name in fields) fields[name]!.put(out, values[name]);
}
function getAll<F extends Fields>(fields: F, from: Reader): Values<F> {
  const values: Partial<Record<string, unknown>> = {};
  for (const name in fields) values[name] = fields[name]!.get(from);
  from.finish();
  return values as Values<F>;
}
function encodeAll<F extends Fields>(fields: F, values: Values<F>): Uint8Array {
  const out = new Writer();
  putAll(fields, values, out);
  return out.bytes();
}
function decodeAll<F extends Fields>(fields: F, bytes: Uint8Array): Values<F> {
  return getAll(fields, new Reader(bytes));
}

// --- frames --------------------------------------------------------------------------------------

/** Why a session was not opened, or has ended, or a connection is closed. */
export const kCloseReasons = {
  version: 1,
  malformed: 2,
  too_large: 3,
  idle: 4,
  too_many: 5,
  denied: 6,
  banned: 7,
  full: 8,
  token: 9,
  token_reused: 10,
  window: 11,
  replaced: 12,
  ended: 13,
  too_slow: 14,
  later: 15,
  leaving: 16,
  taken_over: 17,
  fault: 18,
} as const;
export type CloseReason = keyof typeof kCloseReasons;

/** What a client waits for. */
const kWaits = { place: 1, account: 2, subject: 3, gate: 4 } as const;
/** What a packet is. */
const kPackets = {
  full: 1,
  call: 2,
  news: 3,
  reply: 4,
  over: 8,
  sight: 9,
  spoken: 16,
  ended: 17,
} as const;
export type PacketKind = keyof typeof kPackets;
/** Why a stretch has ended. */
const kOverReasons = {
  replaced: 1,
  switched: 2,
  away: 3,
  too_slow: 4,
  ended: 5,
  fault: 6,
} as const;
export type OverReason = keyof typeof kOverReasons;

const kRequestsOpen = 64;
const kLinkGroups = 64;

const clientForms = {
  hello: form(1, {
    least: number16,
    most: number16,
    features: number64,
    schema: number64,
    program: text(64),
  }),
  login: form(2, { method: text(32), account: text(64), proof: bytes(8192) }),
  resume: form(3, {
    session: key,
    token: key,
    gate: text(255),
    turn: number32,
    c: number64,
    reentry: bytes(512),
  }),
  confirm: form(4, {}),
  ack: form(5, { c: number64 }),
  ask: form(6, { u: number64, bind, body: bytes(65_536) }),
  ping: form(7, { time: number64 }),
  pong: form(8, { time: number64, here: number64 }),
  bye: form(9, {}),
} as const;

const gateForms = {
  greeting: form(65, {
    version: number16,
    features: number64,
    schema: number64,
    here: number64,
    heartbeatMs: number32,
    frameBytes: number32,
  }),
  waiting: form(66, { what: named(kWaits), ahead: number64, seconds: number32 }),
  welcome: form(67, {
    session: key,
    token: key,
    gate: text(255),
    turn: number32,
    c: number64,
    goesOn: flag,
    login: number64,
    upSeen: number64,
    upBind: bind,
    reentry: bytes(512),
  }),
  packet: form(68, { c: number64, kind: named(kPackets), body: rest(limits.kPacketBytes) }),
  busy: form(69, { upSeen: number64 }),
  goTo: form(70, { address: text(255) }),
  ping: form(71, { time: number64 }),
  pong: form(72, { time: number64, here: number64 }),
  closed: form(73, { reason: named(kCloseReasons), retryMs: number32, text: text(255) }),
} as const;

type Forms = Readonly<Record<string, Form<Fields>>>;
type FrameOf<A extends Forms, T extends keyof A> = { type: T } & Values<A[T]['fields']>;
type Union<A extends Forms> = { [T in keyof A]: FrameOf<A, T> }[keyof A];

/** A frame of a client, told apart by `type`. */
export type FromClient = Union<typeof clientForms>;
/** A frame of a gate, told apart by `type`. */
export type ToClient = Union<typeof gateForms>;
export type Greeting = FrameOf<typeof gateForms, 'greeting'>;
export type Waiting = FrameOf<typeof gateForms, 'waiting'>;
export type Welcome = FrameOf<typeof gateForms, 'welcome'>;
export type Packet = FrameOf<typeof gateForms, 'packet'>;
export type Closed = FrameOf<typeof gateForms, 'closed'>;

function encodeFrame(forms: Forms, frame: { type: string }): Uint8Array {
  const { kind, fields } = forms[frame.type]!;
  const out = new Writer();
  out.byte(kind);
  putAll(fields, frame as unknown as Values<Fields>, out);
  return out.bytes();
}
function kindsOf(forms: Forms): Map<number, string> {
  return new Map(Object.entries(forms).map(([type, { kind }]) => [kind, type]));
}
const clientKinds = kindsOf(clientForms);
const gateKinds = kindsOf(gateForms);
function decodeFrame(forms: Forms, kinds: Map<number, string>, bytes: Uint8Array): unknown {
  const from = new Reader(bytes);
  const type = kinds.get(from.byte()) ?? refuse('a frame of an unknown kind');
  return { type, ...getAll(forms[type]!.fields, from) };
}

export function encodeFromClient(frame: FromClient): Uint8Array {
  return encodeFrame(clientForms, frame);
}
export function encodeToClient(frame: ToClient): Uint8Array {
  return encodeFrame(gateForms, frame);
}
export function decodeFromClient(bytes: Uint8Array): FromClient {
  return decodeFrame(clientForms, clientKinds, bytes) as FromClient;
}
export function decodeToClient(bytes: Uint8Array): ToClient {
  return decodeFrame(gateForms, gateKinds, bytes) as ToClient;
}

// --- bodies of packets ---------------------------------------------------------------------------

const fullFields = {
  upSeen: number64,
  subject: text(255),
  bind,
  since: bind,
  upDone: number64,
  open: list(kRequestsOpen, number64),
  groups: list(kLinkGroups, text(64)),
  properties: bytes(limits.kPacketBytes),
} as const;
const replyFields = { u: number64, answer: bytes(limits.kPacketBytes) } as const;
const overFields = {
  reason: named(kOverReasons),
  login: number64,
  upDone: number64,
  since: bind,
  open: list(kRequestsOpen, number64),
} as const;
const spokenFields = { group: text(64), body: bytes(limits.kPacketBytes) } as const;
const endedFields = {
  reason: named(kCloseReasons),
  closing: flag,
  upDone: number64,
  since: bind,
} as const;

/** A stretch begins: who the client plays, and the whole state. */
export type Full = Values<typeof fullFields>;
/** To a request. */
export type Reply = Values<typeof replyFields>;
/** The stretch ends; another one follows, or the session's end. */
export type Over = Values<typeof overFields>;
/** Said to a group; its body is that of a call. */
export type Spoken = Values<typeof spokenFields>;
/** The session has ended. */
export type Ended = Values<typeof endedFields>;
/** A method of the client: two numbers of 32 bits, and the arguments. */
export interface Call {
  readonly method: number;
  readonly signature: number;
  readonly args: Uint8Array;
}

export const encodeFull = (body: Full): Uint8Array => encodeAll(fullFields, body);
export const decodeFull = (body: Uint8Array): Full => decodeAll(fullFields, body);
export const encodeReply = (body: Reply): Uint8Array => encodeAll(replyFields, body);
export const decodeReply = (body: Uint8Array): Reply => decodeAll(replyFields, body);
export const encodeOver = (body: Over): Uint8Array => encodeAll(overFields, body);
export const decodeOver = (body: Uint8Array): Over => decodeAll(overFields, body);
export const encodeSpoken = (body: Spoken): Uint8Array => encodeAll(spokenFields, body);
export const decodeSpoken = (body: Uint8Array): Spoken => decodeAll(spokenFields, body);
export const encodeEnded = (body: Ended): Uint8Array => encodeAll(endedFields, body);
export const decodeEnded = (body: Uint8Array): Ended => decodeAll(endedFields, body);
export function encodeCall(call: Call): Uint8Array {
  const out = new Writer();
  out.u32(call.method);
  out.u32(call.signature);
  out.raw(call.args);
  return out.bytes();
}
export function decodeCall(body: Uint8Array): Call {
  const from = new Reader(body);
  return { method: from.u32(), signature: from.u32(), args: from.rest() };
}
