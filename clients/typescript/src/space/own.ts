/**
 * The own player: its moves are shown at once, kept until the server has answered them, and reported
 * not more often than the server needs. Sans-IO: the clock, in ms and never going back, comes with
 * each call. What the game's step throws changes nothing.
 */
import * as limits from '../limits.js';
import type { Correction, Locomotion, MoveAck, MoveReport, Position } from './locomotion.js';
import { MoveReplay, ShownOffset } from './replay.js';
import type { OffsetOptions, Step } from './replay.js';

export interface OwnOptions {
  readonly offset?: Partial<OffsetOptions>;
  /** ms between two reports; kReportTime unless it is there. */
  readonly reportTime?: number;
}

export class OwnMove<Input> {
  readonly #options: OwnOptions;
  readonly #replay: MoveReplay<Input>;
  #offset: ShownOffset;
  #shownAt: number | undefined;
  #unsaid: MoveReport | undefined; // a later one stands for those before it
  #sayAt = -Infinity;

  constructor(start: Correction, step: Step<Input>, options: OwnOptions = {}) {
    this.#options = options;
    this.#replay = new MoveReplay(start, step);
    this.#offset = new ShownOffset(options.offset);
  }

  /** Where the player is, corrections included. */
  get state(): Locomotion {
    return this.#replay.state;
  }
  /** Where to show it: small corrections are hidden. */
  shown(now: number): Position {
    this.#pass(now);
    return this.#offset.shown(this.#replay.state.position);
  }
  /** Moves without an answer. */
  get pending(): number {
    return this.#replay.pending;
  }
  /** Of the latest report, for a later start. */
  get number(): number {
    return this.#replay.number;
  }

  move(input: Input, now: number): Locomotion {
    this.#unsaid = this.#replay.move(input, now);
    return this.state;
  }
  ack(ack: MoveAck): void {
    this.#replay.ack(ack);
  }
  /** False: it is not newer than the one applied. */
  correct(correction: Correction, now: number): boolean {
    const from = this.state.position;
    if (!this.#replay.correct(correction)) return false;
    this.#pass(now);
    if (correction.teleport) this.#offset = new ShownOffset(this.#options.offset);
    else this.#offset.corrected(from, this.state.position);
    // What was made again is said, as no other move may follow.
    this.#unsaid = this.pending > 0 ? this.#replay.report(now) : undefined;
    return true;
  }

  /** When `report` has something; Infinity: after the next move. */
  get dueAt(): number {
    return this.#unsaid === undefined ? Infinity : this.#sayAt;
  }
  /** What is to be said now; it counts as said. */
  report(now: number): MoveReport | undefined {
    if (now < this.dueAt) return undefined;
    const report = this.#unsaid;
    this.#unsaid = undefined;
    this.#sayAt = now + (this.#options.reportTime ?? limits.kReportTime);
    return report;
  }

  #pass(now: number): void {
    if (this.#shownAt !== undefined && now > this.#shownAt) this.#offset.pass(now - this.#shownAt);
    this.#shownAt = now;
  }
}
