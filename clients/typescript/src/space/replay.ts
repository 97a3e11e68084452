/**
 * The client's own player, shown before the server has answered: moves that are kept until they are
 * acknowledged, and made again after a correction. docs/guide/movement.md, section "MoveReplay".
 *
 *   const replay = new MoveReplay(start, (from, keys) => ...);
 *   say(replay.move(keys, now));     // each frame that moves, or each few of them
 *   replay.ack(ack);                 // when the server says so
 *   replay.correct(correction);      // nothing is said again for what is made again
 *
 * The step belongs to the game; it must give the same for the same arguments, or corrections end
 * elsewhere than the client shows. It takes and gives plain values, and changes none of them. What
 * it throws changes nothing. Sans-IO.
 */
import * as limits from '../limits.js';
import { distance, kNowhere, rounded, roundedPlace, since } from './locomotion.js';
import type { Correction, Locomotion, MoveAck, MoveReport, Position } from './locomotion.js';

/** `Input` is what a step needs, its duration included. */
export type Step<Input> = (from: Locomotion, input: Input) => Locomotion;

interface Pending<Input> {
  readonly number: number;
  readonly input: Input;
}

export class MoveReplay<Input> {
  readonly #step: Step<Input>;
  #state: Locomotion;
  #epoch: number;
  #number: number;
  #clientMs: number | undefined;
  #pending: Pending<Input>[] = []; // in order of their numbers

  constructor(start: Correction, step: Step<Input>) {
    this.#step = step;
    this.#state = rounded(start.move);
    this.#epoch = start.epoch;
    this.#number = start.number;
  }

  /**
   * Makes a move, and returns what is to be said of it. `clientMs` is a steady clock in ms, whose
   * wraps do no harm; two moves of one millisecond are a millisecond apart in the reports.
   */
  move(input: Input, clientMs: number): MoveReport {
    const next = rounded(this.#step(this.#state, input));
    // A server that has not answered so many moves will not correct one of them any more.
    if (this.#pending.length >= limits.kMaxPending) this.#pending = [];
    this.#pending.push({ number: (this.#number + 1) >>> 0, input });
    this.#state = next;
    return this.report(clientMs);
  }
  /**
   * What is to be said without a move: after a correction, to a server that would not hear of what
   * was made again if the player stands still from then on.
   */
  report(clientMs: number): MoveReport {
    this.#number = (this.#number + 1) >>> 0;
    let now = Math.floor(clientMs) >>> 0;
    const last = this.#clientMs;
    if (last !== undefined && since(now, last) <= 0) now = (last + 1) >>> 0;
    this.#clientMs = now;
    return { epoch: this.#epoch, number: this.#number, clientMs: now, move: this.#state };
  }
  /**
   * Forgets the move of that number and those before it. A number that is not pending, and an ack of
   * another epoch, change nothing.
   */
  ack(ack: MoveAck): void {
    if (ack.epoch === this.#epoch && this.#isPending(ack.number)) this.#forget(ack.number);
  }
  /**
   * Takes the server's state, and makes the moves again that it has not looked at. False: it is not
   * newer than the one applied, and changes nothing.
   */
  correct(correction: Correction): boolean {
    const { epoch, number, teleport } = correction;
    if (since(epoch, this.#epoch) <= 0) return false;
    let state = rounded(correction.move);
    for (const one of this.#pending) {
      if (teleport || since(one.number, number) <= 0) continue;
      state = rounded(this.#step(state, one.input));
    }
    if (teleport) this.#pending = [];
    this.#forget(number);
    this.#state = state;
    this.#epoch = epoch;
    if (since(number, this.#number) > 0) this.#number = number;
    return true;
  }

  /** Where the player is, as its client shows it. */
  get state(): Locomotion {
    return this.#state;
  }
  get pending(): number {
    return this.#pending.length;
  }
  get epoch(): number {
    return this.#epoch;
  }
  /** Of the latest report. */
  get number(): number {
    return this.#number;
  }

  #isPending(number: number): boolean {
    const first = this.#pending[0];
    if (first === undefined) return false;
    return since(number, first.number) >= 0 && since(number, this.#number) <= 0;
  }
  #forget(number: number): void {
    this.#pending = this.#pending.filter((one) => since(one.number, number) > 0);
  }
}

/** How offsets are shown. */
export interface OffsetOptions {
  /** m: an offset is never longer. */
  readonly most: number;
  /** m: a longer correction is shown at once. */
  readonly snap: number;
  /** ms until half of an offset has gone. */
  readonly halfLife: number;
}
export const kOffsetOptions: OffsetOptions = { most: 2.56, snap: 3.84, halfLife: 50 };

/**
 * Hides a correction from the eyes of the player that is corrected: it is shown beside its place, by
 * an offset that goes to nothing.
 */
export class ShownOffset {
  readonly #options: OffsetOptions;
  #offset = kNowhere;

  constructor(options: Partial<OffsetOptions> = {}) {
    this.#options = { ...kOffsetOptions, ...options };
  }
  /** A correction has moved the player from one place to another. */
  corrected(from: Position, to: Position): void {
    if (distance(from, to) > Math.fround(this.#options.snap)) {
      this.#offset = kNowhere;
      return;
    }
    const { x, y, z } = this.#offset;
    const more = roundedPlace({ x: from.x - to.x, y: from.y - to.y, z: from.z - to.z });
    this.#offset = roundedPlace({ x: x + more.x, y: y + more.y, z: z + more.z });
    const most = Math.fround(this.#options.most);
    if (this.length > most) this.#scale(Math.fround(most / this.length));
  }
  /** Time has passed, in ms. */
  pass(ms: number): void {
    this.#scale(Math.fround(2 ** Math.fround(-ms / this.#options.halfLife)));
  }
  /** Where to show a player that is at `place`. */
  shown({ x, y, z }: Position): Position {
    const { x: dx, y: dy, z: dz } = this.#offset;
    return roundedPlace({ x: x + dx, y: y + dy, z: z + dz });
  }
  /** m. */
  get length(): number {
    return distance(kNowhere, this.#offset);
  }

  #scale(part: number): void {
    const { x, y, z } = this.#offset;
    this.#offset = roundedPlace({ x: x * part, y: y * part, z: z * part });
  }
}
