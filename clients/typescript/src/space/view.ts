/**
 * What a client sees of the space around its subject: who is there, with properties and places. Takes
 * the bodies of sight as they come, each whole or not at all; what does not fit throws BadBytes, and
 * a full state is needed. docs/guide/web-client.md, section "A space", shows how it is used; Space
 * (space.ts) joins it to a client. Sans-IO: the clock comes with the bytes.
 *
 *   view.on('entered', (seen) => models.set(seen, modelOf(seen.className)));
 *   view.on('left', (seen) => models.delete(seen));
 *   view.take(body, performance.now());
 *   for (const seen of view.seen) draw(seen, seen.at(view.shownTime(performance.now())));
 */
import { isMismatch } from '../agreement.js';
import { BadBytes } from '../bytes.js';
import { Events } from '../emitter.js';
import type { Undo } from '../fields.js';
import * as limits from '../limits.js';
import type { ServerNames } from '../names.js';
import { Classes, Replica } from '../replica.js';
import type { Change } from '../replica.js';
import type { Schema } from '../schema.js';
import type { Locomotion } from './locomotion.js';
import type { MoveBatch } from './moves.js';
import { RemoteClock } from './remote-clock.js';
import { decodeSight } from './sight.js';
import type { Enter, Scene, SightRecord } from './sight.js';
import { Snapshots } from './snapshots.js';
import type { SnapshotOptions } from './snapshots.js';

const kSnapshotForm = 0xa2;
/** Ticks that movers are shown late by, unless the program says otherwise. */
const kTicksLate = 2;

/** One that is seen. The same object as long as it is in sight; what is held of it stays true. */
export class Seen<P = any> {
  readonly index: number;
  /** The online id. */
  readonly id: bigint;
  /** The type of the entity, as the schema names it. */
  readonly className: string;
  readonly #replica: Replica | undefined;
  readonly #places: Snapshots;
  #held: Uint8Array[] | undefined; // properties of another schema, until its names are known
  #unread = false; // its properties are of a schema that nobody has explained

  /** For SpaceView alone. */
  constructor(enter: Enter, classes: Classes | undefined, shown: Partial<SnapshotOptions>) {
    this.index = enter.index;
    this.id = enter.id;
    this.className = enter.className;
    this.#replica = classes && new Replica(classes);
    this.#places = new Snapshots(shown);
    if (enter.move !== undefined) this.#places.add(enter.move);
  }

  /** For other clients, changed in place; undefined: none, or the schema does not have them. */
  get properties(): Readonly<P> | undefined {
    return this.#replica?.state as Readonly<P> | undefined;
  }
  /** The latest that was told; undefined: it has no place that moves. */
  get move(): Locomotion | undefined {
    return this.#places.newest;
  }
  /** Where to show it at a server time (SpaceView.shownTime); undefined likewise. */
  at(serverMs: number): Locomotion | undefined {
    return this.#places.size === 0 ? undefined : this.#places.at(serverMs);
  }

  // --- for SpaceView alone -------------------------------------------------------------------------

  moved(move: Locomotion): void {
    this.#places.add(move);
  }
  /** Properties, or changes of them. `waits`: another schema may be explained later. */
  told(bytes: Uint8Array, waits: boolean, undo: Undo): readonly Change[] {
    const held = this.#held;
    const isSnapshot = bytes[0] === kSnapshotForm;
    if (held !== undefined && !isSnapshot) {
      held.push(bytes);
      undo.push(() => held.pop());
      return [];
    }
    const unread = this.#unread;
    if (this.#replica === undefined || (unread && !isSnapshot)) return [];
    if (!isSnapshot) return this.#replica.applyDelta(bytes, undo);
    undo.push(() => ([this.#held, this.#unread] = [held, unread]));
    this.#held = undefined;
    try {
      const changes = this.#replica.applySnapshot(bytes, undo);
      this.#unread = false;
      return changes;
    } catch (error) {
      if (!isMismatch(error)) throw error;
      if (waits) this.#held = [bytes];
      else this.#unread = true;
      return [];
    }
  }
  /** Bytes that wait. */
  get heldBytes(): number {
    return (this.#held ?? []).reduce((sum, { length }) => sum + length, 0);
  }
  /** The names of the server are known, or will not be. */
  release(undo: Undo): readonly Change[] {
    const held = this.#held ?? [];
    this.#held = undefined;
    return held.flatMap((bytes) => this.told(bytes, false, undo));
  }
}

/** What the program hears, by the name of the event. All of a body has been taken by then. */
export interface SpaceEvents {
  /** Whoever was seen is gone. Undefined: a full state comes, and a scene after it. */
  scene: Scene | undefined;
  entered: Seen;
  /** Its properties are others: everything (an empty path), or these. */
  changed: { seen: Seen; changes: readonly Change[] };
  left: Seen;
  /** The server has set the own player elsewhere: at once, or by a correction of its moves. */
  corrected: { from: Locomotion; to: Locomotion; teleport: boolean };
  error: unknown;
}
export interface ViewOptions {
  /** Of the properties: a Space takes the client's. Classes that it does not have have none. */
  readonly schema?: Schema | undefined;
  readonly shown?: Partial<SnapshotOptions>;
  /** ms that movers are shown late; two ticks of the space, unless it is there. */
  readonly delay?: number | undefined;
}

type Told = () => void;

export class SpaceView extends Events<SpaceEvents> {
  readonly #options: ViewOptions;
  readonly #classes: Classes | undefined;
  #waitsForNames = false;
  #scene: Scene | undefined;
  #seen = new Map<number, Seen>();
  #clock = new RemoteClock();
  #time = 0; // the latest of the server that was told

  constructor(options: ViewOptions = {}) {
    super();
    this.#options = options;
    this.#classes = options.schema && new Classes(options.schema, 'other_clients');
  }

  /** Undefined before the first, and from a full state to the next one. */
  get scene(): Scene | undefined {
    return this.#scene;
  }
  /** All that are in sight. */
  get seen(): Iterable<Seen> {
    return this.#seen.values();
  }
  get size(): number {
    return this.#seen.size;
  }
  /** The one with that index. */
  at(index: number): Seen | undefined {
    return this.#seen.get(index);
  }
  /** Server time in ms at `now`, less what the fastest message took; 0 before the first scene. */
  serverTime(now: number): number {
    return this.#clock.remoteAt(now);
  }
  /** The server time of what is to be shown at `now`: the delay makes movers go evenly. */
  shownTime(now: number): number {
    const delay = this.#options.delay ?? kTicksLate * (this.#scene?.tickMs ?? 0);
    return this.serverTime(now) - delay;
  }

  /** A full state has come: nothing is known until the next scene. `waits`: nor are the names. */
  restart(waits = false): void {
    this.#waitsForNames = waits;
    if (this.#scene === undefined) return;
    this.#scene = undefined;
    this.#seen = new Map();
    this.emit('scene', undefined);
  }
  /** What the server has said of its names; undefined: nothing. As Replica.learn. */
  learn(names: ServerNames | undefined): void {
    this.#waitsForNames = false;
    try {
      if (names !== undefined && !names.same) this.#classes?.learn(names);
    } catch (error) {
      this.emit('error', error); // then what others see of another schema is not known
    }
    this.#all((undo, told) => {
      for (const seen of this.#seen.values()) this.#changed(seen, seen.release(undo), told);
    });
  }
  /** A body of sight that came at `now`, in ms of a steady clock. */
  take(body: Uint8Array, now: number): void {
    const ground = this.#scene && { grid: this.#scene.grid, time: this.#time };
    const records = decodeSight(body, ground);
    this.#all((undo, told) => {
      for (const record of records) this.#record(record, now, undo, told);
      if (this.#waitsForNames && this.#heldBytes() > limits.kHeldBytes) {
        throw new BadBytes('too_large', 'what waits for the names of the server');
      }
    });
  }

  /** Does all of it or nothing, and tells of it then. */
  #all(work: (undo: Undo, told: Told[]) => void): void {
    const undo: Undo = [];
    const told: Told[] = [];
    try {
      work(undo, told);
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
    for (const tell of told) tell();
  }
  #record(record: SightRecord, now: number, undo: Undo, told: Told[]): void {
    switch (record.kind) {
      case 'scene':
        return this.#enterScene(record.scene, now, undo, told);
      case 'enter':
        return this.#enter(record.enter, undo, told);
      case 'leave': {
        const seen = this.#known(record.index);
        this.#put(seen.index, undefined, undo);
        told.push(() => this.emit('left', seen));
        return;
      }
      case 'news': {
        const seen = this.#known(record.index);
        const changes = seen.told(record.changes, this.#waitsForNames, undo);
        return this.#changed(seen, changes, told);
      }
      case 'moves': {
        // Once nothing can fail any more, and before all that is told.
        const { batch } = record;
        if (batch.epoch === this.#scene!.number) told.unshift(() => this.#moves(batch, now));
      }
    }
  }
  #moves({ time, moves }: MoveBatch, now: number): void {
    this.#time = time;
    this.#clock.heard(time, now);
    for (const { index, move } of moves) this.#seen.get(index)?.moved(move);
  }
  #enterScene(scene: Scene, now: number, undo: Undo, told: Told[]): void {
    const { time } = scene;
    const before = [this.#scene, this.#seen, this.#clock, this.#time] as const;
    undo.push(() => ([this.#scene, this.#seen, this.#clock, this.#time] = before));
    this.#scene = scene;
    this.#seen = new Map();
    this.#clock = new RemoteClock(); // that of the process that runs this space
    this.#clock.heard(time, now);
    this.#time = time;
    told.splice(0, told.length, () => this.emit('scene', scene)); // of what was before it: nothing
  }
  #enter(enter: Enter, undo: Undo, told: Told[]): void {
    const { index, properties } = enter;
    if (this.#seen.has(index)) throw new BadBytes('malformed', `index ${index} is in sight already`);
    const seen = new Seen(enter, this.#classes, this.#options.shown ?? {});
    this.#put(index, seen, undo);
    if (properties.length > 0) seen.told(properties, this.#waitsForNames, undo);
    told.push(() => this.emit('entered', seen));
  }
  #heldBytes(): number {
    let sum = 0;
    for (const { heldBytes } of this.#seen.values()) sum += heldBytes;
    return sum;
  }
  #changed(seen: Seen, changes: readonly Change[], told: Told[]): void {
    if (changes.length > 0) told.push(() => this.emit('changed', { seen, changes }));
  }
  #known(index: number): Seen {
    const seen = this.#seen.get(index);
    if (seen === undefined) throw new BadBytes('malformed', `index ${index} is not in sight`);
    return seen;
  }
  #put(index: number, seen: Seen | undefined, undo: Undo): void {
    const all = this.#seen;
    const old = all.get(index);
    const set = (value: Seen | undefined): void =>
      void (value === undefined ? all.delete(index) : all.set(index, value));
    set(seen);
    undo.push(() => set(old));
  }
}
