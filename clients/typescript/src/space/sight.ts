/**
 * The records of sight: docs/reference/client-protocol.md has the bytes. Input is hostile: what does
 * not have its form throws BadBytes. Pure.
 */
import { BadBytes, Reader } from '../bytes.js';
import * as limits from '../limits.js';
import type { Locomotion } from './locomotion.js';
import { MoveDecoder, moveFrom } from './moves.js';
import type { MoveBatch, MoveGrid } from './moves.js';

const kFormat = 1;
const kRecords = { scene: 1, enter: 2, leave: 3, news: 4, moves: 5 } as const;
const kMaxIndex = 0xffff;
const kMaxWord = 0xffff_ffff;

/** The client's player is in another space, or in none; all that was seen is forgotten. */
export interface Scene {
  /** Grows by 1 with each scene, and wraps: for `ready`. */
  readonly number: number;
  /** Empty: the player is in no space. */
  readonly space: string;
  readonly grid: MoveGrid;
  /** Of the space; 0 if there is none. */
  readonly tickMs: number;
  /** Server time in ms, 32 bits. */
  readonly time: number;
  /** That of the server's check of the player's moves: of the first reports. */
  readonly epoch: number;
  /** Where the player is; undefined: it has no body there. */
  readonly move: Locomotion | undefined;
  /** Of the game. */
  readonly setup: Uint8Array;
}
/** Something comes in sight. */
export interface Enter {
  /** 1 to 65535, of this scene; it may be used again after a leave. */
  readonly index: number;
  /** The online id. */
  readonly id: bigint;
  readonly className: string;
  /**
   * Undefined: it has no place that moves. Its age is that at the time of the batch of moves with
   * which it came, or if none did, at the latest time that was told.
   */
  readonly move: Locomotion | undefined;
  /** A snapshot for other clients; empty: the class has nothing for them. */
  readonly properties: Uint8Array;
}
export type SightRecord =
  | { readonly kind: 'scene'; readonly scene: Scene }
  | { readonly kind: 'enter'; readonly enter: Enter }
  | { readonly kind: 'leave'; readonly index: number }
  | { readonly kind: 'news'; readonly index: number; readonly changes: Uint8Array }
  | { readonly kind: 'moves'; readonly batch: MoveBatch };

/** What a reader of sight knows from before. */
export interface Ground {
  readonly grid: MoveGrid;
  /** The latest server time that was told. */
  readonly time: number;
}

/**
 * All of a body. `ground`: of the present scene; undefined: one must come first. Throws BadBytes
 * (`malformed`, `newer_format`, `too_large`).
 */
export function decodeSight(body: Uint8Array, ground: Ground | undefined): SightRecord[] {
  try {
    return recordsFrom(new Reader(body), ground);
  } catch (error) {
    const ends = error instanceof BadBytes && ['truncated', 'trailing'].includes(error.code);
    throw ends ? new BadBytes('malformed', 'sight ends elsewhere than it says') : error;
  }
}
function recordsFrom(from: Reader, ground: Ground | undefined): SightRecord[] {
  const format = from.byte();
  if (format > kFormat) throw new BadBytes('newer_format', 'sight');
  if (format !== kFormat) throw new BadBytes('malformed', 'sight');
  const records: SightRecord[] = [];
  let now = ground;
  while (from.left > 0) {
    const kind = from.byte();
    if (kind === kRecords.scene) {
      now = sceneFrom(from);
      records.push({ kind: 'scene', scene: now as Scene });
    } else if (now === undefined) {
      throw new BadBytes('malformed', 'sight before the first scene');
    } else {
      records.push(recordFrom(kind, from, now));
    }
  }
  const last = records.at(-1);
  if (last?.kind !== 'moves' || now === undefined) return records;
  const later = last.batch.time - now.time;
  return records.map((one) => (one.kind === 'enter' ? aged(one.enter, later) : one));
}
/** As of a batch that is so much later. */
function aged(enter: Enter, later: number): SightRecord {
  const { move } = enter;
  if (move === undefined) return { kind: 'enter', enter };
  return { kind: 'enter', enter: { ...enter, move: { ...move, at: (move.at + later) >>> 0 } } };
}

function recordFrom(kind: number, from: Reader, ground: Ground): SightRecord {
  switch (kind) {
    case kRecords.enter:
      return { kind: 'enter', enter: enterFrom(from, ground) };
    case kRecords.leave:
      return { kind: 'leave', index: indexFrom(from) };
    case kRecords.news: {
      const index = indexFrom(from);
      return { kind: 'news', index, changes: from.sized(limits.kPacketBytes) };
    }
    case kRecords.moves:
      return { kind: 'moves', batch: new MoveDecoder(ground.grid).read(from) };
    default:
      throw new BadBytes('malformed', 'a record of sight of an unknown kind');
  }
}
function indexFrom(from: Reader): number {
  const index = from.small(kMaxIndex);
  if (index === 0) throw new BadBytes('malformed', 'an index of 0');
  return index;
}
function sceneFrom(from: Reader): Scene {
  const number = from.small(kMaxWord);
  const space = from.text(limits.kSpaceName);
  const grid = { x: from.i32(), y: from.i32(), z: from.i32() };
  const tickMs = from.small(kMaxWord);
  const time = from.u32();
  const epoch = from.u32();
  const move = bodyFrom(from, { grid, time });
  const setup = from.sized(limits.kSetupBytes);
  return { number, space, grid, tickMs, time, epoch, move, setup };
}
function enterFrom(from: Reader, ground: Ground): Enter {
  const index = indexFrom(from);
  const id = from.varint();
  const className = from.text(limits.kSeenClass);
  const move = bodyFrom(from, ground);
  return { index, id, className, move, properties: from.sized(limits.kPacketBytes) };
}
/** A move with its size before it. */
function bodyFrom(from: Reader, { grid, time }: Ground): Locomotion | undefined {
  const size = from.size(limits.kMoveBytes);
  if (size === 0) return undefined;
  return from.within(size, () => moveFrom(from, time, grid).move);
}
