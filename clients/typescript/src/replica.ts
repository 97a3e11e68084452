/**
 * The properties of an entity as a client sees them, as a plain object: a snapshot, and the changes
 * since. docs/guide/properties.md, section "Wire form", has the bytes. Input is taken whole or not
 * at all; what does not fit throws BadBytes, and a new snapshot is needed (`gap`, `desync`).
 *
 * The object is changed in place: what is held of it stays true. Fields, structs and items of bags
 * are objects, a List is an array, a Map a Map, a Bag a Bag (bag.ts), all else as in values.ts.
 */
import { BadBytes } from './bytes.js';
import { Part, PropertyClass, State, Step, Undo } from './fields.js';
import { exchange, kAudiences, kOperations, kParts } from './fields.js';
import type { Audience, Doing, Operation, PropertyField } from './fields.js';
import * as limits from './limits.js';
import { propertiesOf } from './names.js';
import type { ServerNames } from './names.js';
import type { PropertiesDoc, Schema } from './schema.js';
import { ValueReader } from './values.js';

const kSnapshotForm = 0xa2;
const kDeltaForm = 0xd2;
const kNewestBit = 0x80;
const kMaxStamp = 1n << 62n;

/** What has changed: ['items', 1001n, 'count'] by 'set'. An empty path: everything. */
export interface Change {
  readonly path: readonly Step[];
  readonly operation: Operation | Part;
}

/** Where a change goes. */
interface Spot {
  readonly field: PropertyField;
  readonly doing: Doing;
  readonly path: Step[];
  /** It is below a field that the program does not have. */
  readonly passed: boolean;
}

/** The classes of entities as one audience sees them; shared by the replicas of a program. */
export class Classes {
  readonly #schema: Schema;
  #server: Schema | undefined; // the properties as the server has them
  #known = new Map<bigint, PropertyClass>();

  constructor(
    schema: Schema,
    readonly audience: Audience = 'own_client',
  ) {
    this.#schema = schema;
  }
  /** As Replica.learn. */
  learn(names: ServerNames): void {
    const properties = propertiesOf(this.#schema, names, this.audience);
    this.#server = this.#schema.withProperties(properties);
    this.#known = new Map();
  }
  /** Throws BadBytes (`schema_mismatch`) if there is none with that hash. */
  of(hash: bigint): PropertyClass {
    const known = this.#known.get(hash);
    if (known !== undefined) return known;
    const own = this.#schema.entityProperties(hash);
    const doc = own ?? this.#server?.entityProperties(hash);
    if (doc === undefined) throw new BadBytes('schema_mismatch');
    const made = classOf(doc, own ? this.#schema : this.#server!, this.audience);
    this.#known.set(hash, made);
    return made;
  }
}

/** `schema_mismatch` for what only C++ can read. */
function classOf(doc: PropertiesDoc, schema: Schema, audience: Audience): PropertyClass {
  try {
    return new PropertyClass(doc, schema, audience);
  } catch (error) {
    throw error instanceof BadBytes ? error : new BadBytes('schema_mismatch', String(error));
  }
}

export class Replica {
  readonly #classes: Classes;
  readonly #audience: number;
  #class: PropertyClass | undefined;
  #state: State | undefined;
  #lineage = 0;
  #stamp = 0n;

  /** Of a schema, for the entity that the client plays; else of classes. */
  constructor(of: Schema | Classes) {
    this.#classes = of instanceof Classes ? of : new Classes(of);
    this.#audience = kAudiences.indexOf(this.#classes.audience);
  }

  /** Undefined before the first snapshot. */
  get state(): Readonly<State> | undefined {
    return this.#state;
  }
  /** The class of the last snapshot, as the schema names it. */
  get className(): string | undefined {
    return this.#class?.name;
  }

  /**
   * Takes the names of a server with another schema: its snapshots are read, as far as both have the
   * same fields. Throws BadBytes (`schema_mismatch`) for what cannot be passed over.
   */
  learn(names: ServerNames): void {
    this.#classes.learn(names);
  }
  /**
   * Of any class of entities in the schema; else `schema_mismatch`. `undo` gets what takes it back,
   * here and below, for a caller that takes several or none.
   */
  applySnapshot(bytes: Uint8Array, undo: Undo = []): Change[] {
    const from = new ValueReader(bytes);
    const form = from.byte();
    const view = from.byte();
    if (form !== kSnapshotForm || view > kAudiences.length) throw new BadBytes('malformed');
    if (view !== this.#audience) throw new BadBytes('wrong_audience');
    const hash = from.u64();
    const lineage = from.u32();
    const watched = from.byte();
    const stamp = from.varint();
    const behind = kAudiences.map(() => from.varint());
    if (watched >> kAudiences.length !== 0 || stamp > kMaxStamp || behind.some((less) => less > stamp)) {
      throw new BadBytes('malformed');
    }
    const known = this.#classes.of(hash);
    const state = known.read(from);
    from.finish();
    undo.push(this.#keep());
    this.#class = known;
    this.#state = state;
    this.#lineage = lineage;
    this.#stamp = stamp - behind[this.#audience]!;
    return [{ path: [], operation: 'set' }];
  }

  /** Changes that it has already are skipped. */
  applyDelta(bytes: Uint8Array, journal: Undo = []): Change[] {
    const from = new ValueReader(bytes);
    const form = from.byte();
    const head = from.byte();
    const lineage = from.u32();
    const since = from.varint();
    const more = from.varint();
    const audience = head & ~kNewestBit;
    if (form !== kDeltaForm || audience >= kAudiences.length || lineage === 0) {
      throw new BadBytes('malformed');
    }
    if (since > kMaxStamp || more > kMaxStamp - since) throw new BadBytes('malformed');
    if (audience !== this.#audience) throw new BadBytes('wrong_audience');
    if (this.#state === undefined || lineage !== this.#lineage || since > this.#stamp) {
      throw new BadBytes('gap');
    }
    const to = since + more;
    const undo: Undo = [this.#keep()];
    try {
      const newest = (head & kNewestBit) !== 0;
      if (newest && to <= this.#stamp) return [];
      const changes = newest ? this.#parts(from, undo) : this.#groups(from, since, to, undo);
      if (to > this.#stamp) this.#stamp = to;
      journal.push(...undo);
      return changes;
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
  }

  /** What sets it back to how it is now, but for what is below the state. */
  #keep(): () => void {
    const [known, state, lineage, stamp] = [this.#class, this.#state, this.#lineage, this.#stamp];
    return () => {
      this.#class = known;
      this.#state = state;
      this.#lineage = lineage;
      this.#stamp = stamp;
    };
  }

  #groups(from: ValueReader, since: bigint, to: bigint, undo: Undo): Change[] {
    const changes: Change[] = [];
    let stamp = since;
    while (from.left > 0) {
      const step = from.varint();
      if (step === 0n || step > to - stamp) throw new BadBytes('malformed');
      stamp += step;
      const size = from.size(limits.kArchiveBytes);
      if (size === 0 && stamp !== to) throw new BadBytes('malformed');
      if (stamp <= this.#stamp) {
        from.take(size);
        continue;
      }
      from.within(size, () => {
        while (from.left > 0) this.#change(from, undo, changes);
      });
    }
    if (stamp !== to) throw new BadBytes('malformed');
    return changes;
  }
  #change(from: ValueReader, undo: Undo, changes: Change[]): void {
    const head = from.byte();
    const operation = kOperations[head >> 3];
    if (operation === undefined) throw new BadBytes('malformed');
    const { field, doing, path, passed } = this.#walk(head & 7, from, undo);
    const step = field.apply(operation, doing);
    if (step !== undefined) path.push(step);
    if (!passed) changes.push({ path, operation });
  }
  #parts(from: ValueReader, undo: Undo): Change[] {
    const changes: Change[] = [];
    while (from.left > 0) {
      const head = from.byte();
      const part = kParts[head >> 3];
      if (part === undefined) throw new BadBytes('malformed');
      const { field, doing, path, passed } = this.#walk(head & 7, from, undo);
      if (part === 'whole') {
        exchange(doing, field.read(from));
      } else {
        const step = field.element(part, doing);
        if (step !== undefined) path.push(step);
      }
      if (!passed) changes.push({ path, operation: part });
    }
    return changes;
  }

  /** Reads an address. */
  #walk(depth: number, from: ValueReader, undo: Undo): Spot {
    if (depth === 0) throw new BadBytes('malformed');
    let owner = this.#class!;
    let state = this.#state!;
    const path: Step[] = [];
    let passed = false;
    for (let level = 1; ; level++) {
      const field = owner.field(from.byte());
      path.push(field.name);
      passed ||= field.passed;
      if (level === depth) {
        return { field, doing: { state, name: field.name, from, undo }, path, passed };
      }
      const below = field.enter?.(state[field.name], from);
      if (below === undefined) throw new BadBytes('malformed');
      owner = below.class;
      state = below.state;
      if (below.key !== undefined) path.push(below.key);
    }
  }
}
