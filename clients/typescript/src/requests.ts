/**
 * The requests of a client whose fate is not known, by their numbers. docs/reference/
 * client-protocol.md, section "Requests", has the rules. Sans-IO: told what a gate has said, it
 * tells what is to be said again, and the fate of each request exactly once. Belongs to a Session.
 */
import { Bind, compareBinds } from './wire.js';
import * as limits from './limits.js';

/** How a request has ended. */
export type Fate =
  | { fate: 'replied'; answer: Uint8Array }
  /** It has begun; its reply is gone. */
  | { fate: 'reply_lost' }
  /** It did not begin, and will not: to ask again is safe. */
  | { fate: 'not_begun'; why: NotBegun }
  /** It has begun or not: nobody can say. */
  | { fate: 'unknown'; why: Unknown };
export type NotBegun =
  | 'other_subject' // the client plays another one now, or the same one under a new bind
  | 'no_subject' // the client plays none yet
  | 'ended' // the session has ended before
  | 'too_many' // kAsksKept or kAskKeptBytes
  | 'deadline' // its time was over before it was said
  | 'differs'; // the server does not have this method, or with other types
export type Unknown =
  | 'closing' // the last word did not speak of it
  | 'login' // of an earlier login, or of a subject that has died
  | 'deadline' // its time was over; what is said of it later is ignored
  | 'closed'; // the session was given up

export interface Concluded {
  readonly id: number;
  readonly fate: Fate;
}

interface Kept {
  readonly id: number;
  readonly u: bigint;
  readonly bind: Bind;
  readonly until: number;
  body: Uint8Array;
  said: boolean; // on a connection that may have taken it
  ever: boolean; // on any connection
  told: boolean; // its fate: the number is kept for the order's sake
}

/** A call of no method: keeps the numbers whole, and begins nothing. An empty one is malformed. */
const kNoCall = Uint8Array.of(0xa1, 0, 0, 0, 0, 0, 0, 0, 0, 0);

/** What a full state or a last word knows of the requests before it. */
export interface UpState {
  readonly upDone: bigint;
  readonly since: Bind;
  readonly open: readonly bigint[];
}

export class Requests {
  #kept: Kept[] = []; // by u
  #bytes = 0;
  #next = 1n;
  #lastId = 0;
  #concluded: Concluded[] = [];

  /** Those that are kept. */
  get size(): number {
    return this.#kept.length;
  }
  /** The number of the next one. */
  get next(): bigint {
    return this.#next;
  }

  /** Takes one; returns its id. Its fate is told by that. */
  add(bind: Bind, body: Uint8Array, until: number): number {
    const id = ++this.#lastId;
    const full = this.#bytes + body.length > limits.kAskKeptBytes;
    if (full || this.#kept.length >= limits.kAsksKept) {
      this.#concluded.push({ id, fate: { fate: 'not_begun', why: 'too_many' } });
      return id;
    }
    this.#bytes += body.length;
    const u = this.#next++;
    this.#kept.push({ id, u, bind, until, body, said: false, ever: false, told: false });
    return id;
  }
  /** One that cannot be asked at all; returns its id. */
  refuse(why: NotBegun): number {
    const id = ++this.#lastId;
    this.#concluded.push({ id, fate: { fate: 'not_begun', why } });
    return id;
  }

  /** Those to be said now, in their order; they count as said. */
  *say(): Generator<{ u: bigint; bind: Bind; body: Uint8Array }> {
    const most = Math.min(this.#kept.length, limits.kAsksSent);
    for (let i = 0; i < most; i++) {
      const one = this.#kept[i]!;
      if (one.said) continue;
      one.said = one.ever = true;
      yield one;
    }
  }
  /** The connection knows those up to upSeen and no others. */
  seen(upSeen: bigint): void {
    for (const one of this.#kept) one.said = one.u <= upSeen;
  }

  reply(u: bigint, answer: Uint8Array): void {
    this.#end((one) => (one.u === u ? { fate: 'replied', answer } : undefined));
  }
  /** A full state of the bind that the requests were said to. */
  sameBind(up: UpState, upSeen: bigint): void {
    const open = new Set(up.open);
    this.#end((one) =>
      compareBinds(one.bind, up.since) < 0
        ? { fate: 'unknown', why: 'login' }
        : one.u <= up.upDone && !open.has(one.u)
          ? { fate: 'reply_lost' }
          : undefined,
    );
    this.seen(upSeen);
  }
  /** A full state of another bind. */
  newBind(up: UpState): void {
    const open = new Set(up.open);
    this.#end((one) => {
      if (compareBinds(one.bind, up.since) < 0) return { fate: 'unknown', why: 'login' };
      if (one.u > up.upDone) return { fate: 'not_begun', why: 'other_subject' };
      return open.has(one.u) ? undefined : { fate: 'reply_lost' };
    });
    for (const one of this.#kept) one.said = one.ever = true;
    this.#next = up.upDone + 1n;
  }
  /** The session's last word. */
  closing(up: UpState): void {
    this.#end((one) => {
      if (compareBinds(one.bind, up.since) < 0) return { fate: 'unknown', why: 'login' };
      return one.u > up.upDone ? { fate: 'not_begun', why: 'ended' } : { fate: 'reply_lost' };
    });
  }
  /** Nobody can say any more. Those that were never said have not begun. */
  giveUp(why: Unknown): void {
    this.#end((one) =>
      one.ever ? { fate: 'unknown', why } : { fate: 'not_begun', why: 'ended' },
    );
  }
  /** Of another login the numbers begin again. */
  restart(why: Unknown = 'login'): void {
    this.giveUp(why);
    this.#next = 1n;
  }

  /** When the next deadline is; Infinity: none. */
  wakeAt(): number {
    let at = Infinity;
    for (const one of this.#kept) if (!one.told && one.until < at) at = one.until;
    return at;
  }
  /** Ends those whose time is over. If their numbers are said again, they ask nothing. */
  tick(now: number): void {
    for (const one of this.#kept) {
      if (one.told || one.until > now) continue;
      this.#tell(one, one.ever
        ? { fate: 'unknown', why: 'deadline' }
        : { fate: 'not_begun', why: 'deadline' });
      one.told = true;
      this.#bytes += kNoCall.length - one.body.length;
      one.body = kNoCall;
    }
  }

  /** The fates since the last call. */
  take(): Concluded[] {
    const concluded = this.#concluded;
    this.#concluded = [];
    return concluded;
  }

  /** Removes those that get a fate. */
  #end(fateOf: (one: Kept) => Fate | undefined): void {
    this.#kept = this.#kept.filter((one) => {
      const fate = fateOf(one);
      if (fate === undefined) return true;
      this.#bytes -= one.body.length;
      this.#tell(one, fate);
      return false;
    });
  }
  #tell(one: Kept, fate: Fate): void {
    if (!one.told) this.#concluded.push({ id: one.id, fate });
  }
}
