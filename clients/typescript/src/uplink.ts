/**
 * When requests may be said: only to a gate that has the full state of the bind that they are for,
 * and not to one that was too busy a moment ago. Sans-IO; belongs to a Session.
 */
import * as limits from './limits.js';
import { Concluded, Requests, Unknown } from './requests.js';
import * as wire from './wire.js';

export class Uplink {
  readonly #requests = new Requests();
  #bind = wire.kNoBind; // of the last full state
  #fullSeen = false; // in this session
  #open = false; // the gate has the full state of that bind
  #busyUntil = -Infinity;
  #busyWait = limits.kFirstBusy;

  /** Takes a request; its fate is told by the id that is returned. */
  ask(body: Uint8Array, until: number, ended: boolean): number {
    if (ended) return this.#requests.refuse('ended');
    if (this.#bind === wire.kNoBind) return this.#requests.refuse('no_subject');
    return this.#requests.add(this.#bind, body, until);
  }
  /** Those to be said now; they count as said. */
  *say(now: number): Generator<wire.FromClient> {
    if (!this.#open || now < this.#busyUntil) return;
    for (const one of this.#requests.say()) yield { type: 'ask', ...one };
  }
  /** The fates since the last call. */
  take(): Concluded[] {
    return this.#requests.take();
  }

  welcome(welcome: wire.Welcome, otherLogin: boolean): void {
    if (otherLogin) {
      this.#requests.restart();
      this.#bind = wire.kNoBind;
    }
    if (!welcome.goesOn) this.#fullSeen = false;
    const same = wire.compareBinds(welcome.upBind, this.#bind) === 0;
    if (!welcome.goesOn || !same || this.#bind === wire.kNoBind) return;
    this.#requests.seen(welcome.upSeen);
    this.#open = true;
  }
  full(full: wire.Full): void {
    const known = this.#bind !== wire.kNoBind;
    if (known && wire.compareBinds(full.bind, this.#bind) === 0) {
      this.#requests.sameBind(full, full.upSeen);
    } else {
      this.#requests.newBind(full);
    }
    this.#bind = full.bind;
    this.#fullSeen = this.#open = true;
  }
  reply(reply: wire.Reply): void {
    this.#requests.reply(reply.u, reply.answer);
    this.#busyWait = limits.kFirstBusy;
  }
  busy(upSeen: bigint, now: number): void {
    if (!this.#open) return;
    this.#requests.seen(upSeen);
    if (now < this.#busyUntil) return;
    this.#busyUntil = now + this.#busyWait;
    this.#busyWait = Math.min(2 * this.#busyWait, limits.kMostBusy);
  }
  /** The stretch, or the connection, is over. */
  hold(): void {
    this.#open = false;
  }
  /** The session's last word. */
  ended(ended: wire.Ended): void {
    if (ended.closing && this.#fullSeen) {
      this.#requests.closing({ upDone: ended.upDone, since: ended.since, open: [] });
    }
    this.#requests.giveUp('closing');
    this.#open = false;
  }
  /** The session is not known any more; the next one begins with the first number. */
  forget(why: Unknown): void {
    this.#requests.restart(why);
    this.#bind = wire.kNoBind;
    this.#fullSeen = this.#open = false;
  }

  wakeAt(): number {
    const busy = this.#open && this.#busyUntil !== -Infinity ? this.#busyUntil : Infinity;
    return Math.min(busy, this.#requests.wakeAt());
  }
  tick(now: number): void {
    this.#requests.tick(now);
    if (now >= this.#busyUntil) this.#busyUntil = -Infinity;
  }
}
