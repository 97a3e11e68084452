/**
 * Where something is, where it looks and how it moves; what a client reports of its own player, and
 * what the server answers. docs/guide/movement.md has the contract. Plain values, pure functions.
 * Numbers that the server keeps in 32 bits are rounded to that, so that both ends agree.
 */

/** Metres; z is the height. */
export interface Position {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}
/** Metres per second. */
export interface Velocity {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}
export interface Locomotion {
  readonly position: Position;
  readonly velocity: Velocity;
  /** Radians around z: 0 is along x, a quarter turn is along y. */
  readonly heading: number;
  /** Radians: up is positive. */
  readonly pitch: number;
  /** Server time in ms, 32 bits; wraps after 49 days. */
  readonly at: number;
  /** Of the game, 8 bits: walks, swims, flies. */
  readonly mode: number;
  /** Counts them, in 8 bits; those of others are 0 or 1. Nothing is shown between two places. */
  readonly teleports: number;
  /** z is that of the ground, which is not told of others: the program knows its ground. */
  readonly grounded: boolean;
}

/** One move that the client has made. It may be lost; the next one stands for it. */
export interface MoveReport {
  /** That of the latest correction which the client has applied. */
  readonly epoch: number;
  /** Later than the one before, through all epochs; wraps. */
  readonly number: number;
  /** The client's steady clock in ms; grows with each report; wraps. */
  readonly clientMs: number;
  /** After the move; `at` and `teleports` are not looked at. */
  readonly move: Locomotion;
}
/** The report of that number, and so all before it, need no more replay. */
export interface MoveAck {
  readonly epoch: number;
  readonly number: number;
}
/** This is where you are: the client makes its moves after `number` again from there. */
export interface Correction {
  readonly epoch: number;
  /** The latest report that was looked at. */
  readonly number: number;
  /** The player was set elsewhere: its moves elsewhere are void. */
  readonly teleport: boolean;
  readonly move: Locomotion;
}

export const kNowhere: Position = Object.freeze({ x: 0, y: 0, z: 0 });
/** At the origin, at rest. */
export const kStill: Locomotion = Object.freeze({
  position: kNowhere,
  velocity: kNowhere,
  heading: 0,
  pitch: 0,
  at: 0,
  mode: 0,
  teleports: 0,
  grounded: true,
});

/** `later` - `earlier`, of times or numbers of 32 bits that wrap. */
export function since(later: number, earlier: number): number {
  return (later - earlier) | 0;
}
/** Metres between two places. */
export function distance(a: Position, b: Position): number {
  return Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}
const { fround } = Math;
export function roundedPlace({ x, y, z }: Position): Position {
  return { x: fround(x), y: fround(y), z: fround(z) };
}
/** As the server keeps it. */
export function rounded(move: Locomotion): Locomotion {
  return {
    ...move,
    position: roundedPlace(move.position),
    velocity: roundedPlace(move.velocity),
    heading: fround(move.heading),
    pitch: fround(move.pitch),
  };
}
