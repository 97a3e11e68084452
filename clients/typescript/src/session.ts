/**
 * A client's half of a session, sans-IO: bytes and clock in, bytes and events out (`take`).
 * docs/reference/client-protocol.md has the rules. It continues its session over any number of
 * connections and gates, so that the program sees each packet once and in order, and is told the
 * fate of each request exactly once.
 *
 * All times are milliseconds of one clock that never goes back. Whoever drives it calls `tick` at
 * `wakeAt`, and after each call does what `take` returns, in that order. Nothing throws but `ask`
 * and `login`, for values that the protocol cannot hold.
 */
import { BadBytes } from './bytes.js';
import { GateClock } from './clock.js';
import { kActs } from './events.js';
import type {
  Credentials,
  EndReason,
  Output,
  Saved,
  SessionEvent,
  SessionOptions,
  State,
} from './events.js';
import { Line } from './line.js';
import * as limits from './limits.js';
import { Place } from './place.js';
import { Retry } from './retry.js';
import { Uplink } from './uplink.js';
import * as wire from './wire.js';

/** Bytes of an Ask beside its body. */
const kAskHead = 40;
/** Of a millisecond: a Ping's time is in microseconds. */
const kPingUnits = 1000;
/** No client has made so many requests: with it, numbers cannot overflow. */
const kMaxRequest = 1n << 62n;

export class Session {
  readonly #options: SessionOptions;
  readonly #uplink = new Uplink();
  readonly #clock = new GateClock();
  readonly #retry: Retry;
  readonly #place: Place;
  #out: Output[] = [];
  #state: State = 'idle';
  #line: Line | undefined;
  #credentials: Credentials | undefined;

  #unheardSince = Infinity;
  #byeUntil = Infinity;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#retry = new Retry(options.random ?? Math.random);
    this.#place = new Place(options.saved);
  }

  get state(): State {
    return this.#state;
  }
  /** For the option `saved` of a later session; undefined: there is none to come back to. */
  get saved(): Saved | undefined {
    return this.#place.saved;
  }
  get roundTrip(): number | undefined {
    return this.#clock.roundTrip;
  }
  /** Milliseconds since 1970 at the gate. */
  gateTime(now: number): number | undefined {
    return this.#clock.at(now);
  }

  // --- the program -------------------------------------------------------------------------------

  start(now: number): void {
    if (this.#state !== 'idle') return;
    this.#unheardSince = now;
    this.#connect(undefined, false, now);
  }
  /** Answers the event `credentials`. */
  login(credentials: Credentials, now: number): void {
    if (this.#state !== 'credentials') return;
    wire.encodeFromClient({ type: 'login', ...credentials }); // throws for what is too large
    this.#credentials = credentials;
    this.#unheardSince = now;
    this.#connect(undefined, false, now);
  }
  /**
   * Asks the subject; the event `fate` with the id that is returned ends it, by `until` at the
   * latest. Throws BadBytes (`too_large`).
   */
  ask(body: Uint8Array, until: number, now: number): number {
    const frameBytes = this.#line?.frameBytes || Infinity;
    const most = Math.min(limits.kAskBytes, frameBytes - kAskHead);
    if (body.length > most) throw new BadBytes('too_large', `a request above ${most} bytes`);
    const ended = this.#state === 'ended' || this.#byeUntil !== Infinity;
    const id = this.#uplink.ask(body, until, ended);
    this.#sayRequests(now);
    return id;
  }
  /** The player leaves: the session ends when the gate says so, or after kByeTime. */
  leave(now: number): void {
    if (this.#state === 'ended' || this.#byeUntil !== Infinity) return;
    if (this.#line?.phase !== 'playing') return this.#end('left', '');
    this.#say({ type: 'bye' }, now);
    this.#byeUntil = now + limits.kByeTime;
  }
  /** What the program has of the state is wrong: comes back for a full state. */
  refresh(now: number): void {
    if (this.#state !== 'playing') return;
    this.#fault('state: changes do not fit; a full one is wanted', now, true);
  }

  // --- the connection ----------------------------------------------------------------------------

  opened(now: number): void {
    if (this.#line?.phase !== 'opening') return;
    this.#line.enter('greeting', now);
    const { program, schema = 0n, features = 0n } = this.#options;
    const version = wire.kClientVersion;
    this.#say({ type: 'hello', least: version, most: version, features, schema, program }, now);
  }
  frame(bytes: Uint8Array, now: number): void {
    const line = this.#line;
    if (line === undefined) return;
    try {
      if (bytes.length > limits.kFrameBytes) throw new BadBytes('too_large', 'a frame of a gate');
      const frame = wire.decodeToClient(bytes);
      line.heard(now);
      this.#heard(frame, line, now);
    } catch (error) {
      if (!(error instanceof BadBytes)) throw error;
      this.#fault(error.message, now);
    }
  }
  /** The connection has ended, or was never open. */
  lost(now: number): void {
    const line = this.#line;
    if (line === undefined) return;
    this.#line = undefined;
    this.#away(this.#afterBreak(line), now);
  }
  #afterBreak(line: Line): Retry {
    return line.phase === 'playing' ? this.#retry.broken() : this.#retry.after(0);
  }

  // --- the clock ---------------------------------------------------------------------------------

  /** When tick is due; Infinity: not before something else happens. */
  wakeAt(): number {
    if (this.#state === 'ended') return Infinity;
    return Math.min(
      this.#line?.wakeAt() ?? Infinity,
      this.#state === 'away' ? this.#retry.at : Infinity,
      this.#uplink.wakeAt(),
      this.#unheardSince + this.#patience(),
      this.#byeUntil,
    );
  }
  tick(now: number): void {
    if (this.#state === 'ended') return;
    this.#uplink.tick(now);
    this.#sayRequests(now);
    if (now >= this.#byeUntil) return this.#end('left', '');
    if (now >= this.#unheardSince + this.#patience()) return this.#end('unreachable', '');
    if (this.#state === 'away' && now >= this.#retry.at) {
      this.#connect(this.#retry.address, this.#retry.elsewhere, now);
    }
    for (let line = this.#line; line !== undefined && line === this.#line; ) {
      const due = line.due(now);
      if (due === undefined) break;
      if (due === 'ping') this.#ping(now);
      else if (due === 'ack') this.#ack(now);
      else if (due === 'stable') this.#retry.settled();
      else this.#hangUp(), this.#away(this.#afterBreak(line), now);
    }
  }

  /** What is to be done since the last call, in this order. */
  take(): Output[] {
    for (const one of this.#uplink.take()) this.#out.push({ type: 'fate', ...one });
    const out = this.#out;
    this.#out = [];
    return out;
  }

  // --- frames ------------------------------------------------------------------------------------

  #heard(frame: wire.ToClient, line: Line, now: number): void {
    if (frame.type === 'closed') {
      return this.#closed(frame.reason, frame.retryMs, frame.text, now);
    }
    if (line.phase === 'greeting') {
      if (frame.type !== 'greeting') throw new BadBytes('malformed', `${frame.type} too early`);
      return this.#greeted(frame, line, now);
    }
    switch (frame.type) {
      case 'ping':
        return this.#say({ type: 'pong', time: frame.time, here: 0n }, now);
      case 'pong':
        return this.#clock.measured(Number(frame.time) / kPingUnits, frame.here, now);
      case 'goTo':
        this.#hangUp();
        return this.#away(this.#retry.redirected(frame.address), now);
      case 'waiting': // also later: the home of the subject is silent
        return this.#event({ type: 'waiting', waiting: frame });
    }
    if (line.phase === 'proving') {
      if (frame.type === 'welcome') return this.#welcome(frame, line, now);
    } else if (frame.type === 'packet') {
      return this.#packet(frame, line, now);
    } else if (frame.type === 'busy') {
      return this.#uplink.busy(frame.upSeen, now);
    }
    throw new BadBytes('malformed', `${frame.type} out of its place`);
  }

  #greeted(greeting: wire.Greeting, line: Line, now: number): void {
    if (greeting.version !== wire.kClientVersion) {
      throw new BadBytes('malformed', 'a version that was not offered');
    }
    this.#unheardSince = Infinity;
    line.greeted(greeting.heartbeatMs, greeting.frameBytes);
    line.enter('proving', now);
    this.#clock.greeted(greeting.here, now);
    if (this.#place.known) {
      this.#say(this.#place.resume(), now);
    } else {
      this.#say({ type: 'login', ...this.#credentials! }, now);
    }
  }

  #welcome(welcome: wire.Welcome, line: Line, now: number): void {
    if (welcome.goesOn && !this.#place.goesOn(welcome)) {
      throw new BadBytes('malformed', 'a welcome to another place of the session');
    }
    const before = this.#place.login;
    this.#uplink.welcome(welcome, before !== undefined && before !== welcome.login);
    this.#place.take(welcome);
    this.#credentials = undefined;
    line.enter('playing', now);
    this.#say({ type: 'confirm' }, now);
    this.#enter('playing');
    this.#event({ type: 'welcome', goesOn: welcome.goesOn });
    this.#sayRequests(now);
  }

  #packet(packet: wire.Packet, line: Line, now: number): void {
    if (packet.c !== this.#place.c + 1n) {
      throw new BadBytes('malformed', `packet ${packet.c} after ${this.#place.c}`);
    }
    const over = packet.kind === 'ended' ? wire.decodeEnded(packet.body) : undefined;
    this.#show(packet, now);
    this.#place.c = packet.c;
    if (line.shown(packet.body.length, now)) this.#ack(now);
    if (over !== undefined) this.#ended(over, now);
  }
  #show(packet: wire.Packet, now: number): void {
    switch (packet.kind) {
      case 'full':
        return this.#full(wire.decodeFull(packet.body), now);
      case 'call':
        return this.#event({ type: 'call', call: wire.decodeCall(packet.body) });
      case 'news':
        return this.#event({ type: 'news', changes: packet.body });
      case 'sight':
        return this.#event({ type: 'sight', body: packet.body });
      case 'spoken': {
        const { group, body } = wire.decodeSpoken(packet.body);
        return this.#event({ type: 'spoken', group, call: wire.decodeCall(body) });
      }
      case 'over':
        this.#event({ type: 'over', over: wire.decodeOver(packet.body) });
        return this.#uplink.hold();
      case 'reply':
        this.#uplink.reply(wire.decodeReply(packet.body));
        return this.#sayRequests(now);
      case 'ended':
        return;
    }
  }
  #full(full: wire.Full, now: number): void {
    if (full.upDone > kMaxRequest) throw new BadBytes('malformed', 'a number of a request');
    this.#uplink.full(full);
    this.#flushFates();
    this.#event({ type: 'full', full });
    this.#sayRequests(now);
  }

  // --- ends --------------------------------------------------------------------------------------

  /** The session's last packet. */
  #ended(ended: wire.Ended, now: number): void {
    this.#uplink.ended(ended);
    if (kActs[ended.reason] !== 'reenter') this.#place.dropToken();
    this.#closed(ended.reason, 0, '', now);
  }
  #closed(reason: wire.CloseReason, retryMs: number, text: string, now: number): void {
    this.#hangUp();
    this.#event({ type: 'closed', reason, text });
    switch (kActs[reason]) {
      case 'stop':
        return this.#end(reason, text);
      case 'login':
        return this.#wantLogin(reason, text);
      case 'reenter':
        if (!this.#place.reenters) return this.#wantLogin(reason, text);
        this.#place.dropToken();
        return this.#away(this.#retry.after(0), now, reason);
      case 'elsewhere':
        return this.#away(this.#retry.after(retryMs, true), now, reason);
      case 'resume':
        return this.#away(this.#retry.after(retryMs), now, reason);
      case 'fault':
        return this.#faulty(reason, text, now, false);
    }
  }
  /** The gate has broken the protocol. */
  #fault(text: string, now: number, stateLost = false): void {
    this.#hangUp();
    this.#event({ type: 'fault', text });
    this.#faulty('malformed', text, now, stateLost);
  }
  /** One side finds that the other breaks it. The second time in a row only a full state helps. */
  #faulty(reason: wire.CloseReason, text: string, now: number, stateLost: boolean): void {
    const faults = this.#retry.fault();
    if (faults >= limits.kFaults) return this.#end(reason, text);
    if (stateLost || faults > 1) this.#place.dropToken();
    this.#away(this.#retry.after(0), now);
  }
  #away(at: Retry, now: number, reason?: wire.CloseReason): void {
    this.#uplink.hold();
    if (this.#byeUntil !== Infinity) return this.#end('left', '');
    if (!this.#place.known && this.#credentials === undefined) return this.#wantLogin(reason, '');
    if (this.#unheardSince === Infinity) this.#unheardSince = now;
    at.from(now);
    this.#enter('away');
    if (at.at <= now) this.#connect(at.address, at.elsewhere, now);
  }
  #wantLogin(reason: wire.CloseReason | undefined, text: string): void {
    if (this.#byeUntil !== Infinity) return this.#end('left', '');
    this.#forget('login');
    this.#enter('credentials');
    this.#event({ type: 'credentials', reason, text });
  }
  #end(why: EndReason, text: string): void {
    const reason = this.#byeUntil === Infinity ? why : 'left';
    this.#hangUp();
    this.#forget('closed');
    this.#enter('ended');
    this.#event({ type: 'ended', reason, text });
  }
  #forget(why: 'login' | 'closed'): void {
    this.#uplink.forget(why);
    this.#flushFates();
    this.#credentials = undefined;
    this.#place.forget();
    this.#unheardSince = Infinity;
    this.#byeUntil = Infinity;
  }

  // --- what it says ------------------------------------------------------------------------------

  #connect(address: string | undefined, elsewhere: boolean, now: number): void {
    if (!this.#place.known && this.#credentials === undefined) {
      return this.#wantLogin(undefined, '');
    }
    this.#line = new Line(now);
    this.#enter('connecting');
    this.#out.push({ type: 'connect', address, elsewhere });
  }
  #hangUp(): void {
    if (this.#line === undefined) return;
    this.#line = undefined;
    this.#uplink.hold();
    this.#out.push({ type: 'disconnect' });
  }
  #say(frame: wire.FromClient, now: number): void {
    this.#out.push({ type: 'send', frame: wire.encodeFromClient(frame) });
    this.#line?.said(now);
  }
  #sayRequests(now: number): void {
    for (const ask of this.#uplink.say(now)) this.#say(ask, now);
  }
  #ack(now: number): void {
    this.#line?.acknowledged();
    this.#say({ type: 'ack', c: this.#place.c }, now);
  }
  #ping(now: number): void {
    this.#line?.pinged(now);
    this.#say({ type: 'ping', time: BigInt(Math.floor(Math.max(0, now) * kPingUnits)) }, now);
  }
  #patience(): number {
    return this.#options.patience ?? limits.kPatience;
  }
  #event(event: SessionEvent): void {
    this.#out.push(event);
  }
  /** Fates stand in the order of what they follow from. */
  #flushFates(): void {
    for (const one of this.#uplink.take()) this.#out.push({ type: 'fate', ...one });
  }
  #enter(state: State): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#event({ type: 'state', state });
  }
}
