/**
 * Where a mover is to be shown: the last places with their server times, between which it goes
 * evenly, however irregularly they came. docs/guide/movement.md, section "Shown evenly".
 *
 *   clock.heard(batch.time, now);
 *   shown.add(seen.move);
 *   draw(shown.at(clock.remoteAt(now) - delay));
 *
 * Sans-IO; cannot fail.
 */
import * as limits from '../limits.js';
import { distance, kNowhere, kStill, since } from './locomotion.js';
import type { Locomotion, Position, Velocity } from './locomotion.js';

/** How a mover is shown. */
export interface SnapshotOptions {
  /** m: what goes further from one snapshot to the next is not shown on its way. */
  readonly snap: number;
  /**
   * ms: a mover that was not heard of for longer has stood still until then, since those that stand
   * are not sent. To be longer than the time between two updates of a mover that goes.
   */
  readonly longestStep: number;
}
export const kSnapshotOptions: SnapshotOptions = { snap: 8, longestStep: 400 };

const { fround } = Math;
/** As std::remainder: to the nearest multiple, of two the even one. */
function remainder(value: number, by: number): number {
  const rest = value % by;
  const half = by / 2;
  if (Math.abs(rest) < half) return rest;
  if (Math.abs(rest) > half) return rest - Math.sign(rest) * by;
  const odd = Math.abs((value - rest) / by) % 2 === 1;
  return odd ? rest - Math.sign(rest) * by : rest;
}
/** The angle between two others by the shorter way. */
function turned(from: number, to: number, part: number): number {
  const turn = remainder(to - from, 2 * Math.PI);
  return fround(remainder(from + turn * part, 2 * Math.PI));
}
function onTheWay(from: Position, to: Position, part: number): Position {
  const between = (a: number, b: number): number => fround(a + (b - a) * part);
  return { x: between(from.x, to.x), y: between(from.y, to.y), z: between(from.z, to.z) };
}
/** A time without wraps, after one that wraps. */
function after(time: number, earlier: number): number {
  const whole = Math.floor(time);
  return since(whole, earlier) + (time - whole);
}
function isStill({ x, y, z }: Velocity): boolean {
  return x === 0 && y === 0 && z === 0;
}

export class Snapshots {
  readonly #options: SnapshotOptions;
  readonly #all: Locomotion[] = []; // the newest is the last

  constructor(options: Partial<SnapshotOptions> = {}) {
    this.#options = { ...kSnapshotOptions, ...options };
  }

  /**
   * The newest place. One that is older than the newest is dropped: it came late; one of the same
   * time replaces it.
   */
  add(move: Locomotion): void {
    const newest = this.newest;
    const passed = newest === undefined ? 1 : since(move.at, newest.at);
    if (passed < 0) return;
    if (passed === 0) this.#all.pop();
    this.#all.push(move);
    if (this.#all.length > limits.kMaxSnapshots) this.#all.shift();
  }
  get size(): number {
    return this.#all.length;
  }
  get newest(): Locomotion | undefined {
    return this.#all.at(-1);
  }

  /**
   * Where to show it at a server time in ms (RemoteClock.remoteAt). Its velocity is that of what is
   * shown. Before the oldest snapshot: there; after the newest: goes on for kMaxExtrapolation, and
   * stands still then. A default value if there are no snapshots.
   */
  at(serverMs: number): Locomotion {
    const all = this.#all;
    const newest = this.newest;
    if (newest === undefined) return kStill;
    const late = after(serverMs, newest.at);
    if (late >= 0) return this.#beyond(late);
    for (let i = all.length - 2; i >= 0; i--) {
      if (after(serverMs, all[i]!.at) < 0) continue;
      return this.#between(all[i]!, all[i + 1]!, -after(serverMs, all[i + 1]!.at));
    }
    return { ...all[0]!, velocity: kNowhere };
  }
  /** The snapshot nearest to that time; undefined if it is before the oldest one. */
  nearest(serverMs: number): Locomotion | undefined {
    const oldest = this.#all[0];
    if (oldest === undefined || since(serverMs, oldest.at) < 0) return undefined;
    let found = this.newest!;
    for (const one of [...this.#all].reverse()) {
      const nearer = Math.abs(since(serverMs, one.at)) < Math.abs(since(serverMs, found.at));
      if (nearer) found = one;
    }
    return found;
  }

  #isJump(from: Locomotion, to: Locomotion): boolean {
    const odd = ((from.teleports ^ to.teleports) & 1) !== 0;
    return odd || distance(from.position, to.position) > fround(this.#options.snap);
  }
  /** ms that the way between two snapshots took. */
  #step(from: Locomotion, to: Locomotion): number {
    return Math.min(since(to.at, from.at), this.#options.longestStep);
  }
  #velocity(from: Locomotion, to: Locomotion): Velocity {
    const seconds = this.#step(from, to) / 1000;
    const speed = (a: number, b: number): number => fround((b - a) / seconds);
    const [a, b] = [from.position, to.position];
    return { x: speed(a.x, b.x), y: speed(a.y, b.y), z: speed(a.z, b.z) };
  }
  #between(from: Locomotion, to: Locomotion, beforeTo: number): Locomotion {
    const step = this.#step(from, to);
    // It stands, until it jumps or goes.
    if (this.#isJump(from, to) || beforeTo >= step) return { ...from, velocity: kNowhere };
    const part = 1 - beforeTo / step;
    return {
      ...from,
      position: onTheWay(from.position, to.position, part),
      heading: turned(from.heading, to.heading, part),
      pitch: turned(from.pitch, to.pitch, part),
      velocity: this.#velocity(from, to),
      at: (to.at - Math.trunc(beforeTo)) >>> 0,
    };
  }
  #beyond(afterNewest: number): Locomotion {
    const newest = this.newest!;
    const before = this.#all.at(-2);
    let { velocity } = newest;
    if (isStill(velocity) && before !== undefined && !this.#isJump(before, newest)) {
      velocity = this.#velocity(before, newest);
    }
    const seconds = Math.min(afterNewest, limits.kMaxExtrapolation) / 1000;
    const gone = (from: number, speed: number): number => fround(from + speed * seconds);
    const { x, y, z } = newest.position;
    const position = { x: gone(x, velocity.x), y: gone(y, velocity.y), z: gone(z, velocity.z) };
    const stands = afterNewest > limits.kMaxExtrapolation;
    return { ...newest, position, velocity: stands ? kNowhere : velocity };
  }
}
