/**
 * One connection of a session: what has been said and heard on it and when, and what is due
 * because of that. Sans-IO; belongs to a Session.
 */
import * as limits from './limits.js';

/** What a connection waits for: to be open, for its Greeting, for its Welcome; or it plays. */
export type Phase = 'opening' | 'greeting' | 'proving' | 'playing';
export type Due = 'silent' | 'ping' | 'ack' | 'stable';

export class Line {
  #phase: Phase = 'opening';
  #heartbeat = Infinity;
  #began: number; // the present phase
  #heard = Infinity;
  #said = Infinity;
  #pinged = -Infinity;
  #ackAt = Infinity;
  #packets = 0;
  #bytes = 0;
  #stable = false;
  /** Bytes of the longest frame that the gate takes. */
  frameBytes = 0;

  constructor(now: number) {
    this.#began = now;
  }

  get phase(): Phase {
    return this.#phase;
  }
  enter(phase: Phase, now: number): void {
    this.#phase = phase;
    this.#began = now;
    this.#heard = now;
  }
  greeted(heartbeatMs: number, frameBytes: number): void {
    const bounded = Math.max(heartbeatMs, limits.kLeastHeartbeat);
    this.#heartbeat = Math.min(bounded, limits.kMostHeartbeat);
    this.frameBytes = frameBytes;
  }
  heard(now: number): void {
    this.#heard = now;
  }
  said(now: number): void {
    this.#said = now;
  }
  /** A packet was shown; true: it is time to acknowledge. */
  shown(bytes: number, now: number): boolean {
    this.#packets += 1;
    this.#bytes += bytes;
    this.#ackAt = Math.min(this.#ackAt, now + limits.kAckTime);
    return this.#packets >= limits.kAckPackets || this.#bytes >= limits.kAckBytes;
  }
  acknowledged(): void {
    this.#packets = this.#bytes = 0;
    this.#ackAt = Infinity;
  }
  pinged(now: number): void {
    this.#pinged = now;
  }

  wakeAt(): number {
    return Math.min(this.#silentAt(), this.#pingAt(), this.#ackAt, this.#stableAt());
  }
  /** What is due, the first of these alone; the caller does it and asks again. */
  due(now: number): Due | undefined {
    if (now >= this.#silentAt()) return 'silent';
    if (now >= this.#ackAt) return 'ack';
    if (now >= this.#pingAt()) return 'ping';
    if (now < this.#stableAt()) return undefined;
    this.#stable = true;
    return 'stable';
  }

  #silentAt(): number {
    if (this.#phase === 'opening' || this.#phase === 'greeting') {
      return this.#began + limits.kConnectTime;
    }
    return this.#heard + limits.kSilentHeartbeats * this.#heartbeat;
  }
  #pingAt(): number {
    if (this.#phase === 'proving') return this.#said + this.#heartbeat;
    if (this.#phase !== 'playing') return Infinity;
    return Math.min(this.#said + this.#heartbeat, this.#pinged + limits.kClockTime);
  }
  #stableAt(): number {
    const counts = this.#phase === 'playing' && !this.#stable;
    return counts ? this.#began + limits.kStableTime : Infinity;
  }
}
