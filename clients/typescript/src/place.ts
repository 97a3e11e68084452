/**
 * A session as its client keeps it: what the last Welcome has said, and how far the packets have
 * come. Plain values with a few rules; belongs to a Session.
 */
import { bytesOfHex, hexOf } from './bytes.js';
import type { Saved } from './events.js';
import * as wire from './wire.js';

const kNothing = new Uint8Array();

export class Place {
  #session: wire.Key = wire.kNoKey;
  #token: wire.Key = wire.kNoKey; // none: the session is over, or what was shown of it is lost
  #gate = '';
  #turn = 0;
  #reentry = kNothing;
  /** Which proof of identity; undefined: no Welcome was heard. */
  login: bigint | undefined;
  /** The last packet that was shown. */
  c = 0n;

  /** Throws BadBytes for what is no Saved. */
  constructor(saved: Saved | undefined) {
    if (saved === undefined) return;
    this.#reentry = bytesOfHex(saved.reentry);
    wire.encodeFromClient(this.resume());
  }

  /** Whether there is something to come back to. */
  get known(): boolean {
    return this.#token !== wire.kNoKey || this.#reentry.length > 0;
  }
  /** Whether it has not come back without its token yet, and may. */
  get reenters(): boolean {
    return this.#token !== wire.kNoKey && this.#reentry.length > 0;
  }
  get saved(): Saved | undefined {
    return this.#reentry.length > 0 ? { reentry: hexOf(this.#reentry) } : undefined;
  }
  resume(): wire.FromClient {
    const own = { session: this.#session, token: this.#token, gate: this.#gate };
    return { type: 'resume', ...own, turn: this.#turn, c: this.c, reentry: this.#reentry };
  }
  /** Whether a Welcome that goes on goes on here. */
  goesOn(welcome: wire.Welcome): boolean {
    const here = welcome.session === this.#session && welcome.c === this.c;
    return here && this.#token !== wire.kNoKey;
  }
  take(welcome: wire.Welcome): void {
    this.#session = welcome.session;
    this.#token = welcome.token;
    this.#gate = welcome.gate;
    this.#turn = welcome.turn;
    this.#reentry = welcome.reentry;
    this.login = welcome.login;
    this.c = welcome.c;
  }
  /** It comes back for a full state, by its reentry, or not at all. */
  dropToken(): void {
    this.#session = this.#token = wire.kNoKey;
    this.#gate = '';
    this.#turn = 0;
    this.c = 0n;
  }
  forget(): void {
    this.dropToken();
    this.#reentry = kNothing;
    this.login = undefined;
  }
}
