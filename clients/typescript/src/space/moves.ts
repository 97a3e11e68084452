/**
 * What others are seen to do, from bytes of the server: docs/guide/movement.md, section "What others
 * see". Input is hostile; it is taken whole or not at all, and what does not have its form throws
 * BadBytes (`malformed`, `newer_format`, `too_large`). Pure.
 */
import { BadBytes, Reader } from '../bytes.js';
import * as limits from '../limits.js';
import { kNowhere } from './locomotion.js';
import type { Locomotion, Position, Velocity } from './locomotion.js';

/** The grid of a space, whose lines are 1 cm apart: its origin in whole metres. */
export interface MoveGrid {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}
export interface SeenMove {
  readonly index: number;
  /** `fine`: heading in 16 bits, pitch, and velocity in the air. */
  readonly detail: 'fine' | 'coarse';
  /** The velocity was said: else it follows from the places. */
  readonly moving: boolean;
  readonly move: Locomotion;
}
export interface MoveBatch {
  /** Of the numbering that the indices are of: the number of the scene. */
  readonly epoch: number;
  readonly tick: number;
  /** Server time of the tick in ms. */
  readonly time: number;
  readonly moves: readonly SeenMove[];
}

const kFormat = 1;
/** The first byte of a body, in its lowest bits. */
const kFull = 1;
const kGrounded = 2;
const kFine = 4;
const kMoving = 8;
const kModeIsThere = 16;
const kOddTeleports = 32;
const kFlagBits = 6;
const kAgeStep = 2;
/** Steps of the grid from its origin to what is not 0. */
const kReach = 1_048_576;
const kHeight = 8_388_608;

function malformed(): never {
  throw new BadBytes('malformed', 'a move');
}
/** The angle of a code, from -pi on and below pi. */
function angleOf(code: number, bits: number): number {
  const turn = 2 ** bits;
  const part = code < turn / 2 ? code : code - turn;
  return Math.fround((part / turn) * 2 * Math.PI);
}
function metres(steps: number, origin: number, middle: number): number {
  return Math.fround(origin + (steps - middle) / 100);
}
/** A coordinate in the full form. */
function far(from: Reader): number {
  const value = from.f32();
  return Math.abs(value) <= limits.kMaxCoordinate ? value : malformed(); // nor what is no number
}
function speed(from: Reader): number {
  return Math.fround((from.u16() << 16 >> 16) / 100);
}

function placeFrom(from: Reader, flags: number, grid: MoveGrid): Position {
  const grounded = (flags & kGrounded) !== 0;
  if ((flags & kFull) !== 0) {
    if (from.byte() >> kFlagBits !== 0) malformed();
    const x = far(from);
    const y = far(from);
    return { x, y, z: grounded ? 0 : far(from) };
  }
  const low = from.u32(); // 6 flags, 21 of x, 5 of y
  const y = (from.u16() << 5) | (low >>> 27);
  const x = (low >>> kFlagBits) & 0x1f_ffff;
  const z = grounded ? 1 : from.u16() | (from.byte() << 16);
  if (x === 0 || y === 0 || z === 0) malformed(); // no encoder writes it
  return {
    x: metres(x, grid.x, kReach),
    y: metres(y, grid.y, kReach),
    z: grounded ? 0 : metres(z, grid.z, kHeight),
  };
}

/** One body; `time` is that of its batch. */
export function moveFrom(from: Reader, time: number, grid: MoveGrid): Omit<SeenMove, 'index'> {
  const flags = from.peek();
  const fine = (flags & kFine) !== 0;
  const moving = (flags & kMoving) !== 0;
  const position = placeFrom(from, flags, grid);
  const at = (time - from.byte() * kAgeStep) >>> 0;
  const heading = fine ? angleOf(from.u16(), 16) : angleOf(from.byte(), 8);
  const withMode = (flags & kModeIsThere) !== 0;
  const mode = withMode ? from.byte() : 0;
  const pitch = withMode && fine ? angleOf(from.byte(), 8) : 0;
  const velocity: Velocity = moving
    ? { x: speed(from), y: speed(from), z: speed(from) }
    : kNowhere;
  const teleports = (flags & kOddTeleports) !== 0 ? 1 : 0;
  const grounded = (flags & kGrounded) !== 0;
  const move = { position, velocity, heading, pitch, at, mode, teleports, grounded };
  return { detail: fine ? 'fine' : 'coarse', moving, move };
}

/** Reads batches of a space. An index may come twice in one: the later entry counts. */
export class MoveDecoder {
  constructor(readonly grid: MoveGrid = kNowhere) {}

  decode(bytes: Uint8Array): MoveBatch {
    const from = new Reader(bytes);
    try {
      return this.read(from);
    } catch (error) {
      if (error instanceof BadBytes && error.code === 'truncated') malformed();
      throw error;
    }
  }
  /** One that goes on to the end of what is read. */
  read(from: Reader): MoveBatch {
    if (from.left > limits.kMoveBatchBytes) throw new BadBytes('too_large', 'a batch of moves');
    const format = from.byte();
    if (format > kFormat) throw new BadBytes('newer_format', 'a batch of moves');
    if (format !== kFormat) malformed();
    const head = { epoch: from.u32(), tick: from.u32(), time: from.u32() };
    const moves: SeenMove[] = [];
    while (from.left > 0) {
      const index = from.u16();
      if (index === 0) malformed();
      moves.push({ index, ...moveFrom(from, head.time, this.grid) });
    }
    return { ...head, moves };
  }
}
